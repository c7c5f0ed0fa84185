// Where things are on the charts, in CSS pixels: one answer for the drawing and for the pointer.
"use strict";

const filch_layout = (() => {
  const k_gutter = 74; // left of every chart over time: names of rows
  const k_axis = 20;
  const k_profile_height = 150;

  // A row is as high as `room` for all allows, but no higher than `most` and, unless there are very many, no lower than
  // `least`.
  function row_height(rows, room, least, most) {
    return Math.max(Math.min(most, room / rows), Math.min(least, 12000 / rows));
  }

  function gantt_layout(model) {
    const row = row_height(model.workers, 420, 5, 30);
    return { row, top: k_axis, height: k_axis + row * model.workers + 1 };
  }

  function queues_layout(model) {
    const rows = model.workers + (model.has_injector ? 1 : 0);
    const row = row_height(rows, 160, 4, 18);
    return { row, rows, top: 0, height: row * rows + k_axis };
  }

  function matrix_layout(model, room) {
    const fitting = (Math.min(room, 520) - 44) / model.workers;
    const cell = Math.max(Math.min(60, fitting), Math.min(1, 2000 / model.workers));
    const place = new Array(model.workers);
    model.order.forEach((w, i) => (place[w] = i));
    return { cell, left: 44, top: 24, size: cell * model.workers, place };
  }

  // A chart of curves: where its plot is.
  const k_curve_height = 300;
  function curve_layout(width) {
    return { left: 62, top: 12, width: width - 62 - 16, height: k_curve_height - 12 - 44, whole: k_curve_height };
  }

  return { k_gutter, k_axis, k_profile_height, gantt_layout, queues_layout, matrix_layout, curve_layout };
})();

if (typeof module === "object") module.exports = filch_layout;
