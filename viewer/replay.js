// Replays a recording: goes through the events of all workers in the order of time and keeps what each worker does,
// where each task is, how long each queue is, and how many workers stand idle although a task waits.
//
// A worker is in one state at a time; its states are segments without gaps between them. A task that moves to another
// worker (suspend and resume) has segments on both. Tasks may nest; the innermost is the one that runs.
// Nothing is known of a gap: it ends all that its worker was doing, and what follows is guessed from the next event.
"use strict";

const filch_replay = (() => {
  const is_module = typeof module === "object";
  const { kind, time_range } = is_module ? require("./format.js") : filch_format;
  const { in_order_of_time } = is_module ? require("./order.js") : filch_order;
  const { steps, segment_list, make_tasks } = is_module ? require("./builders.js") : filch_builders;

  const state = { running: 0, blocked: 1, searching: 2, parked: 3, unknown: 4 };
  const k_states = 5;
  // What became of a task, and how it came to the worker that started it.
  const fate = { unknown: 0, waiting: 1, running: 2, suspended: 3, done: 4, cancelled: 5 };
  const origin = { unknown: 0, own: 1, stolen: 2, batch: 3, injected: 4, handed: 5 };

  class replayer {
    constructor(recording) {
      const workers = recording.workers,
        count = recording.tasks.hi.length;
      this.lanes = recording.lanes;
      this.fork_reason = recording.names.findIndex(({ text }) => text === "fork");
      this.workers = workers;
      Object.assign(this, time_range(this.lanes));
      this.tasks = make_tasks(count);
      this.segments = Array.from({ length: workers }, () => new segment_list());
      this.queues = Array.from({ length: workers + 1 }, () => new steps()); // the last one is the injector
      this.profile = { time: [], running: [], blocked: [], ready: [], none: [], unknown: [], waiting: [] };
      this.steals = { time: [], thief: [], victim: [], amount: [], task: [] };
      this.is_incomplete = this.lanes.some((lane) => lane.kind.includes(kind.dropped));
      this.pairs = new Map(); // thief * workers + victim → what came of the thief's looks
      this.counts = Array.from({ length: workers }, () => ({ executed: 0, spawned: 0, parks: 0 }));
      this.cancelled = 0;
      this.dropped = 0;

      this.starts = new Uint8Array(count); // whether the recording says that it started or was cancelled
      this.on_worker = new Int32Array(count).fill(-1); // whose stack holds the task
      this.place = new Int32Array(count).fill(-1); // whose queue it is in: a worker, or `workers`: the injector
      this.pinned_to = new Int32Array(count).fill(-1);
      this.stacks = Array.from({ length: workers }, () => []);
      this.saved = new Map(); // blocked task → the stack it took with it
      this.now_state = new Int8Array(workers).fill(-1);
      this.since = new Float64Array(workers);
      this.in_state = new Int32Array(k_states);
      this.length = new Int32Array(workers + 1);
      this.has_lengths = this.lanes.map((lane) => lane.kind.includes(kind.queue_length));
      this.batch_credit = new Int32Array(workers); // tasks in a queue that came in a batch, unnamed
      this.waiting_total = 0;
      this.waiting_for_any = 0;
      this.waiting_for = new Int32Array(workers);
      this.idle_with_own = 0; // idle workers for whom a task waits that only they may run
    }

    note_starts() {
      for (const lane of this.lanes) {
        for (let i = 0; i < lane.count; ++i) {
          if ((lane.kind[i] === kind.start || lane.kind[i] === kind.cancel) && lane.task[i] >= 0)
            this.starts[lane.task[i]] = 1;
        }
      }
    }

    run() {
      this.note_starts();
      for (let w = 0; w < this.workers; ++w) {
        if (this.lanes[w].kind[0] === kind.dropped && this.lanes[w].count > 0)
          this.enter(w, this.begin, state.unknown, -1);
        else this.guess(w, 0, this.begin);
        this.queues[w].set(this.begin, 0);
      }
      this.queues[this.workers].set(this.begin, 0);
      this.note_profile(this.begin);
      in_order_of_time(this.lanes, this.tasks.count, (lane, i) => {
        this.see(lane, i);
        this.note_profile(this.lanes[lane].time[i]);
      });
      for (let w = 0; w < this.workers; ++w) this.account(w, this.end);
    }

    // ---- states of workers ----

    is_idle(w) {
      return this.now_state[w] === state.searching || this.now_state[w] === state.parked;
    }

    account(w, time) {
      if (this.now_state[w] !== state.running) return;
      this.tasks.run_ns[this.stacks[w].at(-1)] += time - this.since[w];
      this.since[w] = time;
    }

    // A change of a stack calls account() before and settle() after.
    enter(w, time, new_state, task) {
      if (this.is_idle(w) && this.waiting_for[w] > 0) --this.idle_with_own;
      if (this.now_state[w] >= 0) --this.in_state[this.now_state[w]];
      this.now_state[w] = new_state;
      this.since[w] = time;
      ++this.in_state[new_state];
      if (this.is_idle(w) && this.waiting_for[w] > 0) ++this.idle_with_own;
      this.segments[w].set(time, new_state, task);
    }

    settle(w, time) {
      const stack = this.stacks[w];
      if (stack.length > 0) this.enter(w, time, state.running, stack.at(-1));
      else this.enter(w, time, state.searching, -1);
    }

    push(w, time, task) {
      this.take_off(time, task);
      this.account(w, time);
      this.stacks[w].push(task);
      this.on_worker[task] = w;
      this.tasks.fate[task] = fate.running;
      this.settle(w, time);
    }

    take_off(time, task) {
      const w = this.on_worker[task];
      if (w < 0) return;
      this.account(w, time);
      const at = this.stacks[w].lastIndexOf(task);
      if (at >= 0) this.stacks[w].splice(at, 1);
      this.on_worker[task] = -1;
      this.settle(w, time);
    }

    // What a worker does before event i, of which nothing is known but that event.
    guess(w, i, time) {
      const lane = this.lanes[w];
      if (i >= lane.count) return this.enter(w, time, lane.count === 0 ? state.parked : state.unknown, -1);
      const task = lane.task[i];
      if (task < 0 && lane.kind[i] !== kind.wake) return this.enter(w, time, state.searching, -1);
      switch (lane.kind[i]) {
        case kind.end:
        case kind.suspend:
        case kind.block:
          return this.push(w, time, task);
        case kind.unblock:
          return this.enter(w, time, state.blocked, task);
        case kind.wake:
          return this.enter(w, time, state.parked, -1);
        case kind.spawn:
          if (lane.argument[i] >= 0) return this.push(w, time, lane.argument[i]);
      }
      return this.enter(w, time, state.searching, -1);
    }

    forget(w, time) {
      this.account(w, time);
      for (const task of this.stacks[w]) this.on_worker[task] = -1;
      this.stacks[w] = [];
    }

    // ---- queues ----

    set_length(w, time) {
      if (!this.has_lengths[w] || w === this.workers) this.queues[w].set(time, Math.max(0, this.length[w]));
    }

    change_waiting(task, by) {
      const w = this.pinned_to[task];
      this.waiting_total += by;
      if (w < 0) {
        this.waiting_for_any += by;
        return;
      }
      const had = this.waiting_for[w] > 0,
        has = this.waiting_for[w] + by > 0;
      this.waiting_for[w] += by;
      if (had !== has && this.is_idle(w)) this.idle_with_own += has ? 1 : -1;
    }

    enqueue(task, place, time) {
      if (this.tasks.fate[task] !== fate.unknown) return;
      // Where events were lost, a task that never starts may have started long ago: it is not taken for a waiting one.
      if (this.is_incomplete && !this.starts[task]) return;
      this.tasks.fate[task] = fate.waiting;
      this.change_waiting(task, 1);
      if (this.place[task] < 0) this.place[task] = place;
      ++this.length[place];
      this.set_length(place, time);
    }

    dequeue(task, place, time) {
      if (this.tasks.fate[task] !== fate.waiting) return;
      this.change_waiting(task, -1);
      --this.length[place];
      this.set_length(place, time);
    }

    inject(task, target, time) {
      if (this.tasks.fate[task] === fate.waiting) this.dequeue(task, this.place[task], time);
      else if (this.tasks.fate[task] !== fate.unknown) return;
      this.tasks.fate[task] = fate.unknown;
      this.place[task] = -1;
      this.pinned_to[task] = target;
      this.enqueue(task, target >= 0 ? target : this.workers, time);
    }

    steal(thief, victim, task, amount, time) {
      const pair = this.pair(thief, victim);
      pair.taken += amount;
      ++pair.steals;
      const all = this.steals;
      (all.time.push(time),
        all.thief.push(thief),
        all.victim.push(victim),
        all.amount.push(amount),
        all.task.push(task));
      this.length[victim] -= amount;
      this.length[thief] += amount;
      this.set_length(victim, time);
      this.set_length(thief, time);
      this.batch_credit[thief] += amount - 1;
      if (task < 0) return;
      if (this.place[task] !== victim && this.batch_credit[victim] > 0) --this.batch_credit[victim];
      if (this.pinned_to[task] >= 0) {
        // it could be stolen, so it was no task for one worker only
        if (this.tasks.fate[task] === fate.waiting)
          (this.change_waiting(task, -1), ++this.waiting_for_any, ++this.waiting_total);
        this.pinned_to[task] = -1;
      }
      this.place[task] = thief;
      this.tasks.victim[task] = victim;
      this.tasks.steal_time[task] = time;
      this.tasks.origin[task] = origin.stolen;
    }

    start(w, task, time) {
      const tasks = this.tasks,
        place = this.place[task];
      let from = place;
      if (place === this.workers || this.pinned_to[task] >= 0) tasks.origin[task] = origin.injected;
      else if (place === w) tasks.origin[task] = tasks.victim[task] >= 0 ? origin.stolen : origin.own;
      else if (place >= 0 && this.batch_credit[w] > 0) {
        --this.batch_credit[w];
        tasks.origin[task] = origin.batch;
        tasks.victim[task] = place;
        from = w;
      } else if (place >= 0) tasks.origin[task] = origin.handed;
      if (from >= 0) this.dequeue(task, from, time);
      if (Number.isNaN(tasks.start_time[task])) ((tasks.start_time[task] = time), (tasks.start_worker[task] = w));
      this.push(w, time, task);
    }

    // A task that forks lies in the queue of its worker and can go on at once.
    suspend(w, task, reason, time) {
      this.take_off(time, task);
      this.tasks.fate[task] = fate.suspended;
      if (reason < 0 || reason !== this.fork_reason) return;
      this.tasks.fate[task] = fate.unknown;
      this.place[task] = -1;
      this.enqueue(task, w, time);
    }

    resume(w, task, time) {
      let from = this.place[task];
      if (this.tasks.fate[task] === fate.waiting && from !== w && this.batch_credit[w] > 0) {
        --this.batch_credit[w];
        from = w;
      }
      this.dequeue(task, from, time);
      this.push(w, time, task);
    }

    finish(w, task, time) {
      this.take_off(time, task);
      this.tasks.end_time[task] = time;
      if (this.tasks.fate[task] === fate.cancelled) return;
      this.tasks.fate[task] = fate.done;
      if (w < this.workers) ++this.counts[w].executed;
    }

    cancel(task, time) {
      if (this.place[task] >= 0) this.dequeue(task, this.place[task], time);
      if (this.tasks.fate[task] !== fate.cancelled) ++this.cancelled;
      this.tasks.fate[task] = fate.cancelled;
    }

    pair(thief, victim) {
      const key = thief * this.workers + victim;
      if (!this.pairs.has(key)) this.pairs.set(key, { thief, victim, taken: 0, steals: 0, lost: 0, empty: 0 });
      return this.pairs.get(key);
    }

    // ---- events ----

    see(w, i) {
      const lane = this.lanes[w],
        time = lane.time[i];
      if (w < this.workers) {
        // Another thread has the worker now that its task blocks.
        if (this.now_state[w] === state.blocked && lane.kind[i] !== kind.unblock) this.settle(w, time);
        this.see_worker(w, lane.kind[i], lane.task[i], lane.argument[i], lane.detail[i], time, i);
        if (i + 1 < lane.count && lane.kind[i + 1] === kind.dropped)
          (this.forget(w, time), this.enter(w, time, state.unknown, -1));
      } else if (lane.kind[i] === kind.dropped) {
        this.dropped += lane.argument[i];
      }
      this.see_task(w, lane.kind[i], lane.task[i], lane.argument[i], lane.detail[i], time);
    }

    see_worker(w, what, task, argument, detail, time, i) {
      const is_victim = detail >= 0 && detail < this.workers;
      switch (what) {
        case kind.start:
          if (task >= 0) this.start(w, task, time);
          break;
        case kind.resume:
          if (task >= 0) this.resume(w, task, time);
          break;
        case kind.suspend:
          if (task >= 0 && this.on_worker[task] === w) this.suspend(w, task, detail, time);
          break;
        case kind.block:
          if (task < 0) break;
          this.account(w, time);
          this.saved.set(task, this.stacks[w]);
          for (const each of this.stacks[w]) this.on_worker[each] = -1;
          this.stacks[w] = [];
          this.enter(w, time, state.blocked, task);
          break;
        case kind.unblock:
          for (const each of this.saved.get(task) ?? [task]) if (each >= 0) this.push(w, time, each);
          this.saved.delete(task);
          break;
        case kind.park:
          (this.account(w, time), ++this.counts[w].parks, this.enter(w, time, state.parked, -1));
          break;
        case kind.wake:
          this.settle(w, time);
          break;
        case kind.steal_success:
          if (is_victim) this.steal(w, detail, task, argument, time);
          break;
        case kind.steal_lost:
          if (is_victim) ++this.pair(w, detail).lost;
          break;
        case kind.steal_empty:
          if (is_victim) ++this.pair(w, detail).empty;
          break;
        case kind.queue_length:
          this.queues[w].set(time, argument);
          break;
        case kind.dropped:
          ((this.dropped += argument), this.forget(w, time), this.guess(w, i + 1, time));
          break;
      }
    }

    // What may come from workers and from external threads.
    see_task(w, what, task, argument, detail, time) {
      if (task < 0) return;
      const tasks = this.tasks;
      switch (what) {
        case kind.spawn:
          tasks.spawn_time[task] = time;
          tasks.spawn_lane[task] = w;
          tasks.parent[task] = argument;
          if (detail >= 0) tasks.name[task] = detail;
          if (w < this.workers) ++this.counts[w].spawned;
          this.enqueue(task, w, time);
          break;
        case kind.inject:
          this.inject(task, detail < this.workers ? detail : -1, time);
          break;
        case kind.name:
          tasks.name[task] = detail;
          break;
        case kind.cancel:
          this.cancel(task, time);
          break;
        case kind.end:
          this.finish(w, task, time);
          break;
      }
    }

    note_profile(time) {
      const p = this.profile,
        last = p.time.length - 1;
      const running = this.in_state[state.running],
        blocked = this.in_state[state.blocked];
      const idle = this.in_state[state.searching] + this.in_state[state.parked];
      const waiting = Math.max(0, this.waiting_for_any);
      const ready = Math.min(idle, waiting + this.idle_with_own);
      const at = last >= 0 && p.time[last] === time ? last : last + 1;
      p.time[at] = time;
      p.running[at] = running;
      p.blocked[at] = blocked;
      p.ready[at] = ready;
      p.none[at] = idle - ready;
      p.unknown[at] = this.in_state[state.unknown];
      p.waiting[at] = this.waiting_total;
    }
  }

  function replay(recording) {
    const out = new replayer(recording);
    out.run();
    return out;
  }

  return { state, fate, origin, replay };
})();

if (typeof module === "object") module.exports = filch_replay;
