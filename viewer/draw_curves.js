// Draws the curves of speed-up and granularity.
"use strict";

const filch_draw_curves = (() => {
  const { scale_ticks, times } = filch_curves;
  const { duration, count } = filch_text;
  const { curve_layout } = filch_layout;
  const { prepare } = filch_canvas;

  const k_dashes = [[], [6, 4], [2, 3], [9, 3, 2, 3]]; // of the bounds

  // The frame, the axes and the functions from values to pixels.
  function begin_chart(canvas, chart, colours, { x_text, y_text, x_title, base, is_whole }) {
    const width = Math.max(300, canvas.parentElement.clientWidth - 2);
    const layout = curve_layout(width);
    const { pen } = prepare(canvas, layout.whole, width);
    const bottom = layout.top + layout.height;
    const x_of = (value) => layout.left + chart.x.share(value) * layout.width;
    const y_of = (value) => bottom - chart.y.share(Math.max(value, chart.y.least)) * layout.height;
    const x_ticks = scale_ticks(chart.x, layout.width / 70, base)
      .filter((each) => !is_whole || each === Math.round(each));
    const mark = (x, y, w, h) => ((pen.fillStyle = colours.line), pen.fillRect(Math.round(x), Math.round(y), w, h));
    for (const each of x_ticks) {
      mark(x_of(each), layout.top, 1, layout.height);
      pen.textAlign = "center";
      pen.fillStyle = colours.quiet;
      pen.fillText(x_text(each), x_of(each), bottom + 13);
    }
    for (const each of scale_ticks(chart.y, layout.height / 40)) {
      mark(layout.left, y_of(each), layout.width, 1);
      pen.textAlign = "right";
      pen.fillStyle = colours.quiet;
      pen.fillText(y_text(each), layout.left - 8, y_of(each));
    }
    pen.textAlign = "center";
    pen.fillText(x_title, layout.left + layout.width / 2, bottom + 32);
    pen.save();
    pen.beginPath();
    pen.rect(layout.left - 4, layout.top - 4, layout.width + 8, layout.height + 8);
    pen.clip();
    return { pen, layout, x_of, y_of, bottom };
  }

  function draw_line(area, points, colour, dash, thick) {
    const { pen, x_of, y_of } = area;
    pen.strokeStyle = colour;
    pen.lineWidth = thick;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x_of(x), y_of(y));
    pen.stroke();
    pen.setLineDash([]);
  }

  // The range over seeds or repetitions, the line through the middle, and a dot for each point.
  function draw_curve(area, points, colour) {
    const { pen, x_of, y_of } = area;
    const banded = points.filter(({ low, high }) => !Number.isNaN(low) && !Number.isNaN(high));
    if (banded.length > 0) {
      pen.fillStyle = pen.strokeStyle = colour;
      pen.globalAlpha = 0.2;
      pen.beginPath();
      for (const { x, high } of banded) pen.lineTo(x_of(x), y_of(high));
      for (const { x, low } of [...banded].reverse()) pen.lineTo(x_of(x), y_of(low));
      pen.fill();
      pen.globalAlpha = 0.6;
      pen.lineWidth = 1;
      for (const { x, low, high } of banded) {
        pen.beginPath();
        pen.moveTo(x_of(x), y_of(low));
        pen.lineTo(x_of(x), y_of(high));
        pen.stroke();
      }
      pen.globalAlpha = 1;
    }
    draw_line(
      area,
      points.map(({ x, value }) => [x, value]),
      colour,
      [],
      2,
    );
    pen.fillStyle = colour;
    for (const { x, value } of points) {
      pen.beginPath();
      pen.arc(x_of(x), y_of(value), 3.5, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  function draw_marker({ pen, layout, x_of }, x, colours) {
    if (x === null) return;
    pen.fillStyle = colours.accent;
    pen.fillRect(Math.round(x_of(x)), layout.top, 1, layout.height);
  }

  function bound_colours(colours) {
    return [colours.quiet, colours.quiet, colours.ready, colours.path];
  }

  function draw_speed_up(canvas, chart, colours, marked) {
    const area = begin_chart(canvas, chart, colours, {
      x_text: count,
      y_text: (each) => (each < 10 ? String(Number(each.toPrecision(2))) : count(each)),
      x_title: chart.x.is_log ? "workers (logarithmic); speed-up against one worker’s work" : "workers; speed-up",
      base: chart.x.is_log ? 2 : 10,
      is_whole: true,
    });
    const { pen, x_of, y_of, layout } = area;
    pen.fillStyle = colours.row; // what is out of reach
    pen.beginPath();
    for (const [workers, value] of chart.best) pen.lineTo(x_of(workers), y_of(value));
    pen.lineTo(layout.left + layout.width, layout.top - 4);
    pen.lineTo(x_of(chart.best.length > 0 ? chart.best[0][0] : chart.x.least), layout.top - 4);
    pen.fill();
    chart.bounds.forEach((line, i) => draw_line(area, line, bound_colours(colours)[i], k_dashes[i], 1.4));
    chart.curves.forEach(({ points }, i) => draw_curve(area, points, colours.classes[i % 10]));
    draw_marker(area, marked, colours);
    pen.restore();
  }

  function draw_granularity(canvas, chart, colours, marked) {
    const area = begin_chart(canvas, chart, colours, {
      x_text: duration,
      y_text: duration,
      x_title: "length of a task (logarithmic); time of the run" + (chart.y.is_log ? " (logarithmic)" : ""),
      base: 10,
      is_whole: false,
    });
    const { pen, x_of, y_of } = area;
    chart.curves.forEach(({ points, best }, i) => {
      draw_curve(area, points, colours.classes[i % 10]);
      if (best === null) return;
      pen.strokeStyle = colours.ink;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.arc(x_of(best.x), y_of(best.value), 7, 0, 2 * Math.PI);
      pen.stroke();
    });
    draw_marker(area, marked, colours);
    pen.restore();
  }

  return { draw_speed_up, draw_granularity, bound_colours, k_dashes, times };
})();
