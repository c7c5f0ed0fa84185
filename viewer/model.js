// The model of a recording: what the page draws and says, as plain data and pure functions. Nothing here knows of a
// document or a canvas.
//
//   build(recording), build_all(recordings)  everything that does not depend on what is visible
//   columns(…), means(…), segment_at(…), …   what is visible, one value per pixel whatever the number of tasks
"use strict";

const filch_model = (() => {
  const is_module = typeof module === "object";
  const { id_text } = is_module ? require("./format.js") : filch_format;
  const { replay, state, fate, origin } = is_module ? require("./replay.js") : filch_replay;
  const { classify, k_classes } = is_module ? require("./classes.js") : filch_classes;

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

  // The mean of a series in each of `count` equal parts of [begin, end]; after `last` it is 0.
  function means(series, begin, end, count, last = Infinity) {
    const out = new Float64Array(count);
    const width = (end - begin) / count;
    let before = area_until(series, Math.min(last, begin));
    for (let i = 0; i < count; ++i) {
      const after = area_until(series, Math.min(last, begin + (i + 1) * width));
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

  // The NUMA node of each worker, where the recording says it; and the workers in the order of their nodes.
  function nodes_of(recording) {
    const text = recording.about.find(([key]) => key === "numa_nodes")?.[1] ?? "";
    const nodes = text.split(" ").map(Number);
    const is_known = text !== "" && nodes.length === recording.workers && nodes.every(Number.isInteger);
    const order = Array.from({ length: recording.workers }, (_, w) => w);
    if (!is_known || new Set(nodes).size < 2) return { nodes: null, order };
    return { nodes, order: order.sort((a, b) => nodes[a] - nodes[b] || a - b) };
  }

  // Tasks of the same name have the same colour in all of them.
  function build_all(recordings) {
    const runs = recordings.map((recording) => ({ recording, run: replay(recording) }));
    const classified = classify(runs.map(({ recording, run }) => ({ recording, tasks: run.tasks })));
    return runs.map(({ recording, run }, i) => assemble(recording, run, classified[i]));
  }

  function build(recording) {
    return build_all([recording])[0];
  }

  function assemble(recording, run, { classes, class_of }) {
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
      ...nodes_of(recording),
      path: { worker: [], begin: [], end: [] },
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

  // The critical path, as the page has it: worker, begin, end of each stretch, one after the other.
  function with_path(model, flat) {
    const every_third = (from) => Float64Array.from(flat.filter((_, i) => i % 3 === from));
    model.path = { worker: every_third(0), begin: every_third(1), end: every_third(2) };
    return model;
  }

  // The pieces of the critical path in [begin, end]; those that share a row and one of `count` parts become one.
  function path_between(model, begin, end, count) {
    const { path } = model,
      out = [];
    const part_of = (at) => Math.floor(((at - begin) / (end - begin)) * count);
    for (let i = path.begin.length > 0 ? last_not_above(path.begin, begin) : 0; i < path.begin.length; ++i) {
      if (path.begin[i] > end) break;
      const last = out[out.length - 1];
      const is_near = last && last.worker === path.worker[i] && part_of(path.begin[i]) - part_of(last.end) < 1;
      if (is_near) last.end = path.end[i];
      else out.push({ worker: path.worker[i], begin: path.begin[i], end: path.end[i] });
    }
    return out;
  }

  // Whether worker w is on the critical path at some time of [begin, end].
  function is_on_path(model, w, begin, end) {
    const { path } = model;
    for (let i = path.begin.length > 0 ? last_not_above(path.begin, begin) : 0; i < path.begin.length; ++i) {
      if (path.begin[i] >= end) return false;
      if (path.worker[i] === w && path.end[i] > begin) return true;
    }
    return false;
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
    build_all,
    with_path,
    path_between,
    is_on_path,
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
