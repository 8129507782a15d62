/* SPDX-License-Identifier: MIT */
/* Results of livetcp model startup: the time that a session takes to begin. */
(function (L) {
  const parts = [["handshake_ms", "handshake"], ["timeouts_ms", "timeouts"], ["transfer_ms", "transfer"], ["total_ms", "total"]];

  function card(d, i) {
    const c = d.config || {}, events = Object.entries(d.session || {});
    const percentiles = [...new Set(events.flatMap(([, e]) => Object.keys(e.percentiles_ms || {})))].sort((a, b) => a - b);
    const rows = events.map(([key, e]) => [key.replace(/_/g, " "), L.ms(e.mean_ms), ...percentiles.map((p) => L.ms((e.percentiles_ms || {})[p]))]);
    const models = [["Zhang et al.", d.zhang], ["Cardwell, model C", d.cardwell]].filter(([, m]) => m);
    return L.el("figure", { "data-chart": `startup-${i}`, "data-drawn": rows.length },
      L.el("h3", null, `${L.many(c.connections || 1, "connection")}, RTT ${L.number(c.rtt_ms)} ms, ${L.percent(c.loss)} loss there, ${L.percent(c.loss_back)} back`),
      L.el("p", null, `${L.number(c.bytes)} bytes in all, ${c.constants === "paper" ? "TCP as in the paper" : c.constants === "newreno" ? "TCP of Linux without SACK" : "TCP of Linux today"}; from the first SYN until`),
      L.table(["", "mean", ...percentiles.map((p) => `p${p}`)], rows, "wide"),
      models.length ? L.el("p", { class: "why" }, "One connection, expected:") : null,
      models.length ? L.table(["", ...parts.map(([, text]) => text)], models.map(([name, m]) => [name, ...parts.map(([key]) => L.ms(m[key]))]), "wide") : null);
  }

  L.startupSection = function (documents) {
    if (!documents.length)
      return null;
    const section = L.section("startup", "Start-up, computed", "How long connections take to be made and to carry their first bytes (Zhang et al., section 3.5).");
    section.append(L.el("div", { class: "charts" }, ...documents.map(card)));
    return section;
  };
})(livetcp);
