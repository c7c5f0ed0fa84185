// What the page says in words: numbers with units, the summary, what stands in a tooltip, the notes about what is not
// known. Pure functions of the model.
"use strict";

const filch_text = (() => {
  const model_of = typeof module === "object" ? require("./model.js") : filch_model;
  const { state, fate, origin, id_text } = model_of;

  const k_narrow_space = "\u202f";

  function count(value) {
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, k_narrow_space);
  }

  function many(value, word) {
    return `${count(value)} ${word}${value === 1 ? "" : "s"}`;
  }

  function unit_of(span_ns) {
    const size = Math.abs(span_ns);
    if (size >= 1e9) return { name: "s", ns: 1e9 };
    if (size >= 1e6) return { name: "ms", ns: 1e6 };
    if (size >= 1e3) return { name: "µs", ns: 1e3 };
    return { name: "ns", ns: 1 };
  }

  // Three significant digits: "12.3 ms".
  function duration(ns) {
    const unit = unit_of(ns),
      value = ns / unit.ns,
      size = Math.abs(value);
    const digits = unit.ns === 1 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
    return `${value.toFixed(digits)}${k_narrow_space}${unit.name}`;
  }

  // A moment, so exact that steps of `step_ns` differ.
  function moment(ns, step_ns, largest_ns) {
    const unit = unit_of(largest_ns);
    const digits = Math.max(0, Math.ceil(-Math.log10(step_ns / unit.ns) - 1e-9));
    return `${(ns / unit.ns).toFixed(Math.min(9, digits))}${k_narrow_space}${unit.name}`;
  }

  function percent(part) {
    const value = 100 * part;
    if (value > 0 && value < 0.05) return `<${k_narrow_space}0.1${k_narrow_space}%`;
    const is_near_an_end = (value > 0 && value < 9.95) || (value > 99.05 && value < 99.95);
    return `${value.toFixed(is_near_an_end ? 1 : 0)}${k_narrow_space}%`;
  }

  function lane_text(model, lane) {
    return lane < model.workers ? `worker ${lane}` : "an external thread";
  }

  function name_text(model, task) {
    const name = model.tasks.name[task];
    return name >= 0 ? (model.recording.names[name]?.text ?? "unnamed") : "unnamed";
  }

  function about(model, key) {
    return model.recording.about.find(([each]) => each === key)?.[1] ?? "";
  }

  // ---- the summary ----

  function summary(model) {
    const { totals, share, rows, workers } = model;
    const span = model.end - model.begin;
    if (totals.tasks === 0) return `The recording of ${many(workers, "worker")} over ${duration(span)} holds no task.`;
    const out = [`In ${duration(span)}, ${many(workers, "worker")} ran ${many(totals.executed, "task")}.`];
    out.push(
      `Workers were running tasks ${percent(share.running)} of their time. ` +
        `They stood idle ${percent(share.ready)} of it although a task was ready, which is the scheduler’s share, ` +
        `and ${percent(share.none)} because none was, which is the program’s.`,
    );
    if (share.blocked > 0) out.push(`Tasks blocked their threads for ${percent(share.blocked)}.`);
    if (totals.steals > 0) {
      out.push(
        `${many(totals.stolen, "task")} changed hands in ${many(totals.steals, "steal")} ` +
          `(${many(totals.looks, "look")} at victims: ${count(totals.empty)} found nothing, ` +
          `${count(totals.lost)} lost ` +
          `a race).`,
      );
    } else out.push("Nothing was stolen.");
    if (model.figures?.span_ns > 0) out.push(path_text(model));
    if (workers > 1) {
      const busy = [...rows].sort((a, b) => b.times[state.running] - a.times[state.running]);
      const first = busy[0],
        last = busy[busy.length - 1];
      out.push(
        `Busiest was worker ${first.worker} (${percent(first.times[state.running] / span)}), least busy worker ` +
          `${last.worker} (${percent(last.times[state.running] / span)}).`,
      );
    }
    return out.join(" ");
  }

  function path_text({ figures: { work_ns: work, span_ns: span, makespan_ns: whole } }) {
    return (
      `The critical path is ${duration(span)} long, ${percent(span / whole)} of the run: the program has work for ` +
      `${(work / span).toFixed(work / span < 10 ? 1 : 0)} workers on average.`
    );
  }

  // What makes the numbers incomplete; empty when nothing does.
  function warnings(model) {
    const out = [],
      { totals, recording } = model;
    if (totals.dropped > 0) {
      out.push(
        `${many(totals.dropped, "event")} of this run were lost because a buffer was full; ${count(totals.events)} ` +
          `are here. Striped stretches are gaps, and all counts are lower bounds.`,
      );
    }
    if (recording.error)
      out.push(`The recording could not be read to its end: ${recording.error}. What came before is shown.`);
    if (totals.unfinished > 0) {
      const missing = totals.dropped > 0 ? "of which no end is recorded" : "that had not ended when the recording did";
      out.push(`There ${totals.unfinished === 1 ? "is" : "are"} ${many(totals.unfinished, "task")} ${missing}.`);
    }
    return out;
  }

  function tiles(model) {
    const { totals, share } = model;
    const stolen_share = totals.executed > 0 ? `${percent(totals.stolen / totals.executed)} of the tasks` : "";
    const cancelled = totals.cancelled > 0 ? `${count(totals.cancelled)} cancelled` : `${count(totals.events)} events`;
    return [
      { label: "Duration", value: duration(model.end - model.begin), note: about(model, "source") },
      {
        label: "Workers",
        value: count(model.workers),
        note: `${(share.running * model.workers).toFixed(2)} busy on average`,
      },
      { label: "Tasks", value: count(totals.executed), note: cancelled },
      { label: "Running", value: percent(share.running), note: "of the workers’ time", mark: "running" },
      { label: "Idle, work ready", value: percent(share.ready), note: "the scheduler’s share", mark: "ready" },
      { label: "Idle, no work", value: percent(share.none), note: "the program’s share", mark: "none" },
      { label: "Stolen", value: count(totals.stolen), note: stolen_share },
    ];
  }

  // ---- tooltips: [title, [[key, value], …]] ----

  function origin_text(model, task) {
    const { tasks } = model,
      victim = tasks.victim[task],
      w = tasks.start_worker[task];
    switch (tasks.origin[task]) {
      case origin.stolen:
        return `worker ${w} stole it from worker ${victim} at ${duration(tasks.steal_time[task] - model.begin)}`;
      case origin.batch:
        return `worker ${w} stole it along with others; worker ${victim} had it first`;
      case origin.injected:
        return "taken from the queue for external threads";
      case origin.handed:
        return `handed over by ${lane_text(model, tasks.spawn_lane[task])}`;
      case origin.own:
        return "from its own queue";
    }
    return "not recorded";
  }

  function task_lines(model, task) {
    const { tasks } = model,
      lines = [["task", id_text(model.recording.tasks, task)]];
    const start = tasks.start_time[task],
      end = tasks.end_time[task];
    if (start >= 0 || start < 0) {
      lines.push(["started", `${duration(start - model.begin)} on worker ${tasks.start_worker[task]}`]);
    }
    lines.push(["ran", duration(tasks.run_ns[task]) + (Number.isNaN(end) ? " so far" : "")]);
    if (end - start > tasks.run_ns[task] * 1.001 + 1) lines.push(["start to end", duration(end - start)]);
    if (start >= tasks.spawn_time[task]) lines.push(["waited", duration(start - tasks.spawn_time[task])]);
    lines.push(["came", origin_text(model, task)]);
    if (tasks.spawn_lane[task] >= 0) {
      const parent = tasks.parent[task];
      const by = parent >= 0 ? ` (task ${id_text(model.recording.tasks, parent)}, ${name_text(model, parent)})` : "";
      lines.push(["spawned by", lane_text(model, tasks.spawn_lane[task]) + by]);
    }
    if (tasks.fate[task] === fate.cancelled) lines.push(["fate", "cancelled"]);
    return lines;
  }

  const k_state_words = ["running", "blocked in a call", "looking for work", "parked", "unknown: events were lost"];

  // What happens on worker w around `at`; `slack` is the width of a pixel.
  function worker_tip(model, w, at, slack) {
    const here = model_of.segments_between(model, w, at - slack / 2, at + slack / 2);
    if (here > 2) {
      const { part, task } = model_of.columns(model, w, at - slack / 2, at + slack / 2, 1);
      const lines = [...part].map((share, i) => [k_state_words[i], percent(share)]).filter((_, i) => part[i] > 0.0005);
      if (task[0] >= 0) lines.push(["longest here", name_text(model, task[0])]);
      return [`worker ${w}: ${count(here)} stretches in one pixel, zoom in`, lines];
    }
    const i = model_of.segment_at(model, w, at);
    if (i < 0) return null;
    const list = model.segments[w],
      end = model_of.segment_end(model, w, i);
    const stretch = [
      "here",
      `${duration(list.start[i] - model.begin)} to ${duration(end - model.begin)}: ` +
        `${duration(end - list.start[i])} on worker ${w}`,
    ];
    if (list.task[i] < 0) return [`worker ${w}: ${k_state_words[list.state[i]]}`, [stretch]];
    const path = model_of.is_on_path(model, w, list.start[i], end) ? [["critical path", "goes through here"]] : [];
    const blocked = list.state[i] === state.blocked ? ", blocked in a call" : "";
    return [name_text(model, list.task[i]) + blocked, [stretch, ...task_lines(model, list.task[i]), ...path]];
  }

  function profile_tip(model, at) {
    if (at > model.end) return null;
    const value = (part) => model_of.value_at(model.profile[part], at);
    const lines = [
      ["running", count(value("running"))],
      ["idle, work ready", count(value("ready"))],
      ["idle, no work", count(value("none"))],
      ["tasks waiting", count(value("waiting"))],
    ];
    if (model.share.blocked > 0) lines.push(["blocked", count(value("blocked"))]);
    if (model.share.unknown > 0) lines.push(["unknown", count(value("unknown"))]);
    return [`at ${duration(at - model.begin)}`, lines];
  }

  function queue_tip(model, row, at) {
    if (at > model.end) return null;
    const length = model_of.value_at(model.queues[row], at);
    const whose = row < model.workers ? `queue of worker ${row}` : "submitted from outside";
    return [
      whose,
      [
        ["waiting", many(length, "task")],
        ["at", duration(at - model.begin)],
      ],
    ];
  }

  function pair_tip(model, thief, victim) {
    if (thief === victim) return null;
    const pair = model.pairs.get(thief * model.workers + victim) ?? { taken: 0, steals: 0, lost: 0, empty: 0 };
    return [
      `worker ${thief} ← worker ${victim}`,
      [
        ...(model.nodes ? [["nodes", `${model.nodes[thief]} ← ${model.nodes[victim]}`]] : []),
        ["stolen", `${many(pair.taken, "task")} in ${many(pair.steals, "steal")}`],
        ["found nothing", count(pair.empty)],
        ["lost a race", count(pair.lost)],
      ],
    ];
  }

  return {
    count,
    many,
    duration,
    moment,
    percent,
    about,
    name_text,
    summary,
    warnings,
    tiles,
    worker_tip,
    profile_tip,
    queue_tip,
    pair_tip,
  };
})();

if (typeof module === "object") module.exports = filch_text;
