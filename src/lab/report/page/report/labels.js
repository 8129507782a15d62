/* SPDX-License-Identifier: MIT */
/* A curve's name beside it, where it hides least: every place along the curve is judged by how much
 * of other curves and names it would cover. */
(function (L) {
  const HEIGHT = 16, GAP = 5;

  const overlaps = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

  /* Places of a curve on the canvas, in CSS pixels, and in between. */
  function path(u, index) {
    const xs = u.data[0], ys = u.data[index], points = [];
    for (let i = 0; i < xs.length; i++)
      if (ys[i] !== null && ys[i] !== undefined)
        points.push([u.valToPos(xs[i], "x"), u.valToPos(ys[i], "y")]);
    const dense = [];
    points.forEach((p, i) => {
      const q = points[i + 1];
      const steps = q ? Math.min(40, Math.ceil(Math.hypot(q[0] - p[0], q[1] - p[1]) / 6)) : 1;
      for (let s = 0; s < steps; s++)
        dense.push(q ? [p[0] + (q[0] - p[0]) * s / steps, p[1] + (q[1] - p[1]) * s / steps] : p);
    });
    return dense;
  }

  function best(own, ownPath, width, room, placed, paths) {
    let choice = null, least = Infinity;
    for (let i = 0; i < ownPath.length; i += Math.max(1, Math.floor(ownPath.length / 80)))
      for (const [dx, dy] of [[GAP, -HEIGHT - 2], [GAP, 2], [-width - GAP, -HEIGHT - 2], [-width - GAP, 3],
        [-width / 2, -HEIGHT - GAP], [GAP, -HEIGHT / 2]]) {
        const box = { x: ownPath[i][0] + dx, y: ownPath[i][1] + dy, w: width, h: HEIGHT };
        if (box.x < 2 || box.y < 0 || box.x + box.w > room.w - 2 || box.y + box.h > room.h - 1 ||
            placed.some((other) => overlaps(box, other)))
          continue;
        let cost = 0;
        paths.forEach((points, k) => {
          for (const [x, y] of points)
            if (x > box.x - 2 && x < box.x + box.w + 2 && y > box.y - 1 && y < box.y + box.h + 1)
              cost += k === own ? 2 : 3;
        });
        /* A name should be nearer to its own curve than to any other. */
        const cx = box.x + box.w / 2, cy = box.y + box.h / 2;
        paths.forEach((points, k) => {
          if (k !== own && points.some(([x, y]) => Math.hypot(x - cx, y - cy) < box.w / 2 + 6))
            cost += 2;
        });
        if (cost < least)
          [least, choice] = [cost, box];
      }
    return least < 30 ? choice : null;
  }

  L.labels = function (u, series, taken) {
    const ratio = u.ctx.canvas.width / u.width, context = u.ctx, placed = [...taken];
    const room = { w: u.bbox.width / ratio, h: u.bbox.height / ratio };
    const paths = series.map((one, i) => (u.series[i + 1].show ? path(u, i + 1) : []));
    context.save();
    context.translate(u.bbox.left, u.bbox.top);
    context.scale(ratio, ratio);
    context.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    series.forEach((one, i) => {
      const text = one.label || one.name;
      const box = paths[i].length && best(i, paths[i], context.measureText(text).width + 2, room, placed, paths);
      if (!box)
        return;
      placed.push(box);
      context.lineWidth = 4;
      context.strokeStyle = L.theme.css("--card");
      context.strokeText(text, box.x, box.y + HEIGHT / 2);
      context.fillStyle = L.theme.colour(one.colour ?? one.name);
      context.fillText(text, box.x, box.y + HEIGHT / 2);
    });
    context.restore();
  };
})(livetcp);
