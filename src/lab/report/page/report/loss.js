/* SPDX-License-Identifier: MIT */
/* Delay against loss: a chart for each round-trip time and stream that was measured at two or more
 * loss rates. */
(function (L) {
  const percentiles = { p50: "p50_ms", p95: "p95_ms", p99: "p99_ms", "p99.9": "p99_9_ms" };

  const groupOf = (run) => JSON.stringify([run.size, run.interval, run.rtt, run.path.rate, run.path.queue]);

  L.groups = function (list, key) {
    const groups = new Map();
    for (const one of list)
      groups.set(key(one), [...(groups.get(key(one)) || []), one]);
    return [...groups.values()];
  };

  function series(runs, models, key) {
    const schemes = [...new Set(runs.flatMap((run) => run.results.map(L.scheme)))];
    const measured = schemes.map((scheme) => ({ name: scheme, dots: true, points: runs.flatMap((run) => run.results
      .filter((result) => L.scheme(result) === scheme).map((result) => [run.loss * 100, L.summary(result)[key]])) }));
    const computed = models.filter((m) => L.sameStream(m, runs[0])).map((m) => [m.config.loss * 100, L.modelPercentile(m, key)]);
    if (computed.length > 1)
      measured.push({ name: "model, 1 connection", points: computed, dash: [3, 4] });
    return measured;
  }

  function sentence(runs, key, word) {
    const worst = runs[runs.length - 1], loss = L.percent(worst.loss);
    const values = worst.results.map((r) => [L.scheme(r), L.summary(r)[key]]).filter(([, v]) => L.known(v)).sort((a, b) => a[1] - b[1]);
    if (values.length < 2)
      return values.length ? `At ${loss} loss, ${word} is ${L.ms(values[0][1])}.` : "";
    const [best, last] = [values[0], values[values.length - 1]];
    return `At ${loss} loss, ${word} is ${L.ms(best[1])} with ${best[0]}, ${L.ms(last[1])} with ${last[0]}.`;
  }

  function chartOf(runs, models, word) {
    const key = percentiles[word], first = runs[0], shown = series(runs, models, key);
    return L.chart(`loss-${L.number(first.rtt)}-${first.size}`, {
      title: `RTT ${L.number(first.rtt)} ms, ${first.size} bytes every ${L.number(first.interval)} ms`,
      sentence: sentence(runs, key, word), series: shown,
      x: { label: "loss, %", format: (v) => L.number(v), exact: (v) => `${L.number(v)} %` },
      y: { label: `${word} of the delay, ms`, log: L.ratio(shown.flatMap((s) => s.points.map((p) => p[1]))) > 8,
        format: (v) => L.number(v), exact: L.ms },
    });
  }

  L.lossSection = function (runs, models) {
    const groups = L.groups(runs.filter((run) => run.path.delay !== undefined), groupOf)
      .map((group) => group.sort((a, b) => a.loss - b.loss)).filter((group) => new Set(group.map((run) => run.loss)).size > 1)
      .sort((a, b) => a[0].size - b[0].size || a[0].rtt - b[0].rtt);
    if (!groups.length)
      return null;
    const section = L.section("loss", "Delay against loss", "The delay that all but a given share of the packets keep.");
    const charts = L.el("div", { class: "charts" });
    const fill = (word) => charts.replaceChildren(...groups.map((group) => chartOf(group, models, word)));
    section.append(L.choice(Object.keys(percentiles), "p95", fill, "percentile"), charts);
    fill("p95");
    return section;
  };
})(livetcp);
