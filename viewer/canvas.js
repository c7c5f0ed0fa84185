// What all charts share: colours, the canvas, axes, names of rows, the line below the pointer. Colours are the page's
// CSS variables, read once per change of theme by read_colours().
"use strict";

const filch_canvas = (() => {
  const { ticks, k_classes } = filch_model;
  const { moment } = filch_text;
  const { k_gutter, k_axis } = filch_layout;

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
      "path",
    ])
      out[name] = of(name);
    out.classes = Array.from({ length: k_classes + 1 }, (_, i) => of(`class_${i}`));
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

  // A line through all charts at the moment below the pointer.
  function draw_pointer(area, view, look, colours, height) {
    if (look.at === null || look.at < view.begin || look.at > view.end) return;
    const x = k_gutter + ((look.at - view.begin) / (view.end - view.begin)) * area.plot;
    area.pen.fillStyle = colours.accent;
    area.pen.fillRect(Math.round(x), 0, 1, height);
  }

  // Means of nothing may differ from 0 in their last digits.
  function heat(length, longest) {
    return length <= 1e-6 ? 0 : 0.15 + 0.85 * (Math.log1p(length) / Math.log1p(longest));
  }

  return { read_colours, prepare, stripes, draw_axis, draw_row_names, draw_pointer, heat };
})();
