// What the replay fills while it goes through time: values that change, states of a worker, what is known of each task.
"use strict";

const filch_builders = (() => {
  // Values that change at moments: value[i] holds from time[i] on. A value at the same moment replaces the one before.
  class steps {
    constructor() {
      this.time = [];
      this.value = [];
    }

    set(time, value) {
      const last = this.time.length - 1;
      if (last >= 0 && this.time[last] === time) this.value[last] = value;
      else if (last < 0 || this.value[last] !== value) {
        this.time.push(time);
        this.value.push(value);
      }
    }
  }

  class segment_list {
    constructor() {
      this.start = [];
      this.state = [];
      this.task = [];
    }

    set(time, new_state, task) {
      const last = this.start.length - 1;
      if (last >= 0 && this.start[last] === time) {
        this.state[last] = new_state;
        this.task[last] = task;
      } else if (last < 0 || this.state[last] !== new_state || this.task[last] !== task) {
        this.start.push(time);
        this.state.push(new_state);
        this.task.push(task);
      }
    }
  }

  function make_tasks(count) {
    return {
      count,
      name: new Int32Array(count).fill(-1),
      parent: new Int32Array(count).fill(-1),
      spawn_time: new Float64Array(count).fill(NaN),
      spawn_lane: new Int32Array(count).fill(-1),
      start_time: new Float64Array(count).fill(NaN),
      start_worker: new Int32Array(count).fill(-1),
      end_time: new Float64Array(count).fill(NaN),
      run_ns: new Float64Array(count),
      fate: new Uint8Array(count),
      origin: new Uint8Array(count),
      victim: new Int32Array(count).fill(-1),
      steal_time: new Float64Array(count).fill(NaN),
    };
  }

  return { steps, segment_list, make_tasks };
})();

if (typeof module === "object") module.exports = filch_builders;
