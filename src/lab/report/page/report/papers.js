/* SPDX-License-Identifier: MIT */
/* Figures and tables of the papers beside our measurements and models (docs/guide/report.md). Colour is what
 * is shown, the line is where it is from: dashed the paper, dotted a model, solid measured here. */
(function (L) {
  const styles = { paper: { dash: [9, 5], dots: true }, model: { dash: [2, 4] }, measured: { dots: true } };
  const WIDE = 30; // largest over smallest, from which on the small ones need a logarithmic axis
  const words = { paper: "paper", model: "model", measured: "measured" };

  /* Names along the axis, or a single point of each: nothing for a line to go through. */
  const isTable = (figure) => figure.series.some((s) => s.points.some((p) => typeof p[0] === "string")) ||
    new Set(figure.series.flatMap((s) => s.points.map((p) => p[0]))).size < 2;
  const title = (figure) => [figure.figure, figure.title].filter(Boolean).join(": ");

  /* More lines than one chart can show are told apart by stream and round trip, which their names begin
   * with: one chart each. What is said of all of them stands below the last. */
  const MANY = 8;
  function panels(figure) {
    const groups = new Map();
    for (const s of figure.series) {
      const [, group, rest] = /^(.*?RTT \d+ ms)(?:, (.*))?$/.exec(s.name) || [null, "", s.name];
      groups.set(group, [...(groups.get(group) || []), { ...s, name: rest || s.name }]);
    }
    if (figure.series.length <= MANY || groups.size < 2 || isTable(figure))
      return [figure];
    return [...groups].map(([group, series], i) => ({ ...figure, title: [figure.title, group].filter(Boolean).join("; "), series,
      ...(i < groups.size - 1 ? { says: [], why: "", partial: false } : {}) }));
  }

  /* A name that differs in where it is from only keeps its colour. */
  const series = (figure, names) => figure.series.map((s) => ({ name: words[s.source] ? `${s.name} (${words[s.source]})` : s.name,
    colour: names.indexOf(s.name), points: s.points, label: `${s.name}, ${words[s.source] || ""}`.replace(/, $/, ""), ...(styles[s.source] || {}) }));

  /* The paper's statements in words, the missing values, and the reasons for differences. */
  function remarks(figure) {
    const lines = (figure.says || []).map((s) => `${s.text}${s.where ? ` (${s.where})` : ""}`);
    for (const s of figure.series)
      if (Array.isArray(s.unbounded) && s.unbounded.length)
        lines.push(`${s.name}${words[s.source] ? ` (${words[s.source]})` : ""}: not carried at ${L.joined(s.unbounded.map(L.number))}; the delay grew as long as it was measured.`);
    if (figure.partial)
      lines.push("Partial: not everything of it has been measured.");
    if (figure.why)
      lines.push(figure.why);
    return lines.map((line) => L.el("p", { class: "why" }, line));
  }

  function table(id, figure) {
    const keys = [...new Set(figure.series.flatMap((s) => s.points.map((p) => String(p[0]))))];
    const rows = keys.map((key) => [key, ...figure.series.map((s) => {
      const found = s.points.find((p) => String(p[0]) === key);
      return found && (L.known(found[1]) ? L.number(found[1]) : found[1]);
    })]);
    const columns = [`${figure.x || ""}`, ...figure.series.map((s) => `${s.name}${words[s.source] ? ` (${words[s.source]})` : ""}`)];
    return L.el("figure", { "data-chart": id, "data-drawn": figure.series.length }, L.el("h3", null, title(figure)),
      L.el("p", null, figure.unit ? `In ${figure.unit}.` : ""), L.table(columns, rows, "wide"), ...remarks(figure));
  }

  function chart(id, figure) {
    const shown = series(figure, [...new Set(figure.series.map((s) => s.name))]);
    const log = figure.log ?? (L.ratio(figure.series.flatMap((s) => s.points.map((p) => p[1]))) > WIDE ? "y" : "");
    const drawn = L.chart(id, { title: title(figure), series: shown,
      x: { label: figure.x || "", log: log.includes("x"), format: (v) => L.number(v) },
      y: { label: figure.y || figure.unit || "", format: (v) => L.number(v),
        log: log.includes("y") && !shown.some((s) => s.points.some((p) => p[1] <= 0)), exact: (v) => `${L.number(v)}${figure.unit ? ` ${figure.unit}` : ""}` } });
    drawn.append(...remarks(figure));
    return drawn;
  }

  L.papersSection = function (documents) {
    const figures = documents.flatMap((d) => d.figures || []).filter((f) => Array.isArray(f.series) && f.series.length)
      .map((f) => ({ ...f, series: f.series.map((s) => ({ ...s, points: Array.isArray(s.points) ? s.points : [] })) }));
    if (!figures.length)
      return null;
    const section = L.section("papers", "Beside the papers", "Dashed lines are the paper's values, solid ones were measured here, dotted ones computed. One colour is one thing.");
    section.append(L.el("div", { class: "charts" }, ...figures.flatMap(panels).map((figure, i) => (isTable(figure) ? table : chart)(`paper-${i}`, figure))));
    return section;
  };
})(livetcp);
