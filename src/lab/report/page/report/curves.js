/* SPDX-License-Identifier: MIT */
/* Points of curves: [x, y] pairs, x ascending. */
(function (L) {
  const between = (a, b, share, log) => (log && a > 0 && b > 0 ?
    Math.exp(Math.log(a) + (Math.log(b) - Math.log(a)) * share) : a + (b - a) * share);

  /* y at x: along the line, or what the last point said; null outside of the curve. */
  function at(points, x, how) {
    let low = 0, high = points.length - 1;
    if (high < 0 || x < points[0][0] || x > points[high][0])
      return null;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (points[middle][0] <= x) low = middle; else high = middle;
    }
    if (points[high][0] === x)
      return points[high][1];
    const [x0, y0] = points[low], [x1, y1] = points[high];
    if (how.step || y0 === null || y1 === null)
      return y0;
    const share = how.logX && x0 > 0 ? (Math.log(x) - Math.log(x0)) / (Math.log(x1) - Math.log(x0)) :
      (x - x0) / (x1 - x0);
    return between(y0, y1, share, how.logY);
  }

  L.curves = {
    at,
    clean: (points) => (Array.isArray(points) ? points : []).filter((p) => Array.isArray(p) &&
      L.known(p[0])).map((p) => [p[0], L.known(p[1]) ? p[1] : null]).sort((a, b) => a[0] - b[0])
      .filter((p, i, all) => i + 1 === all.length || all[i + 1][0] > p[0]),
    /* A distribution from everything down to `least`, which is as far as the chart goes. */
    tail(points, least) {
      const all = L.curves.clean(points), shown = all.filter((p) => p[1] >= least);
      const end = all.find((p) => p[1] !== null && p[1] < least);
      if (end)
        shown.push([end[0], least]);
      return shown.length && shown[0][1] < 1 ? [[shown[0][0] * (1 - 1e-9), 1], ...shown] : shown;
    },
    /* One column of x and one of y for each curve, as uPlot wants it. */
    columns(curves, how) {
      const all = [...new Set(curves.flatMap((c) => c.points.map((p) => p[0])))].sort((a, b) => a - b);
      return [all, ...curves.map((c) => all.map((x) => at(c.points, x, { ...how, step: c.step })))];
    },
    /* A distribution from its percentiles, where there are no packets. */
    ofPercentiles(d) {
      const known = [["p50_ms", 0.5], ["p90_ms", 0.1], ["p95_ms", 0.05], ["p99_ms", 0.01], ["p99_9_ms", 0.001]];
      const points = known.map(([key, share]) => [d[key], share]).filter(([ms]) => L.known(ms));
      if (L.known(d.min_ms))
        points.unshift([d.min_ms, 1]);
      if (L.known(d.max_ms) && d.sent > 1000 && !d.lost)
        points.push([d.max_ms, 1 / d.sent]);
      return points.filter((p, i) => !i || p[0] >= points[i - 1][0]);
    },
  };
})(livetcp);
