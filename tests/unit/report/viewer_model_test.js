// The viewer's pure functions: reading the format, replaying events, what is visible, what is said.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { describe, test } = require("node:test");

const viewer = process.env.FILCH_VIEWER;
const format = require(`${viewer}/format.js`);
const order = require(`${viewer}/order.js`);
const model_of = require(`${viewer}/model.js`);
const say = require(`${viewer}/text.js`);
const curves = require(`${viewer}/curves.js`);
const { encode, k_none } = require("./viewer_encoder.js");
const { state, fate, origin } = model_of;

const read = (what) => format.parse(encode(what));
const build = (what) => model_of.build(read(what));

// [state, start, task's number or none] of each stretch of a worker.
function stretches(model, w) {
  const { start, state: states, task } = model.segments[w];
  const names = Object.keys(state);
  return Array.from(start, (at, i) => [
    names[states[i]],
    at,
    ...(task[i] >= 0 ? [format.id_text(model.recording.tasks, task[i])] : []),
  ]);
}

function index_of(model, id) {
  return model.recording.tasks.hi.findIndex((_, i) => format.id_text(model.recording.tasks, i) === String(id));
}

describe("the format", () => {
  test("keeps numbers of 64 bits, times before zero, names, colours and details", () => {
    const far = (1n << 63n) + 12345678901n;
    const out = read({
      workers: 1,
      about: { seed: "18446744073709551615", policy: "ö <b>" },
      names: [["leaf", [1, 2, 3]], ["root"]],
      lanes: {
        0: [
          ["spawn", -5, { task: far, argument: 3n, detail: 1 }],
          ["start", 7, { task: 3n }],
          ["spawn", 8, { task: 9n, argument: k_none }],
          ["counter", 2 ** 40, { argument: -7, detail: 0 }],
        ],
      },
    });
    assert.equal(out.error, "");
    assert.equal(out.events, 4);
    const lane = out.lanes[0];
    assert.deepEqual([...lane.time], [-5, 7, 8, 2 ** 40]);
    assert.equal(format.id_text(out.tasks, lane.task[0]), String(far));
    assert.equal(format.id_text(out.tasks, lane.argument[0]), "3");
    assert.equal(lane.task[1], lane.argument[0]);
    assert.equal(lane.argument[2], -1);
    assert.equal(lane.argument[3], -7);
    assert.deepEqual([...lane.detail], [1, -1, -1, 0]);
    assert.deepEqual(out.names, [
      { text: "leaf", colour: "rgb(1 2 3)" },
      { text: "root", colour: "" },
    ]);
    assert.deepEqual(out.about, [
      ["workers", "1"],
      ["seed", "18446744073709551615"],
      ["policy", "ö <b>"],
    ]);
  });

  test("says what is wrong and keeps what came before, wherever the bytes break off or are damaged", () => {
    const whole = encode({
      workers: 1,
      names: [["a"]],
      lanes: {
        0: [
          ["start", 1, { task: 1 }],
          ["end", 2, { task: 1 }],
        ],
      },
    });
    for (let length = 0; length < whole.length; ++length) {
      assert.notEqual(format.parse(whole.subarray(0, length)).error, "", `cut at ${length}`);
    }
    for (let at = 0; at < whole.length; ++at) {
      const damaged = whole.slice();
      damaged[at] ^= 0x55;
      if (at < 10 || at >= 12) assert.notEqual(format.parse(damaged).error, "", `damaged at ${at}`);
    }
    const without_end = format.parse(whole.subarray(0, whole.length - 13));
    assert.match(without_end.error, /breaks off/);
    assert.equal(without_end.events, 2);
  });

  test("visits events in the order of time, outside threads first", () => {
    const out = read({
      workers: 3,
      lanes: {
        0: [
          ["park", 5],
          ["wake", 9],
        ],
        1: [
          ["park", 1],
          ["wake", 5],
        ],
        2: [],
        outside: [["counter", 5, { argument: 1, detail: 0 }]],
      },
    });
    const seen = [];
    order.in_order_of_time(out.lanes, out.tasks.hi.length, (lane, i) => seen.push([lane, i]));
    assert.deepEqual(seen, [
      [1, 0],
      [3, 0],
      [0, 0],
      [1, 1],
      [0, 1],
    ]);
  });
});

describe("the replay", () => {
  // The bug: the page took the time before it for that of task -1, and failed.
  test("knows nothing before an event that names no task", () => {
    for (const name of ["end", "suspend", "block", "unblock"]) {
      const model = build({
        workers: 1,
        lanes: {
          0: [
            ["start", 1, { task: 1 }],
            ["end", 2, { task: 1 }],
            ["dropped", 3, { argument: 5 }],
            [name, 6],
            ["start", 7, { task: 2 }],
            ["end", 9, { task: 2 }],
          ],
        },
      });
      assert.deepEqual([...model.tasks.run_ns], [1, 2], name);
      assert.ok(Number.isFinite(model.share.running), name);
    }
  });

  test("makes one stretch per state of a worker", () => {
    const model = build({
      workers: 2,
      lanes: {
        0: [
          ["start", 10, { task: 1 }],
          ["end", 30, { task: 1 }],
          ["park", 40],
          ["wake", 60],
          ["start", 70, { task: 2 }],
          ["end", 100, { task: 2 }],
        ],
      },
    });
    assert.deepEqual(stretches(model, 0), [
      ["running", 10, "1"],
      ["searching", 30],
      ["parked", 40],
      ["searching", 60],
      ["running", 70, "2"],
      ["searching", 100],
    ]);
    assert.deepEqual(stretches(model, 1), [["parked", 10]], "a worker without events slept");
    assert.equal(model.tasks.run_ns[index_of(model, 2)], 30);
    assert.equal(model.totals.executed, 2);
  });

  test("cuts a task that moves to another worker", () => {
    const model = build({
      workers: 2,
      lanes: {
        0: [
          ["start", 0, { task: 1 }],
          ["suspend", 10, { task: 1 }],
        ],
        1: [
          ["resume", 25, { task: 1 }],
          ["end", 40, { task: 1 }],
        ],
      },
    });
    assert.deepEqual(stretches(model, 0), [
      ["running", 0, "1"],
      ["searching", 10],
    ]);
    assert.deepEqual(stretches(model, 1), [
      ["searching", 0],
      ["running", 25, "1"],
      ["searching", 40],
    ]);
    assert.equal(model.tasks.run_ns[0], 25);
    assert.equal(model.tasks.end_time[0], 40);
    assert.equal(model.tasks.start_worker[0], 0);
  });

  test("shows the innermost of nested tasks", () => {
    const model = build({
      workers: 1,
      lanes: {
        0: [
          ["start", 0, { task: 1 }],
          ["start", 10, { task: 2 }],
          ["end", 20, { task: 2 }],
          ["end", 50, { task: 1 }],
          ["park", 60],
        ],
      },
    });
    assert.deepEqual(stretches(model, 0).slice(0, 4), [
      ["running", 0, "1"],
      ["running", 10, "2"],
      ["running", 20, "1"],
      ["searching", 50],
    ]);
    assert.equal(model.tasks.run_ns[index_of(model, 1)], 40);
  });

  test("lets a blocked task leave its worker, with all it is nested in, and go on at another", () => {
    const model = build({
      workers: 2,
      lanes: {
        0: [
          ["start", 0, { task: 1 }],
          ["start", 5, { task: 2 }],
          ["block", 10, { task: 2 }],
          ["start", 20, { task: 3 }],
          ["end", 30, { task: 3 }],
        ],
        1: [
          ["unblock", 40, { task: 2 }],
          ["end", 50, { task: 2 }],
          ["end", 60, { task: 1 }],
        ],
      },
    });
    assert.deepEqual(stretches(model, 0), [
      ["running", 0, "1"],
      ["running", 5, "2"],
      ["blocked", 10, "2"],
      ["running", 20, "3"],
      ["searching", 30],
    ]);
    assert.deepEqual(stretches(model, 1).slice(1), [
      ["running", 40, "2"],
      ["running", 50, "1"],
      ["searching", 60],
    ]);
  });

  test("knows what a worker did before its first event", () => {
    const of = (first) => stretches(build({ workers: 2, lanes: { 0: [["park", 0]], 1: [first, ["park", 90]] } }), 1)[0];
    assert.deepEqual(of(["end", 50, { task: 4 }]), ["running", 0, "4"]);
    assert.deepEqual(of(["wake", 50]), ["parked", 0]);
    assert.deepEqual(of(["spawn", 50, { task: 5, argument: 4 }]), ["running", 0, "4"]);
    assert.deepEqual(of(["start", 50, { task: 4 }]), ["searching", 0]);
  });

  test("knows nothing of a gap, and guesses again after it", () => {
    const model = build({
      workers: 1,
      lanes: {
        0: [
          ["start", 0, { task: 1 }],
          ["dropped", 40, { argument: 12 }],
          ["end", 60, { task: 7 }],
          ["park", 70],
          ["dropped", 100, { argument: 3 }],
        ],
      },
    });
    assert.deepEqual(stretches(model, 0), [
      ["unknown", 0],
      ["running", 40, "7"],
      ["searching", 60],
      ["unknown", 70],
    ]);
    assert.equal(model.totals.dropped, 15);
    assert.match(say.warnings(model).join(), /15 events of this run were lost/);
  });

  test("tells idle workers whom work awaits from those without", () => {
    // 0–10: one runs, one idle, nothing waits; 10–30: a task waits; 30–50: both run; 50–60: both idle.
    const model = build({
      workers: 2,
      lanes: {
        0: [
          ["start", 0, { task: 1 }],
          ["spawn", 10, { task: 2, argument: 1 }],
          ["end", 50, { task: 1 }],
          ["park", 60],
        ],
        1: [
          ["park", 0],
          ["wake", 25],
          ["steal_success", 29, { task: 2, argument: 1, detail: 0 }],
          ["start", 30, { task: 2 }],
          ["end", 50, { task: 2 }],
        ],
      },
    });
    const area = (part) => model_of.area_until(model.profile[part], 60);
    assert.deepEqual([area("running"), area("ready"), area("none")], [70, 20, 30]);
  });

  test("holds a task for one worker against nobody else", () => {
    const model = build({
      workers: 2,
      lanes: {
        outside: [
          ["spawn", 0, { task: 2, argument: k_none }],
          ["inject", 0, { task: 2, detail: 1 }],
        ],
        0: [["park", 0]],
        1: [
          ["start", 0, { task: 1 }],
          ["end", 20, { task: 1 }],
          ["start", 25, { task: 2 }],
          ["end", 40, { task: 2 }],
        ],
      },
    });
    const area = (part) => model_of.area_until(model.profile[part], 40);
    assert.deepEqual([area("running"), area("ready"), area("none")], [35, 5, 40]);
    assert.equal(model.tasks.origin[index_of(model, 2)], origin.injected);
  });

  test("derives the lengths of queues, also of those that grow by a batch", () => {
    const spawn = (at, task) => ["spawn", at, { task, argument: 1 }];
    const model = build({
      workers: 2,
      lanes: {
        outside: [
          ["spawn", 0, { task: 1, argument: k_none }],
          ["inject", 0, { task: 1 }],
        ],
        0: [
          ["start", 10, { task: 1 }],
          spawn(11, 2),
          spawn(12, 3),
          spawn(13, 4),
          spawn(14, 5),
          ["end", 30, { task: 1 }],
          ["start", 31, { task: 5 }],
          ["end", 90, { task: 5 }],
        ],
        1: [
          ["steal_success", 20, { task: 2, argument: 3, detail: 0 }],
          ["start", 21, { task: 2 }],
          ["end", 40, { task: 2 }],
          ["start", 41, { task: 4 }],
          ["end", 50, { task: 4 }],
        ],
      },
    });
    const length = (row, at) => model_of.value_at(model.queues[row], at);
    assert.deepEqual(
      [0, 9, 10].map((at) => length(2, at)),
      [1, 1, 0],
      "the injector",
    );
    assert.deepEqual(
      [10, 12, 14, 20, 31].map((at) => length(0, at)),
      [0, 2, 4, 1, 0],
    );
    assert.deepEqual(
      [19, 20, 21, 41].map((at) => length(1, at)),
      [0, 3, 2, 1],
    );
    assert.equal(model.tasks.origin[index_of(model, 4)], origin.batch);
    assert.equal(model.tasks.origin[index_of(model, 2)], origin.stolen);
    assert.equal(model.queues_are_derived, true);
    assert.equal(model.totals.unfinished, 1, "task 3 never ran");
  });

  test("believes recorded lengths of queues", () => {
    const model = build({
      workers: 1,
      lanes: {
        0: [
          ["spawn", 0, { task: 1, argument: k_none }],
          ["queue_length", 10, { argument: 17 }],
          ["queue_length", 20],
          ["park", 30],
        ],
      },
    });
    assert.deepEqual(
      [0, 10, 19, 20].map((at) => model_of.value_at(model.queues[0], at)),
      [0, 17, 17, 0],
    );
    assert.equal(model.queues_are_derived, false);
  });

  test("counts who stole from whom", () => {
    const model = build({
      workers: 3,
      lanes: {
        0: [["park", 0]],
        1: [
          ["steal_success", 1, { task: 1, argument: 4, detail: 0 }],
          ["steal_empty", 2, { detail: 0 }],
          ["steal_lost", 3, { detail: 2 }],
        ],
        2: [
          ["steal_success", 1, { task: 9, argument: 1, detail: 0 }],
          ["steal_success", 5, { task: 8, argument: 2, detail: 1 }],
        ],
      },
    });
    const pair = (thief, victim) => model.pairs.get(thief * 3 + victim);
    assert.deepEqual(pair(1, 0), { thief: 1, victim: 0, taken: 4, steals: 1, lost: 0, empty: 1 });
    assert.deepEqual(pair(2, 1), { thief: 2, victim: 1, taken: 2, steals: 1, lost: 0, empty: 0 });
    assert.deepEqual(
      model.rows.map((row) => [row.stolen, row.robbed, row.looks]),
      [
        [0, 5, 0],
        [4, 2, 3],
        [3, 0, 2],
      ],
    );
    assert.deepEqual([model.totals.steals, model.totals.stolen, model.totals.looks], [3, 7, 5]);
  });

  test("does not count cancelled tasks as executed", () => {
    const model = build({
      workers: 1,
      lanes: {
        0: [
          ["spawn", 0, { task: 1, argument: k_none }],
          ["spawn", 0, { task: 2, argument: k_none }],
          ["start", 1, { task: 1 }],
          ["cancel", 2, { task: 1 }],
          ["end", 2, { task: 1 }],
          ["cancel", 3, { task: 2 }],
        ],
      },
    });
    assert.deepEqual([model.totals.executed, model.totals.cancelled, model.totals.unfinished], [0, 2, 0]);
    assert.equal(model.tasks.fate[0], fate.cancelled);
  });

  test("survives recordings of nothing", () => {
    for (const workers of [0, 1, 3]) {
      const model = build({ workers, lanes: {} });
      assert.equal(model.end - model.begin, 1);
      assert.match(say.summary(model), /holds no task/);
    }
  });
});

describe("the level of detail", () => {
  const tiny = [
    ["start", 0, { task: 1 }],
    ["end", 25, { task: 1 }],
    ["start", 50, { task: 2 }],
    ["end", 60, { task: 2 }],
    ["park", 80],
    ["wake", 100],
  ];
  const model = build({ workers: 1, lanes: { 0: tiny } });

  test("gives each part the shares of the states in it", () => {
    const { part, task, wide } = model_of.columns(model, 0, 0, 100, 2, 0.3);
    const shares = (x) => [state.running, state.searching, state.parked].map((s) => Number(part[s * 2 + x].toFixed(5)));
    assert.deepEqual(shares(0), [0.5, 0.5, 0]);
    assert.deepEqual(shares(1), [0.2, 0.4, 0.4]);
    assert.deepEqual([...task], [index_of(model, 1), index_of(model, 2)]);
    assert.equal(wide.length, 4, "all but that of task 2");
  });

  test("loses no time, however the view is cut", () => {
    for (const [begin, end, count] of [
      [0, 100, 7],
      [13, 77, 640],
      [24, 26, 3],
      [-50, 150, 10],
    ]) {
      const { part } = model_of.columns(model, 0, begin, end, count);
      const inside = (Math.min(end, 100) - Math.max(begin, 0)) * (count / (end - begin));
      const sum = part.reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - inside) < 1e-3 * count, `${sum} is not ${inside}`);
    }
  });

  test("has means that add up to the area", () => {
    const values = model_of.means(model.profile.running, 0, 100, 9);
    assert.ok(Math.abs(values.reduce((a, b) => a + b, 0) * (100 / 9) - 35) < 1e-9);
  });

  test("draws one steal per pair and place", () => {
    const steal = (at) => ["steal_success", at, { task: at, argument: 1, detail: 0 }];
    const many = build({
      workers: 2,
      lanes: {
        0: [
          ["park", 0],
          ["wake", 1000],
        ],
        1: [steal(10), steal(11), steal(12), steal(500)],
      },
    });
    const shown = (begin, end, count) => {
      const { chosen, all } = model_of.steals_between(many, begin, end, count);
      return [chosen.length, all];
    };
    assert.deepEqual(shown(0, 1000, 10), [2, 4]);
    assert.deepEqual(shown(9, 13, 100), [3, 3]);
    assert.deepEqual(shown(11, 12, 100), [2, 2]);
    assert.deepEqual(shown(600, 700, 10), [0, 0]);
  });

  test("keeps the view inside the recording", () => {
    assert.deepEqual(model_of.clamp_view(model, -30, 20), { begin: 0, end: 50 });
    assert.deepEqual(model_of.clamp_view(model, 90, 140), { begin: 50, end: 100 });
    assert.deepEqual(model_of.clamp_view(model, -500, 900), { begin: 0, end: 100 });
    assert.deepEqual(model_of.clamp_view(model, 50, 50), { begin: 50, end: 70 });
  });

  test("has round ticks", () => {
    assert.deepEqual(model_of.ticks(0, 100, 5), { step: 20, at: [0, 20, 40, 60, 80, 100] });
    assert.deepEqual(model_of.ticks(13, 16, 3).at, [13, 14, 15, 16]);
  });
});

describe("several runs", () => {
  const run = (order, length) => ({
    workers: 1,
    names: order.map((text) => [text]),
    lanes: {
      0: order.flatMap((_, i) => [
        ["spawn", 100 * i, { task: i + 1, argument: k_none, detail: i }],
        ["start", 100 * i, { task: i + 1 }],
        ["end", 100 * i + length, { task: i + 1 }],
      ]),
    },
  });

  test("have the same colour for the same name", () => {
    const [first, second] = model_of.build_all([read(run(["a", "b"], 10)), read(run(["c", "b"], 30))]);
    const texts = (model) => model.classes.map((each) => each.text);
    assert.deepEqual(texts(first), texts(second));
    assert.deepEqual(texts(first), ["b", "c", "a"]);
    assert.equal(first.classes[first.class_of[1]].text, "b");
    assert.equal(second.classes[second.class_of[1]].text, "b");
    assert.deepEqual(
      first.classes.map((each) => each.count),
      [1, 0, 1],
    );
    assert.equal(second.classes[0].median_ns, 30);
  });

  test("a shorter one shows nothing after its end", () => {
    const model = build(run(["a"], 10));
    assert.deepEqual([...model_of.means(model.profile.running, 0, 40, 4, model.end)], [1, 0, 0, 0]);
    assert.equal(say.profile_tip(model, 35), null);
  });
});

describe("moments of simulated time", () => {
  test("have causes before effects", () => {
    // All at time 5: worker 1 spawns 2, and worker 0 takes and starts it.
    const model = build({
      workers: 2,
      lanes: {
        0: [
          ["steal_success", 5, { task: 2, argument: 1, detail: 1 }],
          ["start", 5, { task: 2 }],
          ["end", 9, { task: 2 }],
        ],
        1: [
          ["start", 0, { task: 1 }],
          ["spawn", 5, { task: 2, argument: 1 }],
          ["end", 9, { task: 1 }],
        ],
      },
    });
    assert.equal(model.tasks.origin[index_of(model, 2)], origin.stolen);
    assert.equal(model.tasks.parent[index_of(model, 2)], index_of(model, 1));
    assert.equal(model_of.area_until(model.profile.ready, 9), 0);
  });

  test("let a task move more than once, and the last worker keeps it", () => {
    const model = build({
      workers: 3,
      lanes: {
        0: [
          ["resume", 5, { task: 1 }],
          ["end", 9, { task: 1 }],
        ],
        1: [
          ["resume", 5, { task: 1 }],
          ["suspend", 5, { task: 1 }],
        ],
        2: [
          ["start", 0, { task: 1 }],
          ["suspend", 5, { task: 1 }],
          ["park", 9],
        ],
      },
    });
    assert.deepEqual(
      model.rows.map((row) => row.times[state.running]),
      [4, 0, 5],
    );
  });
});

describe("the critical path", () => {
  const model = model_of.with_path(
    build({
      workers: 2,
      lanes: {
        0: [
          ["park", 0],
          ["wake", 100],
        ],
        1: [["park", 0]],
      },
    }),
    [0, 0, 10, 0, 11, 20, 1, 50, 90],
  );

  test("is merged where pixels do not tell its stretches apart", () => {
    assert.deepEqual(model_of.path_between(model, 0, 100, 10), [
      { worker: 0, begin: 0, end: 20 },
      { worker: 1, begin: 50, end: 90 },
    ]);
    assert.equal(model_of.path_between(model, 0, 100, 1000).length, 3);
    assert.equal(model_of.path_between(model, 30, 45, 10).filter((each) => each.end > 30).length, 0);
  });

  test("knows who is on it", () => {
    assert.deepEqual(
      [
        [0, 5, 6],
        [0, 10, 11],
        [1, 5, 6],
        [1, 89, 95],
        [1, 90, 95],
      ].map(([w, begin, end]) => model_of.is_on_path(model, w, begin, end)),
      [true, false, false, true, false],
    );
  });
});

describe("nodes", () => {
  const of = (numa_nodes) => build({ workers: 4, about: { numa_nodes }, lanes: {} });

  test("order the workers of the matrix", () => {
    const model = of("0 1 0 1");
    assert.deepEqual(model.order, [0, 2, 1, 3]);
    assert.deepEqual(model.nodes, [0, 1, 0, 1]);
    assert.match(say.pair_tip(model, 0, 3)[1][0].join(), /nodes,0 ← 1/);
  });

  test("are left out where there is one, or none is known", () => {
    for (const text of ["0 0 0 0", "0 1", "", "a b c d"]) {
      assert.equal(of(text).nodes, null, text);
      assert.deepEqual(of(text).order, [0, 1, 2, 3]);
    }
  });
});

describe("curves", () => {
  const plain = (text) => text.replaceAll("\u202f", " ");
  const data = {
    work_ns: 1000,
    span_ns: 100,
    burdened_span_ns: 150,
    curves: [{ name: "simulated", points: [[4, 300, 280, 320], [1, 1000, 0, 0]] }],
    bounds: [[1, 1000, 1000, 1000], [2, 500, 550, 628], [4, 250, 325, 441]],
  };

  test("of speed-up are work over time, in the order of workers, with the bounds", () => {
    const chart = curves.speed_up(data);
    assert.deepEqual(
      chart.curves[0].points.map(({ x, value }) => [x, Number(value.toFixed(3))]),
      [
        [1, 1],
        [4, 3.333],
      ],
    );
    assert.equal(chart.limit, 10);
    const [title, lines] = curves.speed_up_tip(chart, 4);
    assert.equal(title, "4 workers");
    assert.deepEqual(
      lines.map((line) => plain(line.join(": "))),
      [
        "simulated: 3.33× (300 ns, 3.13× to 3.57×)",
        "work bound: 4.00×",
        "span bound: 10.00×",
        "Graham’s guarantee: 3.08×",
        "expected with the burden of steals: 2.27×",
      ],
    );
    assert.equal(curves.nearest_x(chart, 0.9), 4);
  });

  test("of granularity know their best point", () => {
    const points = [[1000, 50, 0, 0], [10, 90, 80, 95], [100, 40, 0, 0]];
    const chart = curves.granularity([{ name: "measured", points }]);
    assert.equal(chart.curves[0].best.x, 100);
    assert.deepEqual(
      curves.granularity_tip(chart, 10)[1].map((line) => plain(line.join(": "))),
      ["measured: 90 ns, 80 ns to 95 ns: 2.25× the best"],
    );
    assert.equal(curves.granularity([]), null);
  });

  test("have scales that go both ways, and round ticks", () => {
    for (const is_log of [false, true]) {
      const scale = curves.make_scale(1, 64, is_log);
      for (const value of [1, 3, 64]) assert.ok(Math.abs(scale.at(scale.share(value)) - value) < 1e-9);
    }
    assert.deepEqual(curves.scale_ticks(curves.make_scale(1, 64, true), 10, 2), [1, 2, 4, 8, 16, 32, 64]);
    assert.deepEqual(curves.scale_ticks(curves.make_scale(0, 4, false), 4), [0, 1, 2, 3, 4]);
  });
});

describe("what is said", () => {
  test("has units and enough digits", () => {
    const plain = (text) => text.replaceAll("\u202f", " ");
    assert.deepEqual(
      [7, 999, 1234, 56789, 1.5e6, 2.5e9].map((ns) => plain(say.duration(ns))),
      ["7 ns", "999 ns", "1.23 µs", "56.8 µs", "1.50 ms", "2.50 s"],
    );
    assert.deepEqual(
      [0, 0.0002, 0.051, 0.5, 0.998, 1].map((part) => plain(say.percent(part))),
      ["0 %", "< 0.1 %", "5.1 %", "50 %", "99.8 %", "100 %"],
    );
    assert.equal(plain(say.count(1234567)), "1 234 567");
    assert.equal(plain(say.moment(1500, 100, 2000)), "1.5 µs");
  });

  test("about a stolen task names thief and victim", () => {
    const model = build({
      workers: 2,
      names: [["leaf"]],
      lanes: {
        0: [
          ["spawn", 0, { task: 5, argument: k_none, detail: 0 }],
          ["park", 1],
        ],
        1: [
          ["steal_success", 10, { task: 5, argument: 1, detail: 0 }],
          ["start", 20, { task: 5 }],
          ["end", 70, { task: 5 }],
        ],
      },
    });
    const [title, lines] = say.worker_tip(model, 1, 30, 0.1);
    assert.equal(title, "leaf");
    const text = lines
      .map((line) => line.join(": "))
      .join("\n")
      .replaceAll("\u202f", " ");
    for (const part of ["task: 5", "ran: 50 ns", "worker 1 stole it from worker 0 at 10 ns", "waited: 20 ns"]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.match(say.worker_tip(model, 1, 30, 200)[0], /stretches in one pixel/);
  });

  test("groups many numbered names", () => {
    const names = Array.from({ length: 30 }, (_, i) => [`${i % 2 ? "fetch" : "parse"} ${i}`]);
    const tasks = names.flatMap((_, i) => [
      ["spawn", 10 * i, { task: i + 1, argument: k_none, detail: i }],
      ["start", 10 * i, { task: i + 1 }],
      ["end", 10 * i + 5 + (i % 2), { task: i + 1 }],
    ]);
    const model = build({ workers: 1, names, lanes: { 0: tasks } });
    assert.deepEqual(
      model.classes.map((each) => [each.text, each.count, each.median_ns]),
      [
        ["fetch #", 15, 6],
        ["parse #", 15, 5],
      ],
    );
  });
});

describe("pages written by filch", () => {
  const pages = fs.readdirSync(process.env.FILCH_PAGES).filter((file) => file.endsWith(".html"));
  assert.ok(pages.length >= 7);
  for (const file of pages) {
    const page = fs.readFileSync(path.join(process.env.FILCH_PAGES, file), "utf8");
    const facts_of_runs = JSON.parse(
      fs.readFileSync(path.join(process.env.FILCH_PAGES, file.replace(".html", ".json")), "utf8"),
    );
    const data = JSON.parse(/id="page_data">([^<]*)</.exec(page)[1]);
    test(`${file}: has its runs`, () => assert.equal(data.runs.length, facts_of_runs.length));
    facts_of_runs.forEach((facts, run) => {
      test(`${file}: the numbers of run ${run} are those of the recording`, () => {
        const bytes = format.from_base64(new RegExp(`id="recording_${run}">([^<]*)<`).exec(page)[1]);
        check_run(model_of.with_path(model_of.build(format.parse(bytes)), data.runs[run].path), data.runs[run], facts);
      });
    });
  }

  function check_run(model, figures, facts) {
    assert.equal(model.recording.error, "");
    assert.equal(model.workers, facts.workers);
    for (const key of ["events", "dropped", "tasks", "executed", "spawned", "steals", "stolen", "parks"]) {
      assert.equal(model.totals[key], facts[key], key);
    }
    // All of every worker's time is in exactly one state, in the profile as in the stretches.
    const whole = (model.end - model.begin) * model.workers,
      near = whole * 1e-9;
    const shares = model_of.k_profile_parts.reduce((sum, part) => sum + model.share[part], 0);
    assert.ok(Math.abs(shares - 1) < 1e-9);
    const running = model.rows.reduce((sum, row) => sum + row.times[state.running], 0);
    assert.ok(Math.abs(running - model.share.running * whole) <= near);
    assert.ok(Math.abs(running - model.tasks.run_ns.reduce((a, b) => a + b, 0)) <= near);
    for (const queue of model.queues)
      assert.ok(facts.dropped > 0 || queue.value.at(-1) === 0, "queues are empty at the end");
    // Two programs read the recording: the one that computed the work, and the viewer.
    assert.equal(figures.work_ns, facts.work_ns);
    if (facts.dropped === 0) assert.ok(Math.abs(running - figures.work_ns) <= near, `${running} ${figures.work_ns}`);
    assert.equal(model.path.begin.length, facts.path);
    const length = model.path.end.reduce((sum, end, i) => sum + end - model.path.begin[i], 0);
    assert.equal(length, facts.span_ns);
    // The critical path lies where the viewer, too, sees a task run.
    model.path.begin.forEach((begin, i) => {
      const w = model.path.worker[i];
      const at = model_of.segment_at(model, w, begin);
      if (facts.dropped === 0) assert.equal(model.segments[w].state[at], state.running, `stretch ${i} of the path`);
      assert.ok(model_of.is_on_path(model, w, begin, model.path.end[i]));
    });
  }
});
