/* SPDX-License-Identifier: MIT */
/* Results of livetcp model. */
(function (L) {
  const near = (a, b) => L.known(a) && L.known(b) && Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

  /* The path and stream of the model are those of a measurement on one connection. */
  L.sameStream = (m, run) => m.config && near(m.config.rtt_ms, run.rtt) && near(m.config.packet_bytes, run.size) && near(m.config.interval_ms, run.interval) &&
    (m.config.connections || 1) === 1 && (m.config.split || 1) === 1;
  L.sameSetting = (m, run) => L.sameStream(m, run) && Math.abs(m.config.loss - run.loss) < 1e-9;

  L.modelPercentile = (m, key) => (m.bounded === false ? null : (m.percentiles_ms || {})[key.replace(/^p|_ms$/g, "").replace("_", ".")]);
  L.modelCurve = (m) => ({ name: L.modelName(m), points: m.bounded === false ? [] : m.ccdf || [], dash: (m.config || {}).constants === "paper" ? [3, 4] : [9, 4] });

  L.modelName = function (m) {
    const c = m.config || {}, words = ["model"];
    if (c.connections > 1)
      words.push(L.many(c.connections, "connection"));
    if (c.split > 1)
      words.push(`split ${c.split}`);
    if (c.constants)
      words.push(c.constants === "paper" ? "as in the paper" : `TCP of ${c.constants}`);
    return words.join(", ");
  };

  function path(m) {
    const c = m.config || {};
    return `${c.packet_bytes} bytes every ${L.number(c.interval_ms)} ms, RTT ${L.number(c.rtt_ms)} ms, ${L.percent(c.loss)} ${c.loss_model === "correlated" ? "correlated " : ""}loss`;
  }

  /* Those that no measurement shows beside itself; models of one stream and path share a chart. */
  L.modelSection = function (models, runs) {
    const lonely = models.filter((m) => !runs.some((run) => L.sameSetting(m, run)));
    if (!lonely.length)
      return null;
    const section = L.section("model", "Delay, computed", "What the Markov chain of Brosh et al. says of a stream on one path, without anything being sent.");
    const charts = L.groups(lonely, path).map((group, i) => {
      const bounded = group.filter((m) => m.bounded !== false);
      const sentence = bounded.length ? L.joined(bounded.map((m) => `${L.modelName(m)}: mean ${L.ms(m.mean_ms)}, p95 ${L.ms(L.modelPercentile(m, "p95"))}`)) + "." :
        "Unbounded: the stream is faster than TCP is at this loss and round-trip time.";
      return L.ccdf(`model-${i}`, path(group[0]), sentence, group.map(L.modelCurve), []);
    });
    section.append(L.el("div", { class: "charts" }, ...charts));
    return section;
  };
})(livetcp);
