// Draws parallelism, queues and the matrix of thieves and victims. Each function draws one chart from scratch; none
// keeps state.
"use strict";

const filch_draw = (() => {
  const { means, ticks, k_profile_parts } = filch_model;
  const { count } = filch_text;
  const { k_gutter, k_axis, k_profile_height, queues_layout, matrix_layout } = filch_layout;
  const { prepare, stripes, draw_axis, draw_row_names, draw_pointer, heat } = filch_canvas;

  // ---- parallelism ----

  // How many tasks wait to be run, as a line on a scale of its own.
  function draw_waiting(area, model, view, colours, top, bottom, cells) {
    const { pen, plot } = area;
    const values = means(model.profile.waiting, view.begin, view.end, cells, model.end);
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    if (most <= 0) return;
    const y_of = (value) => bottom - (value / most) * (bottom - top - 4);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.2;
    pen.beginPath();
    for (let x = 0; x < cells; ++x) pen.lineTo(k_gutter + ((x + 0.5) / cells) * plot, y_of(values[x]));
    pen.stroke();
    const text = `most waiting: ${count(most)}`,
      width = pen.measureText(text).width + 8;
    pen.fillStyle = colours.card;
    pen.globalAlpha = 0.8;
    pen.fillRect(k_gutter + plot - width - 4, top + 2, width, 16);
    pen.globalAlpha = 1;
    pen.textAlign = "right";
    pen.fillStyle = colours.ink;
    pen.fillText(text, k_gutter + plot - 8, top + 10);
  }

  function draw_profile(canvas, model, view, look, colours) {
    const area = prepare(canvas, k_profile_height);
    const { pen, plot, ratio } = area;
    const bottom = k_profile_height - k_axis,
      top = 6,
      scale = (bottom - top) / Math.max(1, model.workers);
    const cells = Math.round(plot * ratio),
      width = plot / cells;
    const paint = {
      running: colours.running,
      blocked: colours.blocked,
      ready: colours.ready,
      none: colours.none,
      unknown: stripes(pen, colours.ready, colours.row),
    };
    const base = new Float64Array(cells).fill(bottom);
    for (const part of k_profile_parts) {
      if (model.share[part] === 0) continue;
      const values = means(model.profile[part], view.begin, view.end, cells, model.end);
      pen.fillStyle = paint[part];
      pen.beginPath();
      for (let x = 0; x < cells; ++x) {
        const height = values[x] * scale;
        if (height > 0.01) pen.rect(k_gutter + x * width, base[x] - height, width + 0.3, height);
        base[x] -= height;
      }
      pen.fill();
    }
    pen.textAlign = "right";
    const inner = ticks(0, model.workers, Math.min(model.workers, 4));
    for (const each of [...inner.at.filter((at) => at <= model.workers - inner.step * 0.6), model.workers]) {
      if (each !== Math.round(each)) continue;
      pen.fillStyle = colours.quiet;
      pen.fillText(count(each), k_gutter - 8, Math.max(top + 2, bottom - each * scale));
      pen.fillStyle = colours.card;
      pen.globalAlpha = 0.35;
      pen.fillRect(k_gutter, Math.round(bottom - each * scale), plot, 1);
      pen.globalAlpha = 1;
    }
    draw_waiting(area, model, view, colours, top, bottom, cells);
    draw_axis(area, model, view, colours, k_profile_height, bottom);
    draw_pointer(area, view, look, colours, bottom);
  }

  // ---- queues ----

  function longest_queue(model) {
    return model.queues.reduce((most, each) => each.value.reduce((a, b) => Math.max(a, b), most), 0);
  }

  function draw_queues(canvas, model, view, look, colours) {
    const layout = queues_layout(model);
    const area = prepare(canvas, layout.height);
    const { pen, plot } = area,
      cells = Math.round(plot),
      longest = Math.max(1, model.longest_queue);
    const gap = layout.row >= 8 ? 1 : 0;
    for (let i = 0; i < layout.rows; ++i) {
      const y = layout.top + i * layout.row;
      pen.fillStyle = colours.row;
      pen.fillRect(k_gutter, y, plot, layout.row - gap);
      const values = means(model.queues[i], view.begin, view.end, cells, model.end);
      const level = (x) => Math.round(heat(values[x], longest) * 64) / 64;
      for (let x = 0; x < cells;) {
        let to = x + 1;
        while (to < cells && level(to) === level(x)) ++to;
        if (level(x) > 0) {
          pen.fillStyle = `rgb(${colours.heat} / ${level(x)})`;
          pen.fillRect(k_gutter + x, y, to - x, layout.row - gap);
        }
        x = to;
      }
    }
    draw_row_names(
      area,
      layout.rows,
      layout.top,
      layout.row,
      (i) => (i < model.workers ? `worker ${i}` : "submitted"),
      colours,
    );
    draw_axis(area, model, view, colours, layout.height, layout.height - k_axis + 1);
    draw_pointer(area, view, look, colours, layout.height - k_axis);
  }

  // ---- thieves and victims ----

  // Lines between the NUMA nodes, and their numbers.
  function draw_nodes(pen, model, { cell, left, top, size }, colours) {
    if (!model.nodes) return;
    pen.fillStyle = colours.ink;
    model.order.forEach((w, i) => {
      if (i === 0 || model.nodes[w] === model.nodes[model.order[i - 1]]) return;
      pen.fillRect(left - 20, top + i * cell - 0.75, size + 20, 1.5);
      pen.fillRect(left + i * cell - 0.75, top - 6, 1.5, size + 6);
    });
  }

  function draw_matrix(canvas, model, colours) {
    const layout = matrix_layout(model, canvas.parentElement.clientWidth - 40);
    const { cell, left, top } = layout;
    const { pen } = prepare(canvas, top + layout.size + 2, left + layout.size + 2);
    canvas.style.width = `${Math.max(200, left + layout.size + 2)}px`;
    let most = 1;
    for (const pair of model.pairs.values()) most = Math.max(most, pair.taken);
    pen.fillStyle = colours.row;
    pen.fillRect(left, top, layout.size, layout.size);
    const place = layout.place;
    for (const { thief: by, victim: from, taken } of model.pairs.values()) {
      const thief = place[by],
        victim = place[from];
      if (taken === 0) continue;
      const strength = heat(taken, most);
      pen.fillStyle = `rgb(${colours.heat} / ${strength})`;
      pen.fillRect(left + victim * cell, top + thief * cell, cell, cell);
      if (cell < 22) continue;
      pen.textAlign = "center";
      pen.fillStyle = strength > 0.6 ? colours.card : colours.ink;
      pen.fillText(
        taken < 10000 ? String(taken) : `${Math.round(taken / 1000)}k`,
        left + (victim + 0.5) * cell,
        top + (thief + 0.5) * cell,
      );
    }
    pen.fillStyle = colours.card;
    for (let i = 0; i <= model.workers && cell >= 6; ++i) {
      pen.fillRect(left + i * cell - 0.5, top, 1, layout.size);
      pen.fillRect(left, top + i * cell - 0.5, layout.size, 1);
    }
    pen.fillStyle = colours.none;
    for (let i = 0; i < model.workers; ++i)
      pen.fillRect(left + i * cell + cell * 0.4, top + i * cell + cell * 0.47, cell * 0.2, Math.max(1, cell * 0.06));
    draw_nodes(pen, model, layout, colours);
    pen.fillStyle = colours.quiet;
    const every = Math.max(1, Math.ceil(18 / cell));
    for (let i = 0; i < model.workers; i += every) {
      pen.textAlign = "right";
      pen.fillText(String(model.order[i]), left - 8, top + (i + 0.5) * cell);
      pen.textAlign = "center";
      pen.fillText(String(model.order[i]), left + (i + 0.5) * cell, top - 12);
    }
  }

  return { longest_queue, draw_profile, draw_queues, draw_matrix };
})();
