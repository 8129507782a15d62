/* SPDX-License-Identifier: MIT */
/* A map of loss against round-trip time: a cell is blue where a value is within its limit and orange
 * where it is not, deeper the further from it. */
(function (L) {
  const mix = (from, to, share) => from.map((c, i) => Math.round(c + (to[i] - c) * share));

  function shade(value, limit) {
    const dark = L.theme.is() === "dark";
    const far = !L.known(value) ? 1 : Math.min(1, Math.abs(Math.log(Math.max(value, 1e-3) / limit)) / Math.log(8));
    const out = !L.known(value) || value > limit;
    const plain = dark ? [46, 54, 63] : [240, 243, 246];
    const full = out ? (dark ? [196, 88, 16] : [244, 158, 92]) : (dark ? [22, 98, 156] : [118, 183, 228]);
    return { out, colour: `rgb(${mix(plain, full, 0.25 + 0.75 * far).join(" ")})` };
  }

  /* cells: [{rtt (ms), loss (share), value (ms, null = unbounded or never), text (below it)}] */
  L.heat = function (id, spec) {
    const losses = [...new Set(spec.losses)].sort((a, b) => a - b), rtts = [...new Set(spec.rtts)].sort((a, b) => b - a);
    const find = (rtt, loss) => spec.cells.find((c) => c.rtt === rtt && Math.abs(c.loss - loss) < 1e-9);
    const painted = [];
    const cell = (rtt, loss) => {
      const found = find(rtt, loss);
      if (!found)
        return L.el("td", { class: "none" }, "·");
      const td = L.el("td", { title: `RTT ${L.number(rtt)} ms, ${L.percent(loss)} loss: ${L.ms(found.value)}` },
        L.known(found.value) ? L.number(Math.round(found.value)) : "∞", found.text ? L.el("small", null, found.text) : null);
      painted.push(() => {
        const { out, colour } = shade(found.value, spec.limit);
        td.style.background = colour;
        td.classList.toggle("out", out);
      });
      return td;
    };
    const rows = rtts.map((rtt) => L.el("tr", null, L.el("th", { scope: "row" }, `${L.number(rtt)} ms`),
      ...losses.map((loss) => cell(rtt, loss))));
    const head = L.el("tr", null, L.el("th", { scope: "col" }, "RTT"),
      ...losses.map((loss) => L.el("th", { scope: "col" }, L.percent(loss))));
    const paint = () => painted.forEach((one) => one());
    L.theme.onChange(paint);
    const inside = spec.cells.filter((c) => L.known(c.value) && c.value <= spec.limit).length;
    return L.el("figure", { "data-chart": id, "data-drawn": spec.cells.length }, L.el("h3", null, spec.title),
      L.el("p", null, spec.sentence || `${inside} of ${L.many(spec.cells.length, "point")} within ${L.ms(spec.limit)}.`),
      L.el("div", { class: "scroll" }, L.el("table", { class: "region" }, L.el("thead", null, head), L.el("tbody", null, ...rows))));
  };
})(livetcp);
