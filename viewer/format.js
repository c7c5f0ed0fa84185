// Reads a .filch recording: bytes in, columns of events out. The format is described in docs/architecture/trace.md.
//
// parse(bytes) never throws for what the bytes contain. What the good blocks said is returned together with `error`:
// why the rest could not be read; it is empty when everything could.
//
// Task numbers have 64 bits and are not dense. Here a task is its index in the order of first appearance; id_text()
// gives the number back.
"use strict";

const filch_format = (() => {
  const k_magic = [0x89, 0x66, 0x69, 0x6c, 0x63, 0x68, 0x0d, 0x0a];
  const k_versions = [1, 2];
  const k_head_bytes = 12;

  // The numbers of the event kinds, as the file has them.
  const kind = {
    spawn: 0,
    start: 1,
    end: 2,
    steal_attempt: 3,
    steal_success: 4,
    steal_lost: 5,
    steal_empty: 6,
    inject: 7,
    park: 8,
    wake: 9,
    notify: 10,
    suspend: 11,
    resume: 12,
    block: 13,
    unblock: 14,
    name: 15,
    cancel: 16,
    queue_length: 17,
    counter: 18,
    dropped: 19,
    join: 20,
    woken: 21,
  };

  // In version 2: first bytes of events that what came before foretells.
  const k_next_spawn = 31; // the task behind the last spawned, of the same parent, with the same name
  const k_last_join = 30; // the last parent joins the last task
  const k_last_end = 29; // the last task ends

  const crc_table = (() => {
    const table = new Uint32Array(256);
    for (let i = 0; i < 256; ++i) {
      let value = i;
      for (let bit = 0; bit < 8; ++bit) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
      table[i] = value;
    }
    return table;
  })();

  function crc32(bytes, begin, end, before = 0) {
    let value = ~before;
    for (let i = begin; i < end; ++i) value = crc_table[(value ^ bytes[i]) & 0xff] ^ (value >>> 8);
    return ~value >>> 0;
  }

  class broken extends Error {}

  // Reads numbers from a stretch of bytes. A 64-bit number is left in `hi` and `lo`.
  class cursor {
    constructor(bytes, begin, end) {
      this.bytes = bytes;
      this.at = begin;
      this.end = end;
      this.hi = 0;
      this.lo = 0;
    }

    byte() {
      if (this.at >= this.end) throw new broken("a block ends in the middle of a value");
      return this.bytes[this.at++];
    }

    varint() {
      let low = 0,
        middle = 0,
        high = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = this.byte();
        if (shift < 28) low |= (byte & 127) << shift;
        else if (shift < 56) middle |= (byte & 127) << (shift - 28);
        else if (shift < 70) high |= (byte & 127) << (shift - 56);
        else throw new broken("a number has more than 64 bits");
        if (byte < 128) break;
      }
      this.lo = (low | (middle << 28)) >>> 0;
      this.hi = ((middle >>> 4) | (high << 24)) >>> 0;
    }

    // The last number, zigzag undone.
    unzigzag() {
      const mask = -(this.lo & 1);
      this.lo = (((this.lo >>> 1) | (this.hi << 31)) ^ mask) >>> 0;
      this.hi = ((this.hi >>> 1) ^ mask) >>> 0;
    }

    // The last number plus another, modulo 2^64.
    add(hi, lo) {
      const sum = this.lo + lo;
      this.lo = sum >>> 0;
      this.hi = (this.hi + hi + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    }

    number() {
      this.varint();
      return this.hi * 0x100000000 + this.lo;
    }

    signed() {
      return (this.hi | 0) * 0x100000000 + this.lo;
    }

    text() {
      const length = this.number();
      if (length > this.end - this.at) throw new broken("a text is longer than its block");
      this.at += length;
      return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
    }
  }

  // Gives each task number an index.
  class task_index {
    constructor() {
      this.near = new Map(); // numbers that a double holds exactly
      this.far = new Map();
      this.hi = [];
      this.lo = [];
    }

    of(hi, lo) {
      if (hi === 0xffffffff && lo === 0xffffffff) return -1;
      const is_near = hi < 0x200000;
      const key = is_near ? hi * 0x100000000 + lo : `${hi}:${lo}`;
      const map = is_near ? this.near : this.far;
      let index = map.get(key);
      if (index === undefined) {
        index = this.hi.length;
        map.set(key, index);
        this.hi.push(hi);
        this.lo.push(lo);
      }
      return index;
    }
  }

  // Events of one worker or of external threads. `task` and the `argument` of a spawn, and of a join or woken of
  // version 2, are indices of tasks; -1 is none, also in `detail`.
  function make_lane(count) {
    return {
      count: 0,
      time: new Float64Array(count),
      kind: new Uint8Array(count),
      task: new Int32Array(count),
      argument: new Float64Array(count),
      detail: new Int32Array(count),
    };
  }

  function append(lane, time, what, task, argument, detail) {
    const i = lane.count;
    lane.time[i] = time;
    lane.kind[i] = what;
    lane.task[i] = task;
    lane.argument[i] = argument;
    lane.detail[i] = detail;
    lane.count = i + 1;
  }

  function read_events_1(from, lane, tasks) {
    let time = 0,
      task_hi = 0,
      task_lo = 0;
    for (let left = from.number(); left > 0; --left) {
      const first = from.byte();
      const what = first & 31;
      from.varint();
      from.unzigzag();
      time += from.signed();
      let task = -1;
      if (first & 32) {
        from.varint();
        from.unzigzag();
        from.add(task_hi, task_lo);
        task_hi = from.hi;
        task_lo = from.lo;
        task = tasks.of(task_hi, task_lo);
      }
      let argument = 0;
      if (first & 64) {
        from.varint();
        if (what === kind.spawn) {
          from.unzigzag();
          from.add(task_hi, task_lo);
          argument = tasks.of(from.hi, from.lo);
        } else {
          argument = what === kind.counter ? from.signed() : from.hi * 0x100000000 + from.lo;
        }
      } else if (what === kind.spawn) {
        argument = tasks.of(0, 0);
      }
      const detail = first & 128 ? from.number() : -1;
      append(lane, time, what, task, argument, detail);
    }
  }

  // Version 2 counts tasks from the last spawned one, the last parent or the last task, by the kind of the event.
  function read_events_2(from, lane, tasks) {
    const task = { hi: 0, lo: 0 },
      spawned = { hi: 0, lo: 0 },
      parent = { hi: 0, lo: 0 };
    const none = { hi: 0xffffffff, lo: 0xffffffff };
    let time = 0,
      name = -1,
      is_first = true;
    const index_of = (what) => tasks.of(what.hi, what.lo);
    const difference_from = (base) => {
      from.varint();
      from.unzigzag();
      from.add(base.hi, base.lo);
      return { hi: from.hi, lo: from.lo };
    };
    for (let left = from.number(); left > 0; --left, is_first = false) {
      const first = from.byte();
      from.varint();
      if (is_first) from.unzigzag();
      time += from.signed();
      let what = first & 31;
      let subject = none,
        argument = 0,
        detail = -1;
      let other = { hi: 0, lo: 0 }; // the argument, where it is a task
      if (first === k_next_spawn) {
        what = kind.spawn;
        const lo = spawned.lo + 1;
        subject = { hi: (spawned.hi + (lo > 0xffffffff ? 1 : 0)) >>> 0, lo: lo >>> 0 };
        other = { ...parent };
        detail = name;
      } else if (first === k_last_join) {
        what = kind.join;
        subject = { ...parent };
        other = { ...task };
      } else if (first === k_last_end) {
        what = kind.end;
        subject = { ...task };
      } else {
        if (first & 32) subject = difference_from(what === kind.spawn ? spawned : what === kind.join ? parent : task);
        if (first & 64) {
          if (what === kind.spawn) other = difference_from(parent);
          else if (what === kind.join || what === kind.woken) other = difference_from(task);
          else {
            from.varint();
            argument = what === kind.counter ? from.signed() : from.hi * 0x100000000 + from.lo;
          }
        }
        if (first & 128) detail = from.number();
      }
      if (what === kind.join) argument = other.hi === 0 && other.lo === 0 ? -1 : index_of(other);
      else if (what === kind.spawn || what === kind.woken) argument = index_of(other);
      append(lane, time, what, index_of(subject), argument, detail);
      if (what === kind.spawn) {
        Object.assign(spawned, subject);
        Object.assign(parent, other);
        name = detail;
      } else if (what === kind.join) {
        Object.assign(parent, subject);
      } else if (subject !== none) {
        Object.assign(task, subject);
      }
    }
  }

  // The blocks whose checksums are right, up to the first that is not, and why it stopped.
  function list_blocks(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const blocks = [];
    if (bytes.length < k_head_bytes || k_magic.some((value, i) => bytes[i] !== value)) {
      return { blocks, error: "this is no .filch recording" };
    }
    const version = view.getUint16(8, true);
    if (!k_versions.includes(version)) {
      return { blocks, error: `format version ${version} is unknown; known are ${k_versions.join(" and ")}` };
    }
    for (let at = k_head_bytes; ;) {
      if (at + 12 > bytes.length) return { blocks, error: `the recording breaks off at byte ${at}`, version };
      const type = String.fromCharCode(...bytes.subarray(at, at + 4));
      const begin = at + 12,
        end = begin + view.getUint32(at + 4, true);
      if (end > bytes.length) {
        return { blocks, error: `the recording breaks off in block ${type} at byte ${at}`, version };
      }
      if (crc32(bytes, begin, end, crc32(bytes, at, at + 8)) !== view.getUint32(at + 8, true)) {
        return { blocks, error: `block ${type} at byte ${at} is damaged`, version };
      }
      blocks.push({ type, begin, end });
      if (type === "DONE") return { blocks, error: "", version };
      at = end;
    }
  }

  function read_metadata(from) {
    const about = [];
    for (let left = from.number(); left > 0; --left) about.push([from.text(), from.text()]);
    return about;
  }

  function read_names(from, names) {
    from.number();
    for (let left = from.number(); left > 0; --left) {
      const text = from.text();
      const colour = from.byte() ? `rgb(${from.byte()} ${from.byte()} ${from.byte()})` : "";
      names.push({ text, colour });
    }
  }

  function parse(bytes) {
    const { blocks, error, version } = list_blocks(bytes);
    const read_events = version === 1 ? read_events_1 : read_events_2;
    const out = { about: [], workers: 0, names: [], lanes: [], tasks: new task_index(), events: 0, error };
    try {
      const head = blocks.find((block) => block.type === "META");
      if (head) out.about = read_metadata(new cursor(bytes, head.begin, head.end));
      // What became known only while the run was recorded.
      for (const block of blocks.filter((each) => each.type === "FACT")) {
        for (const [key, value] of read_metadata(new cursor(bytes, block.begin, block.end))) {
          const known = out.about.find((entry) => entry[0] === key);
          if (known) known[1] = value;
          else out.about.push([key, value]);
        }
      }
      out.workers = Number(out.about.find(([key]) => key === "workers")?.[1] ?? 0);
      // Lane w is worker w; the last one is that of external threads.
      const lane_of = (code) => (code === 0 ? out.workers : code - 1);
      const sizes = new Array(out.workers + 1).fill(0);
      const events = blocks.filter((block) => block.type === "EVNT");
      for (const block of events) {
        const from = new cursor(bytes, block.begin, block.end);
        const lane = lane_of(from.number());
        if (lane > out.workers) throw new broken("a block belongs to a worker that does not exist");
        sizes[lane] += from.number();
      }
      out.lanes = sizes.map(make_lane);
      for (const block of blocks.filter((each) => each.type === "NAME")) {
        read_names(new cursor(bytes, block.begin, block.end), out.names);
      }
      for (const block of events) {
        const from = new cursor(bytes, block.begin, block.end);
        read_events(from, out.lanes[lane_of(from.number())], out.tasks);
      }
    } catch (problem) {
      if (!(problem instanceof broken) && !(problem instanceof RangeError)) throw problem;
      out.error = problem.message;
    }
    out.events = out.lanes.reduce((sum, lane) => sum + lane.count, 0);
    return out;
  }

  // From the first to the last event; never empty.
  function time_range(lanes) {
    let begin = Infinity,
      end = -Infinity;
    for (const lane of lanes) {
      if (lane.count === 0) continue;
      begin = Math.min(begin, lane.time[0]);
      end = Math.max(end, lane.time[lane.count - 1]);
    }
    if (!(begin <= end)) begin = end = 0;
    return { begin, end: Math.max(end, begin + 1) };
  }

  // The number of a task, as the recording has it.
  function id_text(tasks, index) {
    const hi = tasks.hi[index],
      lo = tasks.lo[index];
    return hi < 0x200000 ? String(hi * 0x100000000 + lo) : String((BigInt(hi) << 32n) | BigInt(lo));
  }

  function from_base64(text) {
    const raw = atob(text.trim());
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
    return bytes;
  }

  return { kind, parse, time_range, id_text, from_base64, crc32 };
})();

if (typeof module === "object") module.exports = filch_format;
