/* SPDX-License-Identifier: MIT */
/* Results of livetcp bench: one chart of the distributions for each run. */
(function (L) {
  const share = (text) => (text === undefined ? 0 : parseFloat(text) / (/%$/.test(text) ? 100 : 1));
  const time = (text) => (text === undefined ? 0 : parseFloat(text) * (/us$/.test(text) ? 1e-3 : /ms$/.test(text) ? 1 : 1e3));

  /* "delay=50ms,loss=1%" as an object; words without a value are true. */
  L.path = function (text) {
    const found = Object.fromEntries(String(text || "").split(",").map((part) => part.split("=")).map(([k, v]) => [k.trim(), v ?? true]));
    return { ...found, delay: time(found.delay), loss: share(found.loss) };
  };

  /* One run: its setting, and a summary a scheme. */
  L.run = function (name, document_) {
    const p = document_.parameters || {}, forward = L.path(p.path_forward), backward = L.path(p.path_backward);
    return {
      name, stem: L.stem(name), document: document_, parameters: p, results: document_.results || [],
      rtt: forward.delay + backward.delay, loss: forward.loss, oneWay: forward.delay, path: forward,
      size: p.size, interval: p.interval_ms,
    };
  };
  L.summary = (result) => (result.clean && result.clean.sent && result.flagged ? result.clean : result.all) || {};
  L.scheme = (result) => result.scheme + (result.direction === "backward" ? ", backward" : "");

  L.setting = function (run) {
    const p = run.parameters, words = [];
    if (run.size)
      words.push(`${run.size} bytes every ${L.number(run.interval)} ms`);
    if (/delay=/.test(p.path_forward || ""))
      words.push(`RTT ${L.number(run.rtt)} ms`);
    if (run.loss)
      words.push(`${L.percent(run.loss)} loss`);
    if (run.path.rate)
      words.push(`${run.path.rate}${run.path.queue ? `, queue ${run.path.queue}` : ""}`);
    if (p.path_forward === "loopback")
      words.push("loopback");
    return words.join(", ") || run.stem;
  };

  /* Packets where there are some, percentiles otherwise. */
  function curve(run, result, raws) {
    const raw = raws.find((one) => one.stem === run.stem);
    const found = raw && (raw.document.schemes || []).find((s) => s.scheme === result.scheme && s.direction === result.direction);
    if (found && found.ccdf.length)
      return { name: L.scheme(result), points: found.ccdf, step: true };
    return { name: L.scheme(result), points: L.curves.ofPercentiles(L.summary(result)), dots: true };
  }

  /* The finding, the best first: "99 of 100 packets arrive within 50.3 ms with auto x8, 163 ms with single." */
  L.sayWithin = function (names, value, share = "99 of 100 packets") {
    const known = names.map((name, i) => [name, value[i]]).filter(([, v]) => L.known(v)).sort((a, b) => a[1] - b[1]);
    if (!known.length)
      return "";
    const [best, worst] = [known[0], known[known.length - 1]], within = `${share} arrive within ${L.ms(best[1])}`;
    if (known.length === 1)
      return `${within}${names.length > 1 ? ` with ${best[0]}` : ""}.`;
    return worst[1] < best[1] * 1.05 ? `${within} with each of ${L.joined(known.map(([name]) => name))}.` :
      `${within} with ${best[0]}, ${L.ms(worst[1])} with ${worst[0]}.`;
  };

  /* Room beside the quickest packets and the propagation: the best curve is the one that stays near them. */
  function aroundDelays(xs, marks) {
    const known = [...xs, ...(marks || []).map((mark) => mark.x)].filter((x) => L.known(x) && x > 0);
    return known.length ? { min: Math.min(...known) / 1.25, max: Math.max(...known) * 1.08 } : {};
  }

  L.ccdf = function (id, title, sentence, series, marks, { why, control } = {}) {
    const measured = series.filter((s) => !s.dash).flatMap((s) => s.points.map((p) => p[1]).filter((v) => v > 0));
    const least = measured.length ? Math.min(...measured) / 1.5 : 1e-4;
    const shown = series.map((s) => ({ ...s, points: L.curves.tail(s.points, least) }));
    const xs = shown.flatMap((s) => s.points.map((p) => p[0]));
    return L.chart(id, { title, sentence, why, series: shown, marks, control,
      x: { label: "delay, ms", log: true, ...aroundDelays(xs, marks), format: (v) => L.number(v), exact: L.ms },
      y: { label: "share of packets later than this", log: true, min: least, max: 1, format: (v) => L.percent(v) } });
  };

  function chartOf(run, raws, models) {
    const series = run.results.map((result) => curve(run, result, raws));
    const computed = models.filter((m) => L.sameSetting(m, run)).map(L.modelCurve);
    const sentence = L.sayWithin(run.results.map(L.scheme), run.results.map((r) => L.summary(r).p99_ms));
    const least = run.oneWay && run.oneWay > 0 ? [{ x: run.oneWay, text: "propagation" }] : [];
    const rough = series.some((s) => s.dots) ? "Points are percentiles; with the packets (--raw) it would be a curve." : null;
    return L.ccdf(`ccdf-${run.stem}`, L.setting(run), sentence, [...series, ...computed], least, { why: rough });
  }

  L.benchSection = function (runs, raws, models) {
    const lonely = raws.filter((raw) => !runs.some((run) => run.stem === raw.stem));
    if (!runs.length && !lonely.length)
      return null;
    const section = L.section("delay", "Delay", "How many packets took longer than the time on the axis below. "
      + "Further left and lower is better. What never arrived counts as later than everything else.");
    const charts = runs.map((run) => chartOf(run, raws, models));
    for (const raw of lonely)
      charts.push(L.ccdf(`ccdf-${raw.stem}`, raw.stem, "", (raw.document.schemes || []).map((s) => ({ name: s.scheme, points: s.ccdf, step: true })), []));
    const most = 6;
    section.append(L.el("div", { class: "charts" }, ...charts.slice(0, most)));
    if (charts.length > most)
      section.append(L.el("details", null, L.el("summary", null, `${charts.length - most} more`), L.el("div", { class: "charts" }, ...charts.slice(most))));
    if (runs.length)
      section.append(numbers(runs));
    return section;
  };

  function numbers(runs) {
    const rows = runs.flatMap((run) => run.results.map((result) => {
      const d = L.summary(result);
      return [`${L.setting(run)}: ${L.scheme(result)}`, L.ms(d.p50_ms), L.ms(d.p95_ms), L.ms(d.p99_ms), L.ms(d.p99_9_ms), L.ms(d.max_ms),
        L.number(d.lost), L.number(result.bytes_per_media_byte)];
    }));
    return L.el("details", null, L.el("summary", null, "The numbers"),
      L.table(["", "p50", "p95", "p99", "p99.9", "largest", "lost", "bytes sent per byte"], rows, "wide"));
  }
})(livetcp);
