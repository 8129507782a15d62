/* SPDX-License-Identifier: MIT */
/* The circumstances: what each file is, when and on what it was made, and the command that makes it
 * again. */
(function (L) {
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${String(text).replace(/'/g, "'\\''")}'`);

  /* Older files do not have the command: their parameters make one. */
  function benchCommand(d) {
    const p = d.parameters || {};
    if (p.command)
      return p.command;
    const specs = (d.results || []).filter((r) => r.direction !== "backward").map((r) => r.spec || r.scheme);
    const words = ["livetcp", "bench", "--policy", quoted(specs.join(",")), "--path", quoted(p.path_forward || ""), "--path-back", quoted(p.path_backward || ""),
      "--flows", p.flows, "--size", p.size, "--interval", p.interval_ms, "--warmup", p.warmup_s, "--duration", p.duration_s, "--seed", p.seed];
    const cc = new Set((d.results || []).map((r) => r.congestion_control));
    if (cc.size === 1 && [...cc][0])
      words.push("--congestion-control", [...cc][0]);
    for (const key of ["ftp", "web", "mice"])
      if (p[key])
        words.push(`--${key}`, p[key]);
    return p.path_forward === "loopback" ? words.join(" ").replace(/--path .*?--flows/, "--path none --flows") : words.join(" ");
  }

  function about({ document: d }) {
    const machine = d.machine || d, rows = [];
    const date = machine.date || d.date;
    if (d.circumstances)
      rows.push(String(d.circumstances));
    rows.push([date ? date.replace("T", " ").replace("Z", " UTC") : null, machine.kernel ? `Linux ${machine.kernel}` : null,
      machine.cpus ? L.many(machine.cpus, "processor") : null, L.known(machine.load_1min) ? `load ${L.number(machine.load_1min)}` : null,
      d.livetcp ? `livetcp ${d.livetcp}` : null].filter(Boolean).join(", "));
    if (d.schema === "livetcp/bench/1" && (d.stalls || []).length)
      rows.push(`the machine stalled ${L.many(d.stalls.length, "time")}, ${L.ms(d.stalled_ms)} in all; packets near a stall are left out of the curves`);
    if (/^livetcp\/model-/.test(d.schema))
      rows.push("computed, not measured");
    if (d.schema === "livetcp/report-raw/1")
      rows.push(L.joined((d.schemes || []).map((s) => `${s.scheme} ${s.sent} packets${s.near_stall ? ` (and ${s.near_stall} near a stall, left out)` : ""}`)));
    return rows;
  }

  L.foot = function (data) {
    const entries = data.files.flatMap((file) => {
      const command = file.document.schema === "livetcp/bench/1" ? benchCommand(file.document) : file.document.command;
      return [L.el("dt", null, L.file(file.name)), L.el("dd", null, ...about(file).filter(Boolean).map((text) => L.el("div", null, text)),
        command ? L.el("pre", null, command) : null)];
    });
    return [L.el("h2", null, "How this was made"), L.el("div", { class: "card" }, L.el("dl", null, ...entries,
      L.el("dt", null, "this page"), L.el("dd", null, `livetcp report ${data.livetcp}, ${data.date.replace("T", " ").replace("Z", " UTC")}. `,
        "Charts: uPlot (MIT licence). Click a name to hide its line; nothing on this page is fetched from a network.")))];
  };
})(livetcp);
