/* SPDX-License-Identifier: MIT */
/* A chart of lines: title, one sentence, a legend whose entries show the values under the pointer and
 * hide their lines, and the plot by uPlot.
 *
 * chart(id, {title, sentence, control, why, x, y, series, marks}); x and y: {label, log, format, exact, min, max}; a
 * series: {name, points, step, dash, dots, colour (what decides it, if not the name), label}; marks: vertical
 * lines, [{x, text}]; control: an element above the legend. */
(function (L) {
  const HEIGHT = 320;

  /* 1, 2, 5 times the powers of ten, or the powers alone when that would be many. */
  function logSplits(min, max, most) {
    const splits = (steps) => {
      const list = [];
      for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++)
        for (const step of steps)
          if (step * 10 ** e >= min * 0.999 && step * 10 ** e <= max * 1.001)
            list.push(Number((step * 10 ** e).toPrecision(3)));
      return list;
    };
    for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]])
      if (splits(steps).length <= most)
        return splits(steps);
    return splits([1]).filter((_, i) => i % 2 === 0);
  }

  function axis(spec, side, most) {
    const css = L.theme.css;
    return {
      side, stroke: css("--soft"), label: spec.label, labelSize: 26, labelGap: 4, gap: 5,
      labelFont: `12px ${getComputedStyle(document.body).fontFamily}`,
      font: `12px ${getComputedStyle(document.body).fontFamily}`,
      size: side === 3 ? (u, values) => 16 + Math.max(20, ...(values || []).map((v) => String(v).length * 7)) : 34,
      grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid"), size: 4, width: 1 },
      values: (u, splits) => splits.map((value) => (value === null ? "" : spec.format(value))),
      ...(spec.log ? { splits: (u, i, min, max) => logSplits(min, max, most()), filter: (u, s) => s } : { space: side === 3 ? 40 : 70 }),
    };
  }

  function extent(spec, series, which) {
    const values = series.flatMap((one) => one.points.map((p) => p[which])).filter((v) => L.known(v) && (!spec.log || v > 0));
    let min = Math.min(...values), max = Math.max(...values);
    if (!values.length)
      [min, max] = [spec.log ? 0.1 : 0, 1];
    if (spec.log) {
      [min, max] = which ? [min / 1.2, max * 1.2] : [min / 1.08, max * 1.08];
    } else if (which) {
      [min, max] = [Math.min(0, min), max * 1.08 || 1];
    } else {
      const margin = max - min > 1e-6 * Math.abs(max) ? (max - min) * 0.03 : Math.abs(max) * 0.1 || 0.5;
      [min, max] = [min - margin, max + margin];
    }
    return [spec.min ?? min, spec.max ?? max];
  }

  function options(spec, series, width, hover) {
    const scale = (axisSpec, which) => ({ time: false, distr: axisSpec.log ? 3 : 1, log: 10,
      range: extent(axisSpec, series, which) });
    return {
      width, height: width < 420 ? 280 : HEIGHT, legend: { show: false }, padding: [10, 14, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: scale(spec.x, 0), y: scale(spec.y, 1) },
      axes: [axis(spec.x, 2, () => Math.max(4, width / 75)), axis(spec.y, 3, () => 7)],
      series: [{}, ...series.map((one) => ({
        label: one.name, stroke: L.theme.colour(one.colour ?? one.name), width: one.thin ? 1.25 : 2, dash: one.dash,
        spanGaps: false, points: { show: !!one.dots, ...(one.dots ? { filter: ownPoints(one) } : {}), size: 7, fill: L.theme.css("--card"), width: 2 },
        paths: one.step ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
      }))],
      hooks: {
        setCursor: [hover],
        draw: [(u) => {
          const taken = drawMarks(u, spec.marks || []);
          if (series.length > 1)
            L.labels(u, series, taken);
        }],
      },
    };
  }

  /* Columns hold every x of the chart; dots are for those that a series has points at. */
  function ownPoints(one) {
    const own = new Set(one.points.map((p) => p[0]));
    return (u) => u.data[0].flatMap((x, i) => (own.has(x) ? [i] : []));
  }

  /* Returns where their texts are, in CSS pixels of the plot. */
  function drawMarks(u, marks) {
    const taken = [], context = u.ctx, ratio = u.ctx.canvas.width / u.width;
    context.save();
    context.strokeStyle = context.fillStyle = L.theme.css("--soft");
    context.lineWidth = ratio;
    context.setLineDash([3 * ratio, 3 * ratio]);
    context.font = `${12 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    for (const mark of marks) {
      const x = Math.round(u.valToPos(mark.x, "x", true));
      if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width))
        continue;
      context.beginPath();
      context.moveTo(x, u.bbox.top);
      context.lineTo(x, u.bbox.top + u.bbox.height);
      context.stroke();
      const right = x + context.measureText(mark.text).width + 8 * ratio < u.bbox.left + u.bbox.width;
      const width = context.measureText(mark.text).width / ratio;
      const left = (x - u.bbox.left) / ratio + (right ? 4 : -4 - width);
      context.textAlign = right ? "left" : "right";
      context.textBaseline = "alphabetic";
      taken.push({ x: left, y: u.bbox.height / ratio - 20, w: width, h: 16 });
      context.fillText(mark.text, x + (right ? 4 : -4) * ratio, u.bbox.top + u.bbox.height - 8 * ratio);
    }
    context.restore();
    return taken;
  }

  function swatch(one) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "line");
    for (const [key, value] of Object.entries({ width: 22, height: 8, "aria-hidden": "true" }))
      svg.setAttribute(key, value);
    for (const [key, value] of Object.entries({ x1: 0, y1: 4, x2: 22, y2: 4, "stroke-width": 3,
      stroke: L.theme.colour(one.colour ?? one.name), "stroke-dasharray": (one.dash || []).join(" ") || "none" }))
      line.setAttribute(key, value);
    svg.append(line);
    return svg;
  }

  L.chart = function (id, spec) {
    const series = spec.series.map((one) => ({ ...one, points: L.curves.clean(one.points)
      .filter((p) => (!spec.x.log || p[0] > 0)).map((p) => [p[0], spec.y.log && !(p[1] > 0) ? null : p[1]]) }))
      .filter((one) => one.points.some((p) => p[1] !== null));
    const lone = series.map((one) => one.points.filter((p) => p[1] !== null));
    if (series.length && lone.every((points) => points.length === 1) && new Set(lone.map(([p]) => p[0])).size === 1)
      return L.figure(id, spec.title, [spec.sentence, `At ${(spec.x.exact || spec.x.format)(lone[0][0][0])}:`].filter(Boolean).join(" "),
        series.map((one, i) => [(spec.y.exact || spec.y.format)(lone[i][0][1]), one.name]));
    const shown = series.map(() => true);
    const plot = L.el("div", { class: "plot", role: "img", "aria-label": `${spec.title}. ${spec.sentence || ""}` });
    const where = L.el("span", { class: "at" }), outputs = series.map(() => L.el("output"));
    let u = null;
    const entries = series.map((one, i) => L.el("button", { type: "button", "aria-pressed": "true",
      title: "Hide or show", onclick: () => {
        shown[i] = !shown[i];
        entries[i].setAttribute("aria-pressed", shown[i]);
        u.setSeries(i + 1, { show: shown[i] });
      } }, swatch(one), L.el("span", null, one.name), outputs[i]));
    const figure = L.el("figure", { "data-chart": id }, L.el("h3", null, spec.title),
      spec.sentence ? L.el("p", null, spec.sentence) : null, spec.control,
      L.el("div", { class: "legend" }, ...entries, where), plot, spec.why ? L.el("p", { class: "why" }, spec.why) : null);

    function hover(plotted) {
      const i = plotted.cursor.idx;
      where.textContent = i === null || i === undefined ? "" : `at ${(spec.x.exact || spec.x.format)(plotted.data[0][i])}`;
      outputs.forEach((output, k) => {
        const value = i === null || i === undefined ? null : plotted.data[k + 1][i];
        output.textContent = value === null || value === undefined ? "" : (spec.y.exact || spec.y.format)(value);
      });
    }
    /* Before printing, the page still has the screen's layout: paper gets what report.css gives it,
     * a column of two on A4 unless the chart is alone. */
    function widthNow() {
      if (L.theme.printing())
        return figure.matches(":only-child") ? 690 : 330;
      return Math.floor(plot.clientWidth);
    }
    function draw() {
      const width = widthNow();
      if (!width || !series.length)
        return;
      if (u)
        u.destroy();
      u = new uPlot(options(spec, series, width, hover), L.curves.columns(series, { logX: spec.x.log, logY: spec.y.log }), plot);
      shown.forEach((show, i) => show || u.setSeries(i + 1, { show }));
      figure.dataset.drawn = series.length;
      figure.plotted = u;
    }
    if (!series.length)
      plot.append(L.el("p", null, "There is nothing to draw in this."));
    new ResizeObserver(() => { if (!u || Math.abs(u.width - plot.clientWidth) > 1) draw(); }).observe(plot);
    L.theme.onChange(() => {
      draw();
      entries.forEach((entry, i) => entry.firstChild.replaceWith(swatch(series[i])));
    });
    return figure;
  };

  L.ratio = (values) => {
    const known = values.filter((v) => L.known(v) && v > 0);
    return known.length ? Math.max(...known) / Math.min(...known) : 1;
  };
})(livetcp);
