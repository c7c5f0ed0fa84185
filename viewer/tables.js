// Fills the parts of the page that are text: banners, summary, key figures, legends, tables. Whatever the recording
// says goes in as text, never as markup.
"use strict";

const filch_tables = (() => {
  const { state, k_classes } = filch_model;
  const { heat } = filch_canvas;
  const { count, many, duration, percent, about, summary, warnings, tiles } = filch_text;

  const at = (id) => document.getElementById(id);
  const part = (name, run) => at(`${name}_${run}`);

  // The elements that each run has of its own.
  function make_parts(runs) {
    const add = (template, into, run) => {
      const made = at(template).content.cloneNode(true);
      for (const each of made.querySelectorAll("[data-part]")) each.id = `${each.dataset.part}_${run}`;
      at(into).append(made);
    };
    for (let run = 0; run < runs; ++run) {
      add("head_template", "heads", run);
      add("gantt_template", "gantts", run);
      add("profile_template", "profiles", run);
      add("queues_template", "queue_charts", run);
      add("details_template", "details", run);
    }
  }

  // make("td", { className: "x" }, "text", child, …)
  function make(tag, set, ...children) {
    const out = Object.assign(document.createElement(tag), set);
    out.append(...children);
    return out;
  }

  function swatch(colour) {
    const out = make("i", {});
    out.style.background = colour;
    return out;
  }

  function striped(colour) {
    return `repeating-linear-gradient(135deg, var(--${colour}) 0 2px, var(--row) 2px 5px)`;
  }

  function entry(colour, text) {
    return make("span", {}, swatch(colour), text);
  }

  // What is said once for all runs.
  function fill_page(models, notes) {
    const first = models[0];
    const parts = [about(first, "policy"), about(first, "machine")].filter(Boolean);
    if (about(first, "seed")) parts.push(`seed ${about(first, "seed")}`);
    if (about(first, "version")) parts.push(`filch ${about(first, "version")}`);
    at("subtitle").textContent = models.length === 1 ? parts.join(" · ") : models.map(({ label }) => label).join(" · ");
    const banners = models.flatMap((model) =>
      warnings(model).map((text) => (model.label && models.length > 1 ? `${model.label}: ${text}` : text)),
    );
    at("banners").replaceChildren(...banners.map((text) => make("p", { className: "banner" }, text)));
    at("page_notes").hidden = notes.length === 0;
    at("page_notes").replaceChildren(...notes.map((text) => make("p", {}, text)));
    at("threads_note").hidden = !models.some((model) => about(model, "source") === "threads");
    at("queues_note").textContent = models.every((model) => model.queues_are_derived)
      ? "Queue lengths are derived from spawns, starts, steals and submissions; suspended tasks are never in them."
      : "Queue lengths are as the workers recorded them.";
  }

  function fill_head(model, run) {
    for (const name of ["label", "gantt_label", "details_label"]) part(name, run).textContent = model.label;
    part("summary", run).textContent = summary(model);
    part("tiles", run).replaceChildren(
      ...tiles(model).map(({ label, value, note, mark }) => {
        const out = make(
          "div",
          { className: "tile" },
          make("span", {}, label),
          make("b", {}, value),
          make("span", {}, note),
        );
        if (mark) out.style.borderTopColor = `var(--${mark})`;
        return out;
      }),
    );
  }

  // Legends depend on what the tasks are coloured by.
  function fill_legends(models, colour_by, colours) {
    const has = (s) => models.some((model) => model.rows.some((row) => row.times[s] > 0));
    const names =
      colour_by === "origin"
        ? [
            entry(colours.classes[0], "from the worker’s own queue"),
            entry(colours.classes[1], "stolen"),
            entry(colours.classes[2], "submitted from outside"),
            entry(colours.classes[k_classes], "handed over or not recorded"),
          ]
        : models[0].classes.map((each, i) => entry(each.colour || colours.classes[i], each.text));
    const states = [entry("var(--searching)", "looking for work"), entry("var(--parked)", "parked")];
    if (has(state.blocked)) states.push(entry(striped("blocked"), "blocked in a call"));
    if (has(state.unknown)) states.push(entry(striped("ready"), "unknown: events lost"));
    if (models.some((model) => model.totals.steals > 0)) states.push(make("span", {}, "→ steal, from victim to thief"));
    states.push(line_entry("var(--path)", "solid", "critical path"));
    at("legend").replaceChildren(...names, make("span", { className: "break" }), ...states);
    models.forEach((model, run) => {
      fill_profile_legend(model, run);
      fill_queues_legend(model, run, colours);
    });
  }

  function line_entry(colour, style, text) {
    const line = make("span", { className: "dash" });
    line.style.borderTopColor = colour;
    line.style.borderTopStyle = style;
    return make("span", {}, line, text);
  }

  const label_of = (model) => (model.label ? [make("b", {}, model.label)] : []);

  function fill_profile_legend(model, run) {
    const { share } = model;
    const out = [...label_of(model), entry("var(--running)", `running ${percent(share.running)}`)];
    if (share.blocked > 0) out.push(entry("var(--blocked)", `blocked ${percent(share.blocked)}`));
    out.push(
      entry("var(--ready)", `idle, work ready ${percent(share.ready)}`),
      entry("var(--none)", `idle, no work ${percent(share.none)}`),
    );
    if (share.unknown > 0) out.push(entry(striped("ready"), `unknown ${percent(share.unknown)}`));
    out.push(line_entry("var(--ink)", "solid", "ready tasks that wait, on a scale of their own"));
    part("profile_legend", run).replaceChildren(...out);
  }

  function fill_queues_legend(model, run, colours) {
    const longest = model.longest_queue;
    const levels = [...new Set([1, Math.round(Math.sqrt(longest)), longest])].filter((n) => n > 0);
    part("queues_legend", run).replaceChildren(
      ...label_of(model),
      ...(levels.length === 0
        ? ["always empty"]
        : levels.map((length) => entry(`rgb(${colours.heat} / ${heat(length, longest)})`, many(length, "task")))),
    );
  }

  function fill_table(id, heads, rows, foot) {
    const line = (cells, tag = "td") =>
      make("tr", {}, ...cells.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, cell)));
    const parts = [make("thead", {}, line(heads, "th")), make("tbody", {}, ...rows.map((row) => line(row)))];
    if (foot) parts.push(make("tfoot", {}, line(foot)));
    at(id).replaceChildren(...parts);
  }

  function fill_names(model, run, colours) {
    const seen = model.classes.map((each, i) => ({ ...each, shown: each.colour || colours.classes[i] }));
    const rows = seen
      .filter((each) => each.count > 0)
      .map((each) => [
      make("span", { title: each.text }, swatch(each.shown), each.text),
      count(each.count),
      duration(each.total_ns),
      duration(each.median_ns),
      duration(each.most_ns),
      count(each.stolen),
    ]);
    fill_table(`names_table_${run}`, ["name", "tasks", "total", "median", "longest", "stolen"], rows);
  }

  function meter(times, span) {
    const out = make("span", { className: "meter" });
    ["running", "blocked", "searching", "parked", "unknown"].forEach((name, s) => {
      const piece = make("span", {});
      piece.style.width = `${(100 * times[s]) / span}%`;
      piece.style.background = `var(--${name})`;
      out.append(piece);
    });
    return out;
  }

  function fill_workers(model, run) {
    const span = model.end - model.begin,
      { totals } = model;
    const has_gaps = model.share.unknown > 0,
      has_blocked = model.share.blocked > 0;
    const heads = [
      "worker",
      "",
      "running",
      ...(has_blocked ? ["blocked"] : []),
      "looking",
      "parked",
      ...(has_gaps ? ["unknown"] : []),
      "tasks",
      "spawned",
      "stole",
      "robbed of",
      "looks",
      "empty",
      "lost",
      "parks",
      "longest",
    ];
    const shares = (times, whole) => [
      percent(times[state.running] / whole),
      ...(has_blocked ? [percent(times[state.blocked] / whole)] : []),
      percent(times[state.searching] / whole),
      percent(times[state.parked] / whole),
      ...(has_gaps ? [percent(times[state.unknown] / whole)] : []),
    ];
    const rows = model.rows
      .slice(0, 4096)
      .map((row) => [
        `worker ${row.worker}`,
        meter(row.times, span),
        ...shares(row.times, span),
        ...[
          row.executed,
          row.spawned,
          row.stolen,
          row.robbed,
          row.looks,
          row.empty,
          row.lost,
          row.parks,
          row.longest,
        ].map(count),
      ]);
    const sums = model.rows.reduce((sum, row) => sum.map((each, s) => each + row.times[s]), [0, 0, 0, 0, 0]);
    const whole = span * Math.max(1, model.workers);
    const most = model.rows.reduce((longest, row) => Math.max(longest, row.longest), 0);
    fill_table(`workers_table_${run}`, heads, rows, [
      "all",
      meter(sums, whole),
      ...shares(sums, whole),
      ...[
        totals.executed,
        totals.spawned,
        totals.stolen,
        totals.stolen,
        totals.looks,
        totals.empty,
        totals.lost,
        totals.parks,
        most,
      ].map(count),
    ]);
  }

  function fill_about(model, run) {
    const rows = model.recording.about.filter(([, value]) => value !== "");
    rows.push(["events", count(model.totals.events)], ["lost events", count(model.totals.dropped)]);
    part("about_table", run).replaceChildren(
      make(
        "tbody",
        {},
        ...rows.map(([key, value]) =>
          make("tr", {}, make("th", { scope: "row" }, key.replaceAll("_", " ")), make("td", {}, value)),
        ),
      ),
    );
  }

  function fill_matrix_text(model, run) {
    const pairs = [...model.pairs.values()]
      .filter((pair) => pair.taken > 0)
      .sort((a, b) => b.taken - a.taken)
      .slice(0, 3);
    const most = pairs.map((pair) =>
      `worker ${pair.thief} took ${many(pair.taken, "task")} from worker ${pair.victim}`);
    const out = [pairs.length === 0 ? "Nothing was stolen." : `Most: ${most.join("; ")}.`];
    if (model.nodes && model.totals.stolen > 0) {
      const is_far = (pair) => model.nodes[pair.thief] !== model.nodes[pair.victim];
      const far = [...model.pairs.values()].filter(is_far).reduce((sum, pair) => sum + pair.taken, 0);
      out.push(
        `Workers stand by NUMA node, with lines between the nodes: ${percent(far / model.totals.stolen)} ` +
          "of the stolen tasks came from another node.",
      );
    }
    part("matrix_text", run).textContent = out.join(" ");
  }

  function fill_run(model, run, colours) {
    fill_head(model, run);
    fill_names(model, run, colours);
    fill_workers(model, run);
    fill_about(model, run);
    fill_matrix_text(model, run);
  }

  return { at, part, make, entry, line_entry, make_parts, fill_page, fill_run, fill_names, fill_legends };
})();
