// The order of events over all workers: that of time, and at one moment causes before effects.
//
// In simulated time much happens at one moment. There a start comes after the spawn of its task, a steal of a task too
// and not while it runs, and a resume after the suspend. Where a task moves several times at one moment, the worker
// that keeps it comes last.
"use strict";

const filch_order = (() => {
  const { kind } = typeof module === "object" ? require("./format.js") : filch_format;

  // What the events of one moment wait for.
  class causes {
    constructor(lanes, tasks) {
      this.lanes = lanes;
      this.awaits_spawn = new Uint8Array(tasks);
      this.is_suspended = new Uint8Array(tasks);
      this.runs = new Uint8Array(tasks);
      this.suspends_seen = new Uint32Array(tasks);
      this.suspends = new Map(); // task → its moments
      for (const lane of lanes) {
        for (let i = 0; i < lane.count; ++i) {
          const task = lane.task[i];
          if (task < 0) continue;
          if (lane.kind[i] === kind.spawn) this.awaits_spawn[task] = 1;
          if (lane.kind[i] === kind.suspend) {
            if (!this.suspends.has(task)) this.suspends.set(task, []);
            this.suspends.get(task).push(lane.time[i]);
          }
        }
      }
      for (const times of this.suspends.values()) times.sort((a, b) => a - b);
    }

    is_ready(lane, i) {
      const task = lane.task[i];
      if (task < 0) return true;
      switch (lane.kind[i]) {
        case kind.start:
          return !this.awaits_spawn[task];
        case kind.steal_success:
          return !this.awaits_spawn[task] && !this.runs[task];
        case kind.resume:
          return this.is_suspended[task] === 1 && this.is_next_resume(lane, i);
      }
      return true;
    }

    is_next_resume(lane, i) {
      const task = lane.task[i],
        now = lane.time[i];
      for (let k = i + 1; k < lane.count && lane.time[k] === now; ++k) {
        if (lane.kind[k] === kind.suspend && lane.task[k] === task) return true;
      }
      const times = this.suspends.get(task) ?? [];
      let low = 0,
        high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] <= now) low = middle + 1;
        else high = middle;
      }
      return this.suspends_seen[task] >= low;
    }

    see(lane, i) {
      const task = lane.task[i];
      if (task < 0) return;
      if (lane.kind[i] === kind.spawn) this.awaits_spawn[task] = 0;
      if (lane.kind[i] === kind.start) this.runs[task] = 1;
      if (lane.kind[i] === kind.suspend)
        ((this.is_suspended[task] = 1), (this.runs[task] = 0), ++this.suspends_seen[task]);
      if (lane.kind[i] === kind.resume) ((this.is_suspended[task] = 0), (this.runs[task] = 1));
    }
  }

  // Numbers of lanes, the one with the least key first.
  class lane_heap {
    constructor(is_before) {
      this.items = [];
      this.is_before = is_before;
    }

    push(lane) {
      let at = this.items.push(lane) - 1;
      while (at > 0) {
        const above = (at - 1) >> 1;
        if (!this.is_before(lane, this.items[above])) break;
        this.items[at] = this.items[above];
        at = above;
      }
      this.items[at] = lane;
    }

    pop() {
      const { items } = this,
        out = items[0],
        last = items.pop();
      for (let at = 0; items.length > 0;) {
        let child = 2 * at + 1;
        if (child + 1 < items.length && this.is_before(items[child + 1], items[child])) ++child;
        if (child >= items.length || !this.is_before(items[child], last)) {
          items[at] = last;
          break;
        }
        items[at] = items[child];
        at = child;
      }
      return out;
    }
  }

  // Calls visit(lane, index) for every event. At the same moment external threads come first, then workers by number,
  // as far as causes allow. `tasks` is how many there are.
  function in_order_of_time(lanes, tasks, visit) {
    const rank = (lane) => (lane === lanes.length - 1 ? -1 : lane);
    const next = new Int32Array(lanes.length);
    const waits = new causes(lanes, tasks);
    const time_of = (lane) => lanes[lane].time[next[lane]];
    const heads = new lane_heap((a, b) =>
      time_of(a) - time_of(b) < 0 || (time_of(a) === time_of(b) && rank(a) < rank(b)));
    const enqueue = (lane) => next[lane] < lanes[lane].count && heads.push(lane);
    lanes.forEach((_, lane) => enqueue(lane));
    let deferred = [],
      now = -Infinity;
    while (heads.items.length > 0 || deferred.length > 0) {
      // When all wait for one another the recording is not whole; the first goes on.
      const is_stuck = heads.items.length === 0 || (deferred.length > 0 && time_of(heads.items[0]) > now);
      const lane = is_stuck ? deferred.shift() : heads.pop();
      now = time_of(lane);
      if (!is_stuck && !waits.is_ready(lanes[lane], next[lane])) {
        deferred.push(lane);
        continue;
      }
      waits.see(lanes[lane], next[lane]);
      visit(lane, next[lane]);
      ++next[lane];
      enqueue(lane);
      if (deferred.length > 0) {
        deferred.forEach(enqueue);
        deferred = [];
      }
    }
  }

  return { in_order_of_time };
})();

if (typeof module === "object") module.exports = filch_order;
