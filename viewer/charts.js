// The cards of speed-up and granularity: their legends and words, and the pointer over them.
"use strict";

const filch_charts = (() => {
  const curves = filch_curves;
  const { draw_speed_up, draw_granularity, bound_colours } = filch_draw_curves;
  const { curve_layout } = filch_layout;
  const { at, make, entry, line_entry } = filch_tables;

  const k_styles = ["solid", "dashed", "dotted", "dashed"]; // of the bounds
  const cards = [];

  // Shows the card of a chart and follows the pointer in it.
  function add(id, chart, draw, tip_of, show_tip) {
    const card = { canvas: at(id), chart, draw, marked: null, colours: null };
    card.redraw = () => draw(card.canvas, chart, card.colours, card.marked);
    at(`${id}_card`).hidden = false;
    const mark = (event, x) => {
      card.marked = x;
      card.redraw();
      show_tip(event, x === null ? null : tip_of(chart, x));
    };
    card.canvas.addEventListener("pointermove", (event) => {
      const box = card.canvas.getBoundingClientRect(),
        layout = curve_layout(box.width);
      mark(event, curves.nearest_x(chart, (event.clientX - box.left - layout.left) / layout.width));
    });
    card.canvas.addEventListener("pointerleave", (event) => mark(event, null));
    cards.push(card);
  }

  function legend_of(chart, colours) {
    return chart.curves.map(({ name }, i) => entry(colours.classes[i % 10], name));
  }

  function start(data, show_tip) {
    if (data.speed_up !== null) {
      const chart = curves.speed_up(data.speed_up);
      add("speed_up", chart, draw_speed_up, curves.speed_up_tip, show_tip);
      at("speed_up_text").textContent = curves.speed_up_text(data.speed_up, chart);
      at("speed_up").setAttribute("aria-label",
        `speed-up over the number of workers, of ${chart.curves.length} curves.`);
    }
    const grains = curves.granularity(data.granularity);
    if (grains !== null) {
      add("granularity", grains, draw_granularity, curves.granularity_tip, show_tip);
      at("granularity_text").textContent = curves.granularity_text(grains);
      at("granularity").setAttribute("aria-label", "time of the run over the length of its tasks.");
    }
  }

  function redraw(colours) {
    for (const card of cards) {
      card.colours = colours;
      const id = card.canvas.id;
      const bounds =
        id !== "speed_up"
          ? []
          : curves.k_bound_names
              .map((name, i) => line_entry(bound_colours(colours)[i], k_styles[i], name))
              .filter((_, i) => card.chart.bounds[i].length > 0);
      at(`${id}_legend`).replaceChildren(
        ...legend_of(card.chart, colours),
        make("span", { className: "break" }),
        ...bounds,
      );
      card.redraw();
    }
  }

  return { start, redraw };
})();
