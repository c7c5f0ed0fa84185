// The model of a recording: what the page draws and says, as plain data and pure functions. Nothing here knows of a
// document or a canvas.
//
//   build(recording)                        everything that does not depend on what is visible
//   columns(…), means(…), segment_at(…), …  what is visible, one value per pixel whatever the number of tasks
"use strict";

const filch_model = (() => {
  const is_module = typeof module === "object";
  const { id_text } = is_module ? require("./format.js") : filch_format;
  const { replay, state, fate, origin } = is_module ? require("./replay.js") : filch_replay;

  const k_classes = 10; // colours of their own; all other names share one
  const k_states = 5;

  // The last index whose value is not above `wanted`; 0 when there is none.
  function last_not_above(sorted, wanted) {
    let low = 0,
      high = sorted.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (sorted[middle] <= wanted) low = middle;
      else high = middle;
    }
    return low;
  }

  // ---- names and classes ----

  // Names that differ only in their numbers belong together when there are many names.
  function stem_of(text) {
    return text.replace(/\d+/g, "#");
  }

  // Tasks fall into classes, each with a colour: the names with the most running time. Class k_classes is the rest.
  function classify(recording, tasks) {
    const text_of = (name) => (name >= 0 ? (recording.names[name]?.text ?? "unnamed") : "unnamed");
    const distinct = new Set(tasks.name);
    const texts = new Map([...distinct].map((name) => [name, text_of(name)]));
    if (distinct.size > k_classes) {
      const stems = new Set([...texts.values()].map(stem_of));
      if (stems.size > 1) for (const [name, text] of texts) texts.set(name, stem_of(text));
    }
    const groups = new Map();
    for (let i = 0; i < tasks.count; ++i) {
      const text = texts.get(tasks.name[i]);
      if (!groups.has(text)) groups.set(text, { text, colour: "", members: [], total_ns: 0 });
      const group = groups.get(text);
      group.members.push(i);
      group.total_ns += tasks.run_ns[i];
      group.colour ||= recording.names[tasks.name[i]]?.colour ?? "";
    }
    const sorted = [...groups.values()].sort((a, b) => b.total_ns - a.total_ns || (a.text < b.text ? -1 : 1));
    const classes = sorted.slice(0, k_classes);
    const others = sorted.slice(k_classes);
    if (others.length > 0) {
      classes.push({
        text: `${others.length} other names`,
        colour: "",
        members: others.flatMap((each) => each.members),
        total_ns: others.reduce((sum, each) => sum + each.total_ns, 0),
      });
    }
    const class_of = new Uint8Array(tasks.count);
    classes.forEach((each, number) => {
      for (const task of each.members) class_of[task] = number;
      const runs = Float64Array.from(each.members, (task) => tasks.run_ns[task]).sort();
      each.count = runs.length;
      each.median_ns = runs[runs.length >> 1];
      each.most_ns = runs[runs.length - 1];
      each.stolen = each.members.filter((task) => tasks.victim[task] >= 0).length;
      delete each.members;
    });
    return { classes, class_of };
  }

  // ---- values over time ----

  // The area below a step function, from its first moment to each of its steps.
  function integrate(time, value) {
    const area = new Float64Array(time.length);
    for (let i = 1; i < time.length; ++i) area[i] = area[i - 1] + value[i - 1] * (time[i] - time[i - 1]);
    return area;
  }

  function finish_steps({ time, value }) {
    const out = { time: Float64Array.from(time), value: Float64Array.from(value) };
    out.area = integrate(out.time, out.value);
    return out;
  }

  function area_until(series, at) {
    if (series.time.length === 0 || at <= series.time[0]) return 0;
    const i = last_not_above(series.time, at);
    return series.area[i] + series.value[i] * (at - series.time[i]);
  }

  function value_at(series, at) {
    return series.time.length > 0 && at >= series.time[0] ? series.value[last_not_above(series.time, at)] : 0;
  }

  // The mean of a series in each of `count` equal parts of [begin, end].
  function means(series, begin, end, count) {
    const out = new Float64Array(count);
    const width = (end - begin) / count;
    let before = area_until(series, begin);
    for (let i = 0; i < count; ++i) {
      const after = area_until(series, begin + (i + 1) * width);
      out[i] = (after - before) / width;
      before = after;
    }
    return out;
  }

  // ---- the model ----

  const k_profile_parts = ["running", "blocked", "ready", "none", "unknown"];

  function state_times(list, end) {
    const times = new Float64Array(k_states);
    for (let i = 0; i < list.start.length; ++i) {
      times[list.state[i]] += (i + 1 < list.start.length ? list.start[i + 1] : end) - list.start[i];
    }
    return times;
  }

  function worker_rows(run) {
    const rows = run.segments.map((list, w) => ({
      worker: w,
      times: state_times(list, run.end),
      ...run.counts[w],
      stolen: 0,
      robbed: 0,
      looks: 0,
      lost: 0,
      empty: 0,
      longest: run.queues[w].value.reduce((most, each) => Math.max(most, each), 0),
    }));
    for (const pair of run.pairs.values()) {
      const thief = rows[pair.thief];
      thief.stolen += pair.taken;
      rows[pair.victim].robbed += pair.taken;
      thief.looks += pair.steals + pair.lost + pair.empty;
      thief.lost += pair.lost;
      thief.empty += pair.empty;
    }
    return rows;
  }

  function build(recording) {
    const run = replay(recording);
    const { classes, class_of } = classify(recording, run.tasks);
    const profile = {};
    const time = Float64Array.from(run.profile.time);
    for (const part of [...k_profile_parts, "waiting"])
      profile[part] = finish_steps({ time, value: run.profile[part] });
    const span = run.end - run.begin;
    const share = {};
    for (const part of k_profile_parts) {
      share[part] = run.workers > 0 ? area_until(profile[part], run.end) / (span * run.workers) : 0;
    }
    const rows = worker_rows(run);
    const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
    const fates = new Array(6).fill(0);
    for (const each of run.tasks.fate) ++fates[each];
    return {
      recording,
      workers: run.workers,
      begin: run.begin,
      end: run.end,
      tasks: run.tasks,
      classes,
      class_of,
      profile,
      share,
      segments: run.segments.map((list) => ({
        start: Float64Array.from(list.start),
        state: Uint8Array.from(list.state),
        task: Int32Array.from(list.task),
      })),
      queues: run.queues.map(finish_steps),
      has_injector: run.queues[run.workers].value.some((each) => each > 0),
      queues_are_derived: !run.has_lengths.slice(0, run.workers).some(Boolean),
      steals: { ...run.steals, time: Float64Array.from(run.steals.time) },
      pairs: run.pairs,
      rows,
      totals: {
        events: recording.events,
        tasks: run.tasks.count,
        executed: sum("executed"),
        cancelled: run.cancelled,
        unfinished: fates[fate.waiting] + fates[fate.running] + fates[fate.suspended],
        steals: run.steals.time.length,
        stolen: sum("stolen"),
        looks: sum("looks"),
        lost: sum("lost"),
        empty: sum("empty"),
        parks: sum("parks"),
        spawned: sum("spawned"),
        dropped: run.dropped,
      },
    };
  }

  // ---- what is visible ----

  function segment_end(model, w, i) {
    const { start } = model.segments[w];
    return i + 1 < start.length ? start[i + 1] : model.end;
  }

  function segment_at(model, w, at) {
    return at >= model.begin && at <= model.end ? last_not_above(model.segments[w].start, at) : -1;
  }

  // How worker w spends each of `count` equal parts of [begin, end]: `part[state * count + i]` is the share of a state
  // in part i, `task[i]` is the task that runs longest in it. `wide` lists the segments of at least `least` parts.
  function columns(model, w, begin, end, count, least = 3) {
    const { start, state: states, task: tasks } = model.segments[w];
    const part = new Float32Array(k_states * count),
      longest = new Float32Array(count);
    const task = new Int32Array(count).fill(-1);
    const wide = [];
    const scale = count / (end - begin);
    for (let i = last_not_above(start, begin); i < start.length && start[i] < end; ++i) {
      const from = Math.max(0, (start[i] - begin) * scale);
      const to = Math.min(count, (segment_end(model, w, i) - begin) * scale);
      if (to <= from) continue;
      if (to - from >= least) wide.push(i);
      for (let x = Math.floor(from); x < to; ++x) {
        const piece = Math.min(to, x + 1) - Math.max(from, x);
        part[states[i] * count + x] += piece;
        if (states[i] === state.running && piece > longest[x]) ((longest[x] = piece), (task[x] = tasks[i]));
      }
    }
    return { part, task, wide };
  }

  // How many segments worker w has in [begin, end].
  function segments_between(model, w, begin, end) {
    const { start } = model.segments[w];
    return last_not_above(start, end) - last_not_above(start, begin) + 1;
  }

  // The steals of [begin, end], one per pair of workers and part when `count` parts do not suffice for all.
  function steals_between(model, begin, end, count) {
    const { time, thief, victim } = model.steals;
    const chosen = [],
      seen = new Set();
    let all = 0;
    for (let i = time.length > 0 && time[0] < begin ? last_not_above(time, begin) : 0; i < time.length; ++i) {
      if (time[i] < begin) continue;
      if (time[i] > end) break;
      ++all;
      const part = Math.floor(((time[i] - begin) / (end - begin)) * count);
      const key = (part * model.workers + thief[i]) * model.workers + victim[i];
      if (seen.has(key)) continue;
      seen.add(key);
      chosen.push(i);
    }
    return { chosen, all };
  }

  // What the page is allowed to show: inside the recording, and no less than 20 ns.
  function clamp_view(model, begin, end) {
    const whole = model.end - model.begin;
    const span = Math.min(whole, Math.max(end - begin, Math.min(20, whole)));
    const first = Math.min(Math.max(begin, model.begin), model.end - span);
    return { begin: first, end: first + span };
  }

  // Round moments for an axis: about `wanted` of them.
  function ticks(begin, end, wanted) {
    const raw = (end - begin) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999);
    const out = [];
    for (let i = Math.ceil(begin / step); i * step <= end; ++i) out.push(i * step);
    return { step, at: out };
  }

  return {
    state,
    fate,
    origin,
    k_classes,
    k_profile_parts,
    build,
    columns,
    means,
    value_at,
    area_until,
    segment_at,
    segment_end,
    segments_between,
    steals_between,
    clamp_view,
    ticks,
    last_not_above,
    id_text,
  };
})();

if (typeof module === "object") module.exports = filch_model;
