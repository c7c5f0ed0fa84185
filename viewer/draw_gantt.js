// Draws what each worker does over time, with the steals as arrows and the critical path.
"use strict";

const filch_draw_gantt = (() => {
  const { state, columns, steals_between, path_between, segment_end, origin } = filch_model;
  const { name_text } = filch_text;
  const { k_gutter, gantt_layout } = filch_layout;
  const { prepare, stripes, draw_axis, draw_row_names, draw_pointer } = filch_canvas;

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

  // A thick line below the row of each stretch of the critical path, and thin ones from each to the next.
  function draw_path(area, model, view, colours, layout) {
    const { pen, plot } = area;
    const pieces = path_between(model, view.begin, view.end, plot);
    const x_of = (at) => k_gutter + ((at - view.begin) / (view.end - view.begin)) * plot;
    const thick = Math.max(1.5, Math.min(4, layout.row * 0.22));
    const y_of = (w) => layout.top + (w + 1) * layout.row - thick / 2 - (layout.row >= 8 ? 1 : 0);
    pen.save();
    pen.beginPath();
    pen.rect(k_gutter, 0, plot, layout.height);
    pen.clip();
    pen.strokeStyle = colours.path;
    pen.lineWidth = 1;
    pen.beginPath();
    pieces.forEach((piece, i) => {
      if (i === 0) return;
      pen.moveTo(x_of(pieces[i - 1].end), y_of(pieces[i - 1].worker));
      pen.lineTo(x_of(piece.begin), y_of(piece.worker));
    });
    pen.stroke();
    pen.lineWidth = thick;
    pen.beginPath();
    for (const piece of pieces) {
      pen.moveTo(x_of(piece.begin), y_of(piece.worker));
      pen.lineTo(Math.max(x_of(piece.end), x_of(piece.begin) + 1), y_of(piece.worker));
    }
    pen.stroke();
    pen.restore();
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
    if (look.path) draw_path(area, model, view, colours, layout);
    draw_pointer(area, view, look, colours, layout.height);
    return shown;
  }

  return { draw_gantt };
})();
