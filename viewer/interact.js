// Makes the page: reads the recording it holds, draws, and follows pointer, wheel and keyboard. All charts over time
// show the same stretch, `view`; `look` is what the reader has chosen.
"use strict";

const filch_page = (() => {
  const { build, clamp_view, segment_at, segment_end } = filch_model;
  const { moment, duration, count, worker_tip, profile_tip, queue_tip, pair_tip } = filch_text;
  const { at, make, fill_all, fill_names, fill_legends } = filch_tables;
  const draw = filch_draw;
  const layout = filch_layout;

  const charts = ["gantt", "profile", "queues"];
  const look = { colour_by: "name", steals: true, at: null };
  let model = null,
    view = null,
    colours = null,
    is_drawing = false;

  // ---- drawing ----

  function redraw_now() {
    is_drawing = false;
    const shown = draw.draw_gantt(at("gantt"), model, view, look, colours);
    draw.draw_profile(at("profile"), model, view, look, colours);
    draw.draw_queues(at("queues"), model, view, look, colours);
    const step = (view.end - view.begin) / 1000,
      largest = view.end - model.begin;
    at("range").textContent = `${moment(view.begin - model.begin, step, largest)} – ${moment(largest, step, largest)}`;
    at("steals_note").textContent =
      shown.drawn < shown.all
        ? `${count(shown.drawn)} arrows stand for ${count(shown.all)} steals; those of one pair at one place share one.`
        : "";
  }

  function redraw() {
    if (is_drawing) return;
    is_drawing = true;
    requestAnimationFrame(redraw_now);
  }

  function redraw_all() {
    colours = draw.read_colours();
    fill_legends(model, look.colour_by, colours);
    fill_names(model, colours);
    draw.draw_matrix(at("matrix"), model, colours);
    redraw_now();
  }

  // ---- the view ----

  function show(begin, end) {
    view = clamp_view(model, begin, end);
    redraw();
  }

  // Zooms by `factor` (below 1: closer) so that the moment `centre` stays where it is.
  function zoom(factor, centre = (view.begin + view.end) / 2) {
    show(centre - (centre - view.begin) * factor, centre + (view.end - centre) * factor);
  }

  function pan(share) {
    const by = (view.end - view.begin) * share;
    show(view.begin + by, view.end + by);
  }

  // The moment below the pointer, and the width of a pixel.
  function moment_at(event, canvas) {
    const box = canvas.getBoundingClientRect();
    const plot = box.width - layout.k_gutter - 1;
    const slack = (view.end - view.begin) / plot;
    const x = event.clientX - box.left - layout.k_gutter;
    return { time: view.begin + x * slack, slack, y: event.clientY - box.top };
  }

  // ---- tooltips ----

  function show_tip(event, said) {
    const tip = at("tip");
    tip.hidden = !said;
    if (!said) return;
    const [title, lines] = said;
    tip.replaceChildren(
      make("b", {}, title),
      make("dl", {}, ...lines.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)])),
    );
    const box = tip.getBoundingClientRect();
    const x = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width : event.clientX + 16;
    const y = Math.min(event.clientY + 16, innerHeight - box.height - 8);
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
  }

  function row_at(chart, y, rows) {
    const row = Math.floor((y - chart.top) / chart.row);
    return row >= 0 && row < rows ? row : -1;
  }

  function tip_for(id, where) {
    if (where.time < view.begin || where.time > view.end) return null;
    if (id === "profile") return profile_tip(model, where.time);
    if (id === "gantt") {
      const w = row_at(layout.gantt_layout(model), where.y, model.workers);
      return w < 0 ? null : worker_tip(model, w, where.time, where.slack);
    }
    const rows = layout.queues_layout(model),
      row = row_at(rows, where.y, rows.rows);
    return row < 0 ? null : queue_tip(model, row, where.time);
  }

  function follow_matrix(event) {
    const canvas = at("matrix"),
      box = canvas.getBoundingClientRect();
    const cells = layout.matrix_layout(model, canvas.parentElement.clientWidth - 40);
    const victim = Math.floor((event.clientX - box.left - cells.left) / cells.cell);
    const thief = Math.floor((event.clientY - box.top - cells.top) / cells.cell);
    const is_inside = (w) => w >= 0 && w < model.workers;
    show_tip(event, is_inside(victim) && is_inside(thief) ? pair_tip(model, thief, victim) : null);
  }

  // ---- pointer, wheel, keys ----

  function follow_pointer(canvas) {
    let dragged_from = null;
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const across = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
        if (Math.abs(across) > Math.abs(event.shiftKey ? 0 : event.deltaY)) pan(across / 1000);
        else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400))), moment_at(event, canvas).time);
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      dragged_from = { x: event.clientX, ...view, slack: moment_at(event, canvas).slack };
      canvas.classList.add("moving");
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (dragged_from) {
        const by = (dragged_from.x - event.clientX) * dragged_from.slack;
        show(dragged_from.begin + by, dragged_from.end + by);
      }
      const where = moment_at(event, canvas);
      look.at = where.time;
      show_tip(event, dragged_from ? null : tip_for(canvas.id, where));
      redraw();
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => ((dragged_from = null), canvas.classList.remove("moving")));
    }
    canvas.addEventListener("pointerleave", (event) => ((look.at = null), show_tip(event, null), redraw()));
  }

  // A double-click shows the stretch below the pointer with some room around it.
  function zoom_to_stretch(event) {
    const where = moment_at(event, at("gantt"));
    const w = row_at(layout.gantt_layout(model), where.y, model.workers);
    const i = w < 0 ? -1 : segment_at(model, w, where.time);
    if (i < 0) return;
    const begin = model.segments[w].start[i],
      end = segment_end(model, w, i),
      room = (end - begin) * 0.5;
    show(begin - room, end + room);
  }

  const keys = {
    "+": () => zoom(0.7),
    "=": () => zoom(0.7),
    "-": () => zoom(1 / 0.7),
    "−": () => zoom(1 / 0.7),
    0: () => show(model.begin, model.end),
    ArrowLeft: () => pan(-0.15),
    ArrowRight: () => pan(0.15),
    ArrowUp: () => zoom(0.7),
    ArrowDown: () => zoom(1 / 0.7),
    Home: () => show(model.begin, model.begin + view.end - view.begin),
    End: () => show(model.end - view.end + view.begin, model.end),
    Escape: () => (at("tip").hidden = true),
  };

  function follow_keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
      return;
    // Arrows up and down and the ends belong to the page unless a chart has the focus.
    if (/^(ArrowUp|ArrowDown|Home|End)$/.test(event.key) && !charts.includes(event.target.id)) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  // ---- themes ----

  const root = document.documentElement;
  const prefers_dark = matchMedia("(prefers-color-scheme: dark)");
  let wants_dark = null; // not chosen: as the system

  function apply_theme(is_dark = wants_dark ?? prefers_dark.matches) {
    root.classList.toggle("dark", is_dark);
    root.style.colorScheme = is_dark ? "dark" : "light";
    redraw_all();
  }

  function follow_page() {
    charts.forEach((id) => follow_pointer(at(id)));
    at("gantt").addEventListener("dblclick", zoom_to_stretch);
    at("matrix").addEventListener("pointermove", follow_matrix);
    at("matrix").addEventListener("pointerleave", (event) => show_tip(event, null));
    addEventListener("keydown", follow_keys);
    at("zoom_in").addEventListener("click", keys["+"]);
    at("zoom_out").addEventListener("click", keys["-"]);
    at("zoom_all").addEventListener("click", keys["0"]);
    at("show_steals").addEventListener("change", (event) => ((look.steals = event.target.checked), redraw()));
    at("colour_by").addEventListener("change", (event) => ((look.colour_by = event.target.value), redraw_all()));
    at("theme").addEventListener("click", () => apply_theme((wants_dark = !root.classList.contains("dark"))));
    prefers_dark.addEventListener("change", () => apply_theme());
    addEventListener("resize", redraw_all);
    addEventListener("beforeprint", () => apply_theme(false));
    addEventListener("afterprint", () => apply_theme());
  }

  function label_charts() {
    const { share, totals, workers } = model;
    const of = (part) => `${Math.round(100 * share[part])} %`;
    at("gantt").setAttribute(
      "aria-label",
      `What each of ${workers} workers did over ${duration(model.end - model.begin)}: ` +
        `${totals.executed} tasks, ${totals.steals} steals.`,
    );
    at("profile").setAttribute(
      "aria-label",
      `Workers running ${of("running")}, idle although work was ready ` +
        `${of("ready")}, idle without work ${of("none")} of the time.`,
    );
    at("queues").setAttribute("aria-label", `Lengths of the workers’ queues; the longest was ${model.longest_queue}.`);
    at("matrix").setAttribute("aria-label", `${totals.stolen} stolen tasks by thief and victim.`);
  }

  function start() {
    const recording = filch_format.parse(filch_format.from_base64(at("recording_0").textContent));
    model = build(recording);
    model.longest_queue = draw.longest_queue(model);
    view = { begin: model.begin, end: model.end };
    colours = draw.read_colours();
    fill_all(model, colours);
    label_charts();
    follow_page();
    apply_theme();
    root.dataset.ready = "yes";
  }

  start();
  return { model, view: () => ({ ...view }), show };
})();
