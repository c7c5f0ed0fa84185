// Draws the model on canvases. Each function draws one chart from scratch; none keeps state. Colours are the page's CSS
// variables, read once per change of theme by read_colours().
"use strict";

const filch_draw = (() => {
  const { state, columns, means, steals_between, segment_end, ticks, k_profile_parts, origin } = filch_model;
  const { moment, name_text, count } = filch_text;
  const { k_gutter, k_axis, k_profile_height, gantt_layout, queues_layout, matrix_layout } = filch_layout;

  const k_font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

  function read_colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    const out = {};
    for (const name of [
      "card",
      "ink",
      "quiet",
      "line",
      "row",
      "accent",
      "running",
      "blocked",
      "ready",
      "none",
      "unknown",
      "searching",
      "parked",
      "arrow",
      "heat",
    ])
      out[name] = of(name);
    out.classes = Array.from({ length: filch_model.k_classes + 1 }, (_, i) => of(`class_${i}`));
    out.states = [out.running, out.blocked, out.searching, out.parked, out.unknown];
    return out;
  }

  // Sets the canvas to `height` CSS pixels and its own width, and clears it.
  function prepare(canvas, height, width = canvas.clientWidth) {
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    width = Math.max(200, width);
    canvas.style.height = `${height}px`;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = k_font;
    pen.textBaseline = "middle";
    return { pen, width, height, ratio, plot: width - k_gutter - 1 };
  }

  function stripes(pen, colour, back) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const inner = tile.getContext("2d");
    inner.fillStyle = back;
    inner.fillRect(0, 0, 8, 8);
    inner.strokeStyle = colour;
    inner.lineWidth = 2;
    for (const shift of [-8, 0, 8]) {
      inner.beginPath();
      inner.moveTo(shift, 8);
      inner.lineTo(shift + 8, 0);
      inner.stroke();
    }
    return pen.createPattern(tile, "repeat");
  }

  function draw_axis(area, model, view, colours, y, grid_to) {
    const { pen, plot } = area;
    const { step, at } = ticks(view.begin - model.begin, view.end - model.begin, plot / 120);
    const largest = Math.max(step, view.end - model.begin);
    pen.textAlign = "center";
    for (const each of at) {
      const x = k_gutter + ((each + model.begin - view.begin) / (view.end - view.begin)) * plot;
      pen.fillStyle = colours.line;
      pen.fillRect(Math.round(x), Math.min(y, grid_to), 1, Math.abs(grid_to - y));
      pen.fillStyle = colours.quiet;
      const half = pen.measureText(moment(each, step, largest)).width / 2;
      pen.fillText(
        moment(each, step, largest),
        Math.min(Math.max(x, k_gutter + half), k_gutter + plot - half),
        y < grid_to ? y + k_axis / 2 : y - k_axis / 2,
      );
    }
  }

  function draw_row_names(area, rows, top, row, name_of, colours) {
    const { pen } = area;
    const every = Math.max(1, Math.ceil(12 / row));
    pen.textAlign = "right";
    pen.fillStyle = colours.quiet;
    for (let i = 0; i < rows; i += every) pen.fillText(name_of(i), k_gutter - 8, Math.max(6, top + (i + 0.5) * row));
  }

  // ---- workers ----

  const k_origin_classes = { [origin.own]: 0, [origin.stolen]: 1, [origin.batch]: 1, [origin.injected]: 2 };

  function colour_of_task(model, look, colours, task) {
    if (look.colour_by === "origin") return colours.classes[k_origin_classes[model.tasks.origin[task]] ?? 10];
    const number = model.class_of[task];
    return model.classes[number].colour || colours.classes[number];
  }

  // One pixel column after the other; neighbours that look alike become one rectangle.
  function draw_worker(area, model, w, view, look, colours, patterns, y, height) {
    const { pen, plot, ratio } = area;
    const cells = Math.round(plot * ratio),
      width = plot / cells;
    const { part, task, wide } = columns(model, w, view.begin, view.end, cells, 4 * ratio);
    const colour_in = (s, x) => (s === state.running ? colour_of_task(model, look, colours, task[x]) : patterns[s]);
    const whole_state = (x) => {
      for (let s = 0; s < 5; ++s) if (part[s * cells + x] > 0.98) return s;
      return -1;
    };
    for (let x = 0; x < cells;) {
      const only = whole_state(x);
      let to = x + 1;
      if (only >= 0) {
        const colour = colour_in(only, x);
        while (to < cells && whole_state(to) === only && colour_in(only, to) === colour) ++to;
        pen.fillStyle = colour;
        pen.fillRect(k_gutter + x * width, y, (to - x) * width, height);
      } else {
        let bottom = y + height;
        for (let s = 0; s < 5; ++s) {
          const share = part[s * cells + x] * height;
          if (share <= 0) continue;
          pen.fillStyle = colour_in(s, x);
          pen.fillRect(k_gutter + x * width, bottom - share, width, share);
          bottom -= share;
        }
      }
      x = to;
    }
    if (height >= 10) draw_labels(area, model, w, view, wide, colours, y, height);
  }

  function draw_labels(area, model, w, view, wide, colours, y, height) {
    const { pen, plot } = area,
      scale = plot / (view.end - view.begin),
      list = model.segments[w];
    pen.textAlign = "left";
    for (const i of wide) {
      if (list.state[i] !== state.running) continue;
      const x = k_gutter + Math.max(0, (list.start[i] - view.begin) * scale);
      const right = k_gutter + Math.min(plot, (segment_end(model, w, i) - view.begin) * scale);
      pen.fillStyle = colours.card;
      pen.fillRect(right - 1, y, 1, height);
      const text = name_text(model, list.task[i]),
        room = right - x - 9;
      if (room < 14 || (room < 60 && pen.measureText(text).width > room)) continue;
      pen.save();
      pen.beginPath();
      pen.rect(x, y, right - x - 4, height);
      pen.clip();
      pen.fillStyle = "#10131a";
      pen.fillText(text, x + 5, y + height / 2 + 0.5);
      pen.restore();
    }
  }

  function draw_arrow(pen, x, from, to, size) {
    const down = Math.sign(to - from) || 1;
    pen.beginPath();
    pen.arc(x, from, 2, 0, 2 * Math.PI);
    pen.fill();
    pen.beginPath();
    pen.moveTo(x, from);
    pen.lineTo(x, to - down * size);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x, to);
    pen.lineTo(x - size * 0.6, to - down * size);
    pen.lineTo(x + size * 0.6, to - down * size);
    pen.fill();
  }

  // Returns how many steals are visible and how many arrows stand for them.
  function draw_steals(area, model, view, colours, layout) {
    const { pen, plot } = area;
    const { chosen, all } = steals_between(model, view.begin, view.end, plot / 4);
    const middle = (w) => layout.top + (w + 0.5) * layout.row;
    const size = Math.min(6, layout.row * 0.5);
    pen.save();
    pen.globalAlpha = Math.max(0.06, Math.min(0.85, 50 / chosen.length));
    pen.strokeStyle = pen.fillStyle = colours.arrow;
    pen.lineWidth = chosen.length > 150 ? 0.8 : 1.2;
    for (const i of chosen) {
      const x = k_gutter + ((model.steals.time[i] - view.begin) / (view.end - view.begin)) * plot;
      draw_arrow(pen, x, middle(model.steals.victim[i]), middle(model.steals.thief[i]), size);
    }
    pen.restore();
    return { all, drawn: chosen.length };
  }

  function draw_gantt(canvas, model, view, look, colours) {
    const layout = gantt_layout(model);
    const area = prepare(canvas, layout.height);
    const patterns = [...colours.states];
    patterns[state.blocked] = stripes(area.pen, colours.blocked, colours.row);
    patterns[state.unknown] = stripes(area.pen, colours.ready, colours.row);
    draw_axis(area, model, view, colours, 0, layout.height);
    const gap = layout.row >= 8 ? 2 : 0;
    for (let w = 0; w < model.workers; ++w) {
      draw_worker(
        area,
        model,
        w,
        view,
        look,
        colours,
        patterns,
        layout.top + w * layout.row + gap / 2,
        layout.row - gap,
      );
    }
    draw_row_names(area, model.workers, layout.top, layout.row, (w) => `worker ${w}`, colours);
    const shown = look.steals ? draw_steals(area, model, view, colours, layout) : { all: 0, drawn: 0 };
    draw_pointer(area, view, look, colours, layout.height);
    return shown;
  }

  // A line through all charts at the moment below the pointer.
  function draw_pointer(area, view, look, colours, height) {
    if (look.at === null || look.at < view.begin || look.at > view.end) return;
    const x = k_gutter + ((look.at - view.begin) / (view.end - view.begin)) * area.plot;
    area.pen.fillStyle = colours.accent;
    area.pen.fillRect(Math.round(x), 0, 1, height);
  }

  // ---- parallelism ----

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
      const values = means(model.profile[part], view.begin, view.end, cells);
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
    draw_axis(area, model, view, colours, k_profile_height, bottom);
    draw_pointer(area, view, look, colours, bottom);
  }

  // ---- queues ----

  function longest_queue(model) {
    return model.queues.reduce((most, each) => each.value.reduce((a, b) => Math.max(a, b), most), 0);
  }

  function heat(length, longest) {
    return length <= 0 ? 0 : 0.15 + 0.85 * (Math.log1p(length) / Math.log1p(longest));
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
      const values = means(model.queues[i], view.begin, view.end, cells);
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

  function draw_matrix(canvas, model, colours) {
    const layout = matrix_layout(model, canvas.parentElement.clientWidth - 40);
    const { cell, left, top } = layout;
    const { pen } = prepare(canvas, top + layout.size + 2, left + layout.size + 2);
    canvas.style.width = `${Math.max(200, left + layout.size + 2)}px`;
    let most = 1;
    for (const pair of model.pairs.values()) most = Math.max(most, pair.taken);
    pen.fillStyle = colours.row;
    pen.fillRect(left, top, layout.size, layout.size);
    for (const { thief, victim, taken } of model.pairs.values()) {
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
    pen.fillStyle = colours.quiet;
    const every = Math.max(1, Math.ceil(18 / cell));
    for (let i = 0; i < model.workers; i += every) {
      pen.textAlign = "right";
      pen.fillText(String(i), left - 8, top + (i + 0.5) * cell);
      pen.textAlign = "center";
      pen.fillText(String(i), left + (i + 0.5) * cell, top - 12);
    }
  }

  return { read_colours, longest_queue, heat, draw_gantt, draw_profile, draw_queues, draw_matrix };
})();
