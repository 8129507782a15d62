/* SPDX-License-Identifier: MIT */
/* Findings of livetcp probe about a path. */
(function (L) {
  const components = [["total", "total", 7], ["sender", "Δsnd: at the sender", 0], ["network", "Δnet: network", 2], ["receiver", "Δrcv: head of line", 1]];
  const LONGEST_S = 1000; /* a straight line from there on */
  const second = { label: "time, s", log: true, format: (v) => L.number(v), exact: L.seconds };

  function curves(id, document_) {
    const samples = ((document_.service_curve || {}).samples || []).filter((s) => s.t_s <= LONGEST_S), long = (document_.service_curve || {}).long_term_bit_s;
    if (!samples.length)
      return [];
    const violation = L.percent(document_.service_curve.violation);
    return [
      L.chart(`${id}-service`, { title: "Service curve S(t)", sentence: `What the path is sure to have carried after a time, but for ${violation} of the cases.`,
        x: second, y: { label: "service, bits", log: true, format: (v) => L.bits(v).replace("bit", ""), exact: L.bits },
        series: [{ name: "S(t)", colour: 0, points: samples.map((s) => [s.t_s, s.service_bit]) }] }),
      L.chart(`${id}-rate`, { title: "Attainable rate α(t)", sentence: L.known(long) ? `In the long run ${L.rate(long)}.` : "",
        x: second, y: { label: "attainable rate, bit/s", format: (v) => L.bits(v).replace("bit", ""), exact: L.rate },
        series: [{ name: "α(t)", colour: 0, points: samples.map((s) => [s.t_s, s.attainable_bit_s]) }] }),
    ];
  }

  function decomposition(id, rates) {
    const usable = rates.filter((r) => r.delays && r.delays.total && (r.delays.total.ccdf || []).length);
    if (!usable.length)
      return null;
    const holder = L.el("div");
    let control = null;
    const names = usable.map((r) => L.rate(r.rate_bit_s));
    const steady = usable.map((r) => r.state === "steady" || r.quantile).lastIndexOf(true);
    const fill = (name) => {
      const rate = usable[names.indexOf(name)];
      const series = components.filter(([key]) => rate.delays[key]).map(([key, text, colour]) => ({ name: text, colour, points: rate.delays[key].ccdf, step: true }));
      const parts = components.slice(1).filter(([key]) => rate.delays[key]).map(([key, text]) => `${text.replace(/^.*: /, "")} ${L.ms(rate.delays[key].p95_ms)}`);
      holder.replaceChildren(L.ccdf(`${id}-components`, `Where the delay arises at ${name}`, parts.length ? `The p95 of each component: ${L.joined(parts)}.` : "", series, [], { control }));
    };
    const chosen = names[steady < 0 ? names.length - 1 : steady];
    control = names.length > 1 && names.length <= 12 ? L.choice(names, chosen, fill, "rate") : null;
    fill(chosen);
    return holder;
  }

  function table(rates) {
    const rows = rates.map((r) => [L.rate(r.rate_bit_s), r.state, r.tests ? (r.tests.stationary ? "yes" : "no") : "–",
      r.tests ? (r.tests.independent ? "yes" : "no") : "–", L.number(r.samples),
      r.quantile ? `${L.ms(r.quantile.value_ms)} (${L.number(r.quantile.low_ms)} to ${L.number(r.quantile.high_ms)})` : "–"]);
    return L.el("details", null, L.el("summary", null, "Every rate that was tried"),
      L.table(["rate", "state", "stationary", "independent", "samples", "quantile"], rows, "wide"));
  }

  function video(id, v) {
    const points = v.sent && v.sent.ccdf;
    if (!points || !points.length)
      return null;
    const bound = L.known(v.bound_ms) ? [{ x: v.bound_ms, text: "bound" }] : [];
    return L.ccdf(`${id}-video`, `${L.file(v.file || "The video")}, ${L.rate(v.mean_bit_s)}`,
      L.known(v.bound_ms) ? `Bound ${L.ms(v.bound_ms)}; sent over the path, its quantile was ${L.ms(v.sent.quantile_ms)}.` : "There is no bound: the video needs more than the path gives.",
      [{ name: "frames sent", points, step: true }], bound);
  }

  L.probeSection = function (probes) {
    if (!probes.length)
      return null;
    const section = L.section("probe", "The path, probed", null);
    probes.forEach(({ name, document: d }, i) => {
      const id = `probe-${i}`, rates = d.rates || [];
      section.append(L.el("p", { class: "what" }, [probes.length > 1 ? `${L.stem(name)}: ` : "", (d.verdict || {}).sentence || "", d.simulation ? ` (simulated: ${d.simulation})` : "",
        d.interrupted ? " It was interrupted: what follows is what was done until then." : ""].join("")));
      section.append(L.el("div", { class: "charts" }, ...[...curves(id, d), decomposition(id, rates), d.video ? video(id, d.video) : null].filter(Boolean)));
      if (rates.length)
        section.append(table(rates));
    });
    return section;
  };
})(livetcp);
