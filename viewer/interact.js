// Makes the page: reads the recordings it holds, draws, and follows pointer, wheel and keyboard. All charts over time,
// of all runs, show the same stretch, `view`, counted from the beginning of each run; `look` is what the reader has
// chosen.
"use strict";

const filch_page = (() => {
  const { build_all, with_path, clamp_view, segment_at, segment_end } = filch_model;
  const { moment, duration, count, worker_tip, profile_tip, queue_tip, pair_tip } = filch_text;
  const { at, part, make, make_parts, fill_page, fill_run, fill_names, fill_legends } = filch_tables;
  const draw = { ...filch_canvas, ...filch_draw, ...filch_draw_gantt };
  const layout = filch_layout;

  const charts = ["gantt", "profile", "queues"];
  const look = { colour_by: "name", steals: true, path: true, at: null };
  const data = JSON.parse(at("page_data").textContent);
  const models = read_models();
  const whole = { begin: 0, end: models.reduce((most, { begin, end }) => Math.max(most, end - begin), 1) };
  let view = { ...whole },
    colours = null,
    is_drawing = false;

  function read_models() {
    const texts = data.runs.map((_, run) => at(`recording_${run}`).textContent);
    const recordings = texts.map((text) => filch_format.parse(filch_format.from_base64(text)));
    return build_all(recordings).map((model, run) => {
      const { label, path, ...figures } = data.runs[run];
      return Object.assign(with_path(model, path), { label, figures, longest_queue: draw.longest_queue(model) });
    });
  }

  // ---- drawing ----

  // The view and the pointer in a run's own time.
  const own_view = (model) => ({ begin: view.begin + model.begin, end: view.end + model.begin });
  const own_look = (model) => ({ ...look, at: look.at === null ? null : look.at + model.begin });

  function redraw_now() {
    is_drawing = false;
    models.forEach((model, run) => {
      const own = [model, own_view(model), own_look(model), colours];
      const shown = draw.draw_gantt(part("gantt", run), ...own);
      draw.draw_profile(part("profile", run), ...own);
      draw.draw_queues(part("queues", run), ...own);
      part("steals_note", run).textContent =
        shown.drawn < shown.all
          ? `${count(shown.drawn)} arrows stand for ${count(shown.all)} steals; ` +
            "those of one pair at one place share one."
          : "";
    });
    const step = (view.end - view.begin) / 1000;
    at("range").textContent = `${moment(view.begin, step, view.end)} – ${moment(view.end, step, view.end)}`;
  }

  function redraw() {
    if (is_drawing) return;
    is_drawing = true;
    requestAnimationFrame(redraw_now);
  }

  function redraw_all() {
    colours = draw.read_colours();
    fill_legends(models, look.colour_by, colours);
    models.forEach((model, run) => {
      fill_names(model, run, colours);
      draw.draw_matrix(part("matrix", run), model, colours);
    });
    filch_charts.redraw(colours);
    redraw_now();
  }

  // ---- the view ----

  function show(begin, end) {
    view = clamp_view(whole, begin, end);
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

  function tip_for(chart, model, where) {
    if (where.time < view.begin || where.time > view.end) return null;
    const time = where.time + model.begin;
    if (chart === "profile") return profile_tip(model, time);
    if (chart === "gantt") {
      const w = row_at(layout.gantt_layout(model), where.y, model.workers);
      return w < 0 ? null : worker_tip(model, w, time, where.slack);
    }
    const rows = layout.queues_layout(model),
      row = row_at(rows, where.y, rows.rows);
    return row < 0 ? null : queue_tip(model, row, time);
  }

  function follow_matrix(event, model, canvas) {
    const box = canvas.getBoundingClientRect();
    const cells = layout.matrix_layout(model, canvas.parentElement.clientWidth - 40);
    const victim = model.order[Math.floor((event.clientX - box.left - cells.left) / cells.cell)];
    const thief = model.order[Math.floor((event.clientY - box.top - cells.top) / cells.cell)];
    show_tip(event, victim === undefined || thief === undefined ? null : pair_tip(model, thief, victim));
  }

  // ---- pointer, wheel, keys ----

  function follow_pointer(canvas, chart, model) {
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
      show_tip(event, dragged_from ? null : tip_for(chart, model, where));
      redraw();
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => ((dragged_from = null), canvas.classList.remove("moving")));
    }
    canvas.addEventListener("pointerleave", (event) => ((look.at = null), show_tip(event, null), redraw()));
  }

  // A double-click shows the stretch below the pointer with some room around it.
  function zoom_to_stretch(event, model, canvas) {
    const where = moment_at(event, canvas);
    const w = row_at(layout.gantt_layout(model), where.y, model.workers);
    const i = w < 0 ? -1 : segment_at(model, w, where.time + model.begin);
    if (i < 0) return;
    const begin = model.segments[w].start[i] - model.begin,
      end = segment_end(model, w, i) - model.begin,
      room = (end - begin) * 0.5;
    show(begin - room, end + room);
  }

  const keys = {
    "+": () => zoom(0.7),
    "=": () => zoom(0.7),
    "-": () => zoom(1 / 0.7),
    "−": () => zoom(1 / 0.7),
    0: () => show(whole.begin, whole.end),
    ArrowLeft: () => pan(-0.15),
    ArrowRight: () => pan(0.15),
    ArrowUp: () => zoom(0.7),
    ArrowDown: () => zoom(1 / 0.7),
    Home: () => show(0, view.end - view.begin),
    End: () => show(whole.end - view.end + view.begin, whole.end),
    Escape: () => (at("tip").hidden = true),
  };

  function follow_keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
      return;
    // Arrows up and down and the ends belong to the page unless a chart has the focus.
    const is_in_chart = event.target.classList?.contains("over_time");
    if (/^(ArrowUp|ArrowDown|Home|End)$/.test(event.key) && !is_in_chart) return;
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

  function follow_run(model, run) {
    for (const chart of charts) follow_pointer(part(chart, run), chart, model);
    const gantt = part("gantt", run),
      matrix = part("matrix", run);
    gantt.addEventListener("dblclick", (event) => zoom_to_stretch(event, model, gantt));
    matrix.addEventListener("pointermove", (event) => follow_matrix(event, model, matrix));
    matrix.addEventListener("pointerleave", (event) => show_tip(event, null));
  }

  function follow_page() {
    models.forEach(follow_run);
    addEventListener("keydown", follow_keys);
    at("zoom_in").addEventListener("click", keys["+"]);
    at("zoom_out").addEventListener("click", keys["-"]);
    at("zoom_all").addEventListener("click", keys["0"]);
    at("show_steals").addEventListener("change", (event) => ((look.steals = event.target.checked), redraw()));
    at("show_path").addEventListener("change", (event) => ((look.path = event.target.checked), redraw()));
    at("colour_by").addEventListener("change", (event) => ((look.colour_by = event.target.value), redraw_all()));
    at("theme").addEventListener("click", () => apply_theme((wants_dark = !root.classList.contains("dark"))));
    prefers_dark.addEventListener("change", () => apply_theme());
    addEventListener("resize", redraw_all);
    addEventListener("beforeprint", () => apply_theme(false));
    addEventListener("afterprint", () => apply_theme());
  }

  function label_charts(model, run) {
    const { share, totals, workers } = model;
    const of = (name) => `${Math.round(100 * share[name])} %`;
    const name = model.label ? `${model.label}: ` : "";
    const say = (chart, text) => part(chart, run).setAttribute("aria-label", name + text);
    say(
      "gantt",
      `what each of ${workers} workers did over ${duration(model.end - model.begin)}: ` +
        `${totals.executed} tasks, ${totals.steals} steals.`,
    );
    say(
      "profile",
      `workers running ${of("running")}, idle although work was ready ` +
        `${of("ready")}, idle without work ${of("none")} of the time.`,
    );
    say("queues", `lengths of the workers’ queues; the longest was ${model.longest_queue}.`);
    say("matrix", `${totals.stolen} stolen tasks by thief and victim.`);
  }

  function start() {
    make_parts(models.length);
    colours = draw.read_colours();
    fill_page(models, data.notes);
    models.forEach((model, run) => {
      fill_run(model, run, colours);
      label_charts(model, run);
    });
    filch_charts.start(data, show_tip);
    follow_page();
    apply_theme();
    root.dataset.ready = "yes";
  }

  start();
  return { models, view: () => ({ ...view }), show };
})();
