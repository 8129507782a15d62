/* SPDX-License-Identifier: MIT */
/* The demonstration's charts, of the same parts as the page of livetcp report. */
(function (L) {
  const data = JSON.parse(document.getElementById("data").textContent);
  const marks = data.propagation_ms > 0 ? [{ x: data.propagation_ms, text: "propagation" }] : [];

  L.theme.reserve([...data.titles].reverse()); /* LiveTCP is blue, as everywhere */

  function overTime(panel, i) {
    const delays = panel.streams.flatMap((stream) => stream.over_time.map((p) => p[1]));
    return L.chart(`time-${i}`, { title: panel.name,
      series: data.titles.map((name, k) => ({ name, points: panel.streams[k].over_time, thin: true })),
      x: { label: "sent at, seconds into the programme", format: (v) => L.number(v), exact: (v) => L.seconds(v) },
      y: { label: "delay, ms", log: true, min: Math.min(...delays) / 1.25, max: Math.max(...delays) * 1.25,
        format: (v) => L.number(v), exact: L.ms } });
  }

  function distribution(panel, i) {
    return L.ccdf(`later-${i}`, panel.name, L.sayWithin(data.titles, panel.p95_ms, `95 of 100 ${panel.unit}`),
      data.titles.map((name, k) => ({ name, points: panel.streams[k].later, step: true })), marks);
  }

  const charts = (make) => L.el("div", { class: "charts" }, ...data.panels.map(make));
  document.getElementById("time").append(charts(overTime));
  document.getElementById("delay").append(charts(distribution));
  L.theme.start();
  document.documentElement.dataset.problems = "";
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = "yes"; }));
})(livetcp);
