// Fills the parts of the page that are text: banners, summary, key figures, legends, tables. Whatever the recording
// says goes in as text, never as markup.
"use strict";

const filch_tables = (() => {
  const { state, k_classes } = filch_model;
  const { count, many, duration, percent, about, summary, warnings, tiles } = filch_text;

  const at = (id) => document.getElementById(id);

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

  function fill_head(model) {
    const parts = [about(model, "policy"), about(model, "machine")].filter(Boolean);
    if (about(model, "seed")) parts.push(`seed ${about(model, "seed")}`);
    if (about(model, "version")) parts.push(`filch ${about(model, "version")}`);
    at("subtitle").textContent = parts.join(" · ");
    at("summary").textContent = summary(model);
    at("banners").replaceChildren(...warnings(model).map((text) => make("p", { className: "banner" }, text)));
    at("tiles").replaceChildren(
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
    at("threads_note").hidden = about(model, "source") !== "threads";
    at("queues_note").textContent = model.queues_are_derived
      ? "Queue lengths are derived from spawns, starts, steals and submissions; suspended tasks are never in them."
      : "Queue lengths are as the workers recorded them.";
  }

  // Legends depend on what the tasks are coloured by.
  function fill_legends(model, colour_by, colours) {
    const { share } = model;
    const has = (s) => model.rows.some((row) => row.times[s] > 0);
    const names =
      colour_by === "origin"
        ? [
            entry(colours.classes[0], "from the worker’s own queue"),
            entry(colours.classes[1], "stolen"),
            entry(colours.classes[2], "submitted from outside"),
            entry(colours.classes[k_classes], "handed over or not recorded"),
          ]
        : model.classes.map((each, i) => entry(each.colour || colours.classes[i], each.text));
    const states = [entry("var(--searching)", "looking for work"), entry("var(--parked)", "parked")];
    if (has(state.blocked)) states.push(entry(striped("blocked"), "blocked in a call"));
    if (has(state.unknown)) states.push(entry(striped("ready"), "unknown: events lost"));
    if (model.totals.steals > 0) states.push(make("span", {}, "→ steal, from victim to thief"));
    at("legend").replaceChildren(...names, make("span", { className: "break" }), ...states);
    const profile = [entry("var(--running)", `running ${percent(share.running)}`)];
    if (share.blocked > 0) profile.push(entry("var(--blocked)", `blocked ${percent(share.blocked)}`));
    profile.push(
      entry("var(--ready)", `idle, work ready ${percent(share.ready)}`),
      entry("var(--none)", `idle, no work ${percent(share.none)}`),
    );
    if (share.unknown > 0) profile.push(entry(striped("ready"), `unknown ${percent(share.unknown)}`));
    at("profile_legend").replaceChildren(...profile);
    const levels = [...new Set([1, Math.round(Math.sqrt(model.longest_queue)), model.longest_queue])].filter(
      (n) => n > 0,
    );
    at("queues_legend").replaceChildren(
      ...(levels.length === 0
        ? ["always empty"]
        : levels.map((length) =>
            entry(`rgb(${colours.heat} / ${filch_draw.heat(length, model.longest_queue)})`, many(length, "task")),
          )),
    );
  }

  function fill_table(id, heads, rows, foot) {
    const line = (cells, tag = "td") =>
      make("tr", {}, ...cells.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, cell)));
    const parts = [make("thead", {}, line(heads, "th")), make("tbody", {}, ...rows.map((row) => line(row)))];
    if (foot) parts.push(make("tfoot", {}, line(foot)));
    at(id).replaceChildren(...parts);
  }

  function fill_names(model, colours) {
    const rows = model.classes.map((each, i) => [
      make("span", { title: each.text }, swatch(each.colour || colours.classes[i]), each.text),
      count(each.count),
      duration(each.total_ns),
      duration(each.median_ns),
      duration(each.most_ns),
      count(each.stolen),
    ]);
    fill_table("names_table", ["name", "tasks", "total", "median", "longest", "stolen"], rows);
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

  function fill_workers(model) {
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
    fill_table("workers_table", heads, rows, [
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

  function fill_about(model) {
    const rows = model.recording.about.filter(([, value]) => value !== "");
    rows.push(["events", count(model.totals.events)], ["lost events", count(model.totals.dropped)]);
    at("about_table").replaceChildren(
      make(
        "tbody",
        {},
        ...rows.map(([key, value]) =>
          make("tr", {}, make("th", { scope: "row" }, key.replaceAll("_", " ")), make("td", {}, value)),
        ),
      ),
    );
  }

  function fill_matrix_text(model) {
    const pairs = [...model.pairs.values()]
      .filter((pair) => pair.taken > 0)
      .sort((a, b) => b.taken - a.taken)
      .slice(0, 3);
    at("matrix_text").textContent =
      pairs.length === 0
        ? "Nothing was stolen."
        : "Most: " +
          pairs
            .map((pair) => `worker ${pair.thief} took ${many(pair.taken, "task")} from worker ${pair.victim}`)
            .join("; ") +
          ".";
  }

  function fill_all(model, colours) {
    fill_head(model);
    fill_names(model, colours);
    fill_workers(model);
    fill_about(model);
    fill_matrix_text(model);
  }

  return { at, make, fill_all, fill_names, fill_legends };
})();
