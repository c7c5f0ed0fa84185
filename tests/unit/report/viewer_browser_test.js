// The page in a real browser, without a network: a probe is added to a copy of each page, does what a reader does with
// pointer, wheel and keys, and writes what it found into the document, which the browser then prints.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const pages = process.env.FILCH_PAGES;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "filch-browser-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

// Runs in the page. The first script of the page already collects errors.
const probe = `
  const found = { errors: window.early_errors };
  const at = (id) => document.getElementById(id);
  const frame = () => new Promise((done) => setTimeout(done, 50));
  const fire = (type, id, x, y, more = {}) => {
    const box = at(id).getBoundingClientRect();
    const where = { clientX: box.left + x, clientY: box.top + y };
    const init = { ...where, bubbles: true, cancelable: true, pointerId: 1, ...more };
    at(id).dispatchEvent(type === "wheel" ? new WheelEvent(type, init)
                         : type.startsWith("pointer") ? new PointerEvent(type, init) : new MouseEvent(type, init));
  };
  const press = (key, id) =>
    at(id).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const view = () => filch_page.view();
  const colours_in = (id) => {
    const { width, height } = at(id);
    const data = new Uint32Array(at(id).getContext("2d").getImageData(0, 0, width, height).data.buffer);
    return new Set(data).size;
  };
  (async () => {
    const { model } = filch_page, span = model.end - model.begin;
    found.totals = model.totals;
    found.tiles = [...document.querySelectorAll(".tile b")].map((each) => each.textContent);
    found.summary = at("summary").textContent;
    found.banners = at("banners").textContent;
    found.about = at("about_table").textContent;
    found.rows = document.querySelectorAll("#workers_table tbody tr").length;
    found.labels = ["gantt", "profile", "queues", "matrix"].map((id) => at(id).getAttribute("aria-label"));
    found.colours = Object.fromEntries(["gantt", "profile", "queues", "matrix"].map((id) => [id, colours_in(id)]));
    // The pointer is held over the longest running stretch of the busiest worker.
    const w = model.rows.reduce((best, row) => (row.times[0] > model.rows[best].times[0] ? row.worker : best), 0);
    const list = model.segments[w];
    let best = -1, most = 0;
    for (let i = 0; i < list.start.length; ++i) {
      const length = filch_model.segment_end(model, w, i) - list.start[i];
      if (list.state[i] === 0 && length > most) most = length, best = i;
    }
    const plot = at("gantt").getBoundingClientRect().width - filch_layout.k_gutter - 1;
    const x_of = (time) => filch_layout.k_gutter + ((time - view().begin) / (view().end - view().begin)) * plot;
    const middle = list.start[best] + most / 2, rows = filch_layout.gantt_layout(model), y = rows.top + (w + 0.5) * rows.row;
    filch_page.show(middle - most, middle + most);
    await frame();
    fire("pointermove", "gantt", x_of(middle), y);
    found.tip_shown = !at("tip").hidden;
    found.tip = at("tip").textContent;
    found.tip_name = filch_text.name_text(model, list.task[best]);
    found.tip_id = filch_format.id_text(model.recording.tasks, list.task[best]);
    fire("pointerleave", "gantt", 0, 0);
    found.tip_worker = w;
    found.tip_gone = at("tip").hidden;
    press("0", "gantt");
    found.all = view().begin === model.begin && view().end === model.end;
    const anchor = model.begin + span / 4, x = x_of(anchor);
    fire("wheel", "gantt", x, y, { deltaY: -240 });
    found.wheel_zooms = view().end - view().begin < span * 0.7;
    found.wheel_keeps_place = Math.abs(x_of(anchor) - x) < 1;
    const before = view();
    fire("pointerdown", "profile", 400, 40, { button: 0 });
    fire("pointermove", "profile", 300, 40, { button: 0 });
    fire("pointerup", "profile", 300, 40, { button: 0 });
    const stretched = view().end - view().begin - (before.end - before.begin);
    found.drag_moves = view().begin > before.begin && Math.abs(stretched) < 1e-6 * span;
    const dragged = view();
    press("ArrowLeft", "gantt");
    found.left_moves = view().begin < dragged.begin;
    press("+", "queues");
    found.plus_zooms = view().end - view().begin < (dragged.end - dragged.begin) * 0.9;
    press("-", "queues");
    await frame();
    found.range_before = at("range").textContent;
    press("0", "profile");
    await frame();
    found.range_after = at("range").textContent;
    fire("dblclick", "gantt", x_of(middle), y);
    found.double_click = view().end - view().begin <= Math.max(2.01 * most, 20) || view().end - view().begin < span / 2;
    press("0", "gantt");
    fire("pointermove", "profile", x_of(middle), 60);
    found.profile_tip = at("tip").textContent;
    const cell = filch_layout.matrix_layout(model, at("matrix").parentElement.clientWidth - 40);
    fire("pointermove", "matrix", cell.left + cell.cell * 0.5, cell.top + cell.cell * 1.5);
    found.matrix_tip = at("tip").textContent;
    at("colour_by").value = "origin";
    at("colour_by").dispatchEvent(new Event("change"));
    found.origin_legend = at("legend").textContent;
    const was_dark = document.documentElement.classList.contains("dark");
    at("theme").click();
    found.theme_changes = document.documentElement.classList.contains("dark") !== was_dark;
    dispatchEvent(new Event("beforeprint"));
    found.prints_light = !document.documentElement.classList.contains("dark");
    dispatchEvent(new Event("afterprint"));
    dispatchEvent(new Event("resize"));
    await frame();
  })().catch((problem) => found.errors.push(String(problem.stack))).finally(() => {
    const out = document.createElement("pre");
    out.id = "found";
    out.textContent = "FOUND" + btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(found)))) + "DNUOF";
    document.body.append(out);
  });`;

// A browser that only prints the document does not promise frames, so they come from a timer.
const early = `<script>window.early_errors = [];
  window.requestAnimationFrame = (draw) => setTimeout(draw, 16);
  addEventListener("error", (event) => early_errors.push(event.message));
  addEventListener("securitypolicyviolation", (event) => early_errors.push("blocked: " + event.blockedURI));
  for (const level of ["error", "warn"]) console[level] = (...what) => early_errors.push(what.join(" "));</script>`;

function open(file) {
  const page = fs.readFileSync(path.join(pages, file), "utf8");
  const copy = path.join(folder, file);
  fs.writeFileSync(
    copy,
    page.replace("<head>", `<head>${early}`).replace("</body>", () => `<script>${probe}</script></body>`),
  );
  const dom = execFileSync(
    process.env.FILCH_CHROMIUM,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${folder}/profile`,
      "--window-size=1300,900",
      "--virtual-time-budget=20000",
      "--dump-dom",
      `file://${copy}`,
    ],
    { encoding: "utf8", maxBuffer: 1 << 28, timeout: 120000, stdio: ["ignore", "pipe", "ignore"] },
  );
  const result = /FOUND([A-Za-z0-9+/=]*)DNUOF</.exec(dom);
  assert.ok(result, "the probe did not finish");
  return JSON.parse(Buffer.from(result[1], "base64").toString("utf8"));
}

const plain = (text) => text.replaceAll("\u202f", "");

for (const file of fs.readdirSync(pages).filter((each) => each.endsWith(".html"))) {
  test(`${file} opens without an error, shows the right numbers, and follows pointer, wheel and keys`, () => {
    const facts = JSON.parse(fs.readFileSync(path.join(pages, file.replace(".html", ".json")), "utf8"));
    const found = open(file);
    assert.deepEqual(found.errors, []);
    for (const key of ["events", "dropped", "tasks", "executed", "steals", "stolen"])
      assert.equal(found.totals[key], facts[key], key);
    assert.equal(plain(found.tiles[1]), String(facts.workers));
    assert.equal(plain(found.tiles[2]), String(facts.executed));
    assert.equal(plain(found.tiles[6]), String(facts.stolen));
    assert.ok(plain(found.summary).includes(`ran ${facts.executed} task`), found.summary);
    assert.equal(found.banners.includes("were lost"), facts.dropped > 0, found.banners);
    assert.equal(found.rows, facts.workers);
    assert.ok(found.about.includes("policy") && found.about.includes("version"));
    assert.ok(found.labels.every((label) => label && label.length > 20));
    for (const [id, colours] of Object.entries(found.colours)) assert.ok(colours > 4, `${id} has ${colours} colours`);
    assert.ok(found.tip_shown);
    assert.ok(found.tip.startsWith(found.tip_name), found.tip);
    assert.ok(found.tip.includes(`task${found.tip_id}`), found.tip);
    assert.ok(found.tip.includes(`on worker ${found.tip_worker}`), found.tip);
    for (const what of [
      "tip_gone",
      "all",
      "wheel_zooms",
      "wheel_keeps_place",
      "drag_moves",
      "left_moves",
      "plus_zooms",
      "double_click",
      "theme_changes",
      "prints_light",
    ])
      assert.ok(found[what], what);
    assert.notEqual(found.range_before, found.range_after);
    assert.match(found.profile_tip, /running\d+/);
    assert.match(found.matrix_tip, /worker 1 ← worker 0/);
    assert.match(found.origin_legend, /stolen/);
  });
}
