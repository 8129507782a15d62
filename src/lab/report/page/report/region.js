/* SPDX-License-Identifier: MIT */
/* The working region (Brosh et al., section 5.2): where a stream over TCP is good enough. As the model was
 * asked, or speech: 95 of 100 packets within 200 ms, and larger packets, a video that starts 5 s late:
 * all within 5 s. */
(function (L) {
  const VOICE_BYTES = 300;
  const keys = { 0.5: "p50_ms", 0.9: "p90_ms", 0.95: "p95_ms", 0.99: "p99_ms", 0.999: "p99_9_ms", 1: "max_ms" };
  const streamOf = (size, interval) => JSON.stringify([size, interval]);
  const isPlain = (config) => (config.connections || 1) === 1 && (config.split || 1) === 1;

  function criterion(region, size) {
    if (region && keys[region.quantile])
      return { key: keys[region.quantile], limit: region.target_ms };
    return size <= VOICE_BYTES ? { key: "p95_ms", limit: 200 } : { key: "max_ms", limit: 5000 };
  }
  const word = (want) => (want.key === "max_ms" ? "largest delay" : want.key.replace(/_ms$/, "").replace("_", "."));

  /* Of the model's grid; single models where there is none. */
  function computed(regions, models, want) {
    const cells = regions.flatMap((region) => (region.rows || []).flatMap((row) => (row.grid || []).map((cell) =>
      ({ rtt: row.rtt_ms, loss: cell.loss, value: cell.delay_ms, advice: cell.advice }))));
    return cells.length ? cells : models.map((m) => ({ rtt: m.config.rtt_ms, loss: m.config.loss,
      value: m.bounded === false ? null : want.key === "max_ms" ? m.max_ms : L.modelPercentile(m, want.key) }));
  }

  function bounds(regions) {
    const rows = regions.flatMap((region) => region.rows || []).filter((row) => L.known(row.largest_loss));
    return rows.length ? `Up to ${L.joined(rows.map((row) => `${L.percent(row.largest_loss)} loss at ${L.number(row.rtt_ms)} ms`))}.` : undefined;
  }

  /* One measured point is a number for each scheme, not a map. */
  function lonePoint(size, run, want) {
    const numbers = run.results.map((result) => [L.ms(L.summary(result)[want.key] ?? null), L.scheme(result)]);
    const inside = run.results.filter((result) => L.summary(result)[want.key] <= want.limit).length;
    return L.figure(`region-${size}-measured`, "Measured", `RTT ${L.number(run.rtt)} ms, ${L.percent(run.loss)} loss: ${inside} of ${numbers.length} within ${L.ms(want.limit)}.`,
      numbers);
  }

  function mapsOf(size, runs, regions, models, want) {
    const maps = [], own = computed(regions, models, want), advised = own.filter((cell) => cell.advice);
    if (own.length > 1)
      maps.push({ title: "Model, one connection", cells: own, sentence: bounds(regions) });
    if (advised.length)
      maps.push({ title: "Model, connections × split as advised", cells: advised.map((cell) => ({ ...cell, value: cell.advice.delay_ms,
        text: `${cell.advice.connections}×${cell.advice.split}` })) });
    const schemes = [...new Set(runs.flatMap((run) => run.results.map(L.scheme)))];
    const lone = runs.length === 1 ? [lonePoint(size, runs[0], want)] : [];
    for (const scheme of lone.length ? [] : schemes)
      maps.push({ title: `Measured: ${scheme}`, cells: runs.flatMap((run) => run.results.filter((r) => L.scheme(r) === scheme)
        .map((r) => ({ rtt: run.rtt, loss: run.loss, value: L.summary(r)[want.key] ?? null }))) });
    const cells = maps.flatMap((map) => map.cells);
    return [...maps.map((map, i) => L.heat(`region-${size}-${i}`, { ...map, limit: want.limit,
      rtts: cells.map((c) => c.rtt), losses: cells.map((c) => c.loss) })), ...lone];
  }

  L.regionSection = function (runs, regions, models) {
    const plain = runs.filter((run) => run.path.delay && !run.path.rate);
    const computing = [...regions, ...models].filter((m) => m.config && isPlain(m.config));
    const streams = [...new Set([...plain.map((r) => streamOf(r.size, r.interval)),
      ...computing.map((m) => streamOf(m.config.packet_bytes, m.config.interval_ms))])];
    const parts = [];
    for (const key of streams) {
      const [size, interval] = JSON.parse(key), own = plain.filter((r) => streamOf(r.size, r.interval) === key);
      const mine = (list) => list.filter((m) => computing.includes(m) && streamOf(m.config.packet_bytes, m.config.interval_ms) === key);
      const points = new Set(own.map((r) => `${r.rtt} ${r.loss}`)).size, want = criterion(mine(regions)[0], size);
      if (points < 3 && !mine(regions).length && mine(models).length < 3)
        continue;
      parts.push(L.el("p", { class: "what" }, `${size} bytes every ${L.number(interval)} ms: the ${word(want)} in ms, ` +
        `blue where it is within ${L.ms(want.limit)}, orange where it is not, and ∞ where delay grows without end or packets never came.`),
      L.el("div", { class: mine(regions).length ? "charts" : "charts maps" }, ...mapsOf(size, own, mine(regions), mine(models), want)));
    }
    if (!parts.length)
      return null;
    const section = L.section("region", "Working region", "Loss and round-trip times at which TCP is good enough for the stream.");
    section.append(...parts);
    return section;
  };
})(livetcp);
