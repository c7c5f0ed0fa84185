// The page in a real browser, without a network. Each page is opened and used as a reader does, with pointer, wheel and
// keys; what it shows is compared with what was counted from the recordings when the page was written. Screenshots of
// every page are left in FILCH_SCREENSHOTS.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { after, before, describe, test } = require("node:test");
const { chromium } = require("playwright-core");

const pages = process.env.FILCH_PAGES;
const screenshots = process.env.FILCH_SCREENSHOTS;
const facts_of = (file) => JSON.parse(fs.readFileSync(path.join(pages, file.replace(".html", ".json")), "utf8"));
const plain = (text) => text.replaceAll("\u202f", "");

let browser = null;

async function launch() {
  fs.mkdirSync(screenshots, { recursive: true });
  // The tests may run as root, for whom Chromium has no sandbox.
  browser = await chromium.launch({
    executablePath: process.env.FILCH_CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

// A page that is open. `wrong` collects what must not happen: errors, warnings, requests.
class opened {
  static async open(file) {
    const out = new opened();
    out.file = file;
    out.facts = facts_of(file);
    out.wrong = [];
    const url = `file://${path.join(pages, file)}`;
    out.context = await browser.newContext({ viewport: { width: 1300, height: 900 }, colorScheme: "light" });
    out.page = await out.context.newPage();
    out.page.on("console", (said) => out.wrong.push(`console ${said.type()}: ${said.text()}`));
    out.page.on("pageerror", (error) => out.wrong.push(`error: ${error.stack}`));
    out.page.on("request", (asked) => {
      if (asked.url() !== url && !asked.url().startsWith("data:")) out.wrong.push(`request: ${asked.url()}`);
    });
    await out.page.goto(url);
    await out.page.waitForSelector('html[data-ready="yes"]', { timeout: 60000 });
    return out;
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.wrong, []);
  }

  run(script, argument) {
    return this.page.evaluate(script, argument);
  }
  text(id) {
    return this.page.locator(`#${id}`).textContent();
  }
  view() {
    return this.run(() => filch_page.view());
  }
  settle() {
    return this.run(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  // Brings a chart into sight and gives its box.
  async box(id) {
    const chart = this.page.locator(`#${id}`);
    await chart.scrollIntoViewIfNeeded();
    return chart.boundingBox();
  }

  // Where a moment of a run, counted from its beginning, lies on the page.
  async x_of(id, time) {
    const box = await this.box(id),
      view = await this.view();
    const gutter = await this.run(() => filch_layout.k_gutter);
    return box.x + gutter + ((time - view.begin) / (view.end - view.begin)) * (box.width - gutter - 1);
  }

  async y_of_worker(run, w) {
    const rows = await this.run((r) => filch_layout.gantt_layout(filch_page.models[r]), run);
    const chart = this.page.locator(`#gantt_${run}`);
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    return box.y + rows.top + (w + 0.5) * rows.row;
  }

  // The longest running stretch of a run's busiest worker, in the run's own time.
  longest_stretch(run) {
    return this.run((r) => {
      const model = filch_page.models[r];
      const w = model.rows.reduce((best, row) => (row.times[0] > model.rows[best].times[0] ? row.worker : best), 0);
      const list = model.segments[w];
      let best = -1,
        most = 0;
      for (let i = 0; i < list.start.length; ++i) {
        const length = filch_model.segment_end(model, w, i) - list.start[i];
        if (list.state[i] === 0 && length > most) ((most = length), (best = i));
      }
      return {
        w,
        length: most,
        middle: list.start[best] + most / 2 - model.begin,
        name: filch_text.name_text(model, list.task[best]),
        id: filch_format.id_text(model.recording.tasks, list.task[best]),
      };
    }, run);
  }

  colours_in(id) {
    return this.run((each) => {
      const { width, height } = document.getElementById(each);
      const pixels = document.getElementById(each).getContext("2d").getImageData(0, 0, width, height);
      return new Set(new Uint32Array(pixels.data.buffer)).size;
    }, id);
  }
}

async function shows_the_right_numbers(it) {
  for (const [run, facts] of it.facts.entries()) {
    const totals = await it.run((r) => filch_page.models[r].totals, run);
    for (const key of ["events", "dropped", "tasks", "executed", "steals", "stolen", "parks"])
      assert.equal(totals[key], facts[key], key);
    const tiles = (await it.page.locator(`#tiles_${run} b`).allTextContents()).map(plain);
    assert.deepEqual([tiles[1], tiles[2], tiles[6]].map(Number), [facts.workers, facts.executed, facts.stolen]);
    assert.ok(plain(await it.text(`summary_${run}`)).includes(`ran ${facts.executed} task`));
    assert.ok((await it.text(`summary_${run}`)).includes("critical path"));
    assert.equal(await it.page.locator(`#workers_table_${run} tbody tr`).count(), facts.workers);
    assert.match(await it.text(`about_table_${run}`), /policy.*version/s);
    for (const chart of ["gantt", "profile", "queues", "matrix"]) {
      const label = await it.page.locator(`#${chart}_${run}`).getAttribute("aria-label");
      assert.ok(label.length > 20, label);
      const colours = await it.colours_in(`${chart}_${run}`);
      assert.ok(colours > 4, `${chart} has ${colours} colours`);
    }
  }
  const lost = it.facts.reduce((sum, facts) => sum + facts.dropped, 0);
  assert.equal((await it.text("banners")).includes("were lost"), lost > 0);
}

async function hover_tells_the_task(it, run) {
  const { w, length, middle, name, id } = await it.longest_stretch(run);
  await it.run(([begin, end]) => filch_page.show(begin, end), [middle - length, middle + length]);
  await it.settle();
  await it.page.mouse.move(await it.x_of(`gantt_${run}`, middle), await it.y_of_worker(run, w));
  assert.ok(await it.page.locator("#tip").isVisible());
  const tip = await it.text("tip");
  assert.ok(tip.startsWith(name), tip);
  assert.ok(tip.includes(`task${id}`), tip);
  assert.ok(tip.includes(`on worker ${w}`), tip);
  assert.match(tip, /ran\d.*came/);
  await it.page.mouse.move(2, 2);
  assert.ok(await it.page.locator("#tip").isHidden());
}

// Hovering over the stretch of a stolen task names thief and victim.
async function hover_tells_the_thief(it, run) {
  const stolen = await it.run((r) => {
    const model = filch_page.models[r];
    const task = model.tasks.origin.findIndex((each, i) => each === 2 && model.tasks.run_ns[i] > 0);
    if (task < 0) return null;
    const { start_time, start_worker, victim } = model.tasks;
    const i = filch_model.segment_at(model, start_worker[task], start_time[task]);
    const end = filch_model.segment_end(model, start_worker[task], i);
    const begin = start_time[task] - model.begin;
    return { begin, end: end - model.begin, w: start_worker[task], victim: victim[task] };
  }, run);
  if (stolen === null) return;
  await it.run(({ begin, end }) => filch_page.show(begin - (end - begin), end + (end - begin)), stolen);
  await it.settle();
  const middle = (stolen.begin + stolen.end) / 2;
  await it.page.mouse.move(await it.x_of(`gantt_${run}`, middle), await it.y_of_worker(run, stolen.w));
  assert.ok((await it.text("tip")).includes(`worker ${stolen.w} stole it from worker ${stolen.victim}`));
}

async function zooms_and_moves(it) {
  await it.page.locator("#gantt_0").focus();
  await it.page.keyboard.press("0");
  const all = await it.view();
  const span = all.end - all.begin;
  assert.equal(all.begin, 0);
  const anchor = span / 4,
    x = await it.x_of("gantt_0", anchor);
  await it.page.mouse.move(x, await it.y_of_worker(0, 0));
  await it.page.mouse.wheel(0, -240);
  await it.page.waitForFunction((before) => filch_page.view().end - filch_page.view().begin < before * 0.7, span);
  assert.ok(Math.abs((await it.x_of("gantt_0", anchor)) - x) < 1.5, "what is below the pointer stays there");

  const zoomed = await it.view(),
    profile = await it.box("profile_0");
  await it.page.mouse.move(profile.x + 400, profile.y + 40);
  await it.page.mouse.down();
  await it.page.mouse.move(profile.x + 300, profile.y + 40, { steps: 4 });
  await it.page.mouse.up();
  const dragged = await it.view();
  assert.ok(dragged.begin > zoomed.begin);
  assert.ok(Math.abs(dragged.end - dragged.begin - (zoomed.end - zoomed.begin)) < 1e-6 * span);

  await it.page.locator("#queues_0").focus();
  await it.page.keyboard.press("ArrowLeft");
  assert.ok((await it.view()).begin < dragged.begin);
  await it.page.keyboard.press("+");
  const closer = await it.view();
  assert.ok(closer.end - closer.begin < (dragged.end - dragged.begin) * 0.9);
  await it.settle();
  const range = await it.text("range");
  await it.page.locator("#zoom_all").click();
  await it.settle();
  assert.notEqual(await it.text("range"), range);
  assert.deepEqual(await it.view(), all);

  const { w, length, middle } = await it.longest_stretch(0);
  await it.page.mouse.dblclick(await it.x_of("gantt_0", middle), await it.y_of_worker(0, w));
  const one = await it.view();
  assert.ok(one.end - one.begin <= Math.max(2.01 * length, 20) || one.end - one.begin < span / 2);
  await it.page.locator("#zoom_all").click();
}

async function the_other_charts_tell_theirs(it) {
  const { middle } = await it.longest_stretch(0);
  const x = await it.x_of("profile_0", middle),
    profile = await it.box("profile_0");
  await it.page.mouse.move(x, profile.y + 60);
  assert.match(plain(await it.text("tip")), /running\d+.*idle, work ready\d+.*tasks waiting\d+/);
  const queues = await it.box("queues_0");
  await it.page.mouse.move(x, queues.y + 4);
  assert.match(plain(await it.text("tip")), /queue of worker 0waiting\d+ task/);
  const matrix = await it.box("matrix_0");
  const cell = await it.run(() => {
    const room = document.getElementById("matrix_0").parentElement.clientWidth - 40;
    return { ...filch_layout.matrix_layout(filch_page.models[0], room), order: filch_page.models[0].order };
  });
  await it.page.mouse.move(matrix.x + cell.left + cell.cell * 0.5, matrix.y + cell.top + cell.cell * 1.5);
  assert.ok((await it.text("tip")).includes(`worker ${cell.order[1]} ← worker ${cell.order[0]}`));
  const speed_up = await it.box("speed_up");
  await it.page.mouse.move(speed_up.x + speed_up.width / 2, speed_up.y + 80);
  assert.match(await it.text("tip"), /worker.*work bound.*span bound.*Graham/);
  await it.page.mouse.move(2, 2);
}

async function changes_its_look(it) {
  const picture = () => it.run(() => document.getElementById("gantt_0").toDataURL());
  for (const box of ["show_path", "show_steals"]) {
    const before = await picture();
    await it.page.locator(`#${box}`).uncheck();
    await it.settle();
    const has_any = box === "show_path" || it.facts[0].steals > 0;
    assert.equal((await picture()) !== before, has_any, box);
    await it.page.locator(`#${box}`).check();
    await it.settle();
  }
  await it.page.locator("#colour_by").selectOption("origin");
  assert.match(await it.text("legend"), /stolen/);
  await it.page.locator("#colour_by").selectOption("name");
  const is_dark = () => it.run(() => document.documentElement.classList.contains("dark"));
  assert.equal(await is_dark(), false);
  await it.page.locator("#theme").click();
  assert.equal(await is_dark(), true);
  await it.settle();
  await it.page.screenshot({ path: path.join(screenshots, it.file.replace(".html", ".dark.png")), fullPage: true });
  await it.page.emulateMedia({ media: "print" });
  await it.run(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await is_dark(), false, "prints light");
  await it.run(() => dispatchEvent(new Event("afterprint")));
  await it.page.emulateMedia({ media: "screen" });
  await it.page.setViewportSize({ width: 700, height: 800 });
  await it.settle();
  const overflow = await it.run(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `${overflow} pixels too wide for a narrow window`);
}

const files = fs.readdirSync(pages).filter((each) => each.endsWith(".html"));

describe("the page in Chromium", () => {
  before(launch);
  after(() => browser?.close());

  test("there are pages of 10 and of 100 000 tasks, of one and of two runs", () => {
    const runs = files.map(facts_of);
    assert.ok(runs.some(([first]) => first.executed === 10));
    assert.ok(runs.some(([first]) => first.executed === 100000));
    assert.ok(runs.some((each) => each.length === 2));
  });

  for (const file of files) {
    describe(file, () => {
      let it = null;
      before(async () => {
        it = await opened.open(file);
        await it.page.screenshot({ path: path.join(screenshots, file.replace(".html", ".png")), fullPage: true });
      });
      after(() => it?.close());

      test("shows the right numbers", () => shows_the_right_numbers(it));
      test("tells of the task below the pointer", async () => {
        for (const run of it.facts.keys()) await hover_tells_the_task(it, run);
      });
      test("names thief and victim of a stolen task", async () => {
        for (const run of it.facts.keys()) await hover_tells_the_thief(it, run);
      });
      test("zooms and moves with wheel, pointer and keys", () => zooms_and_moves(it));
      test("has tooltips on every chart", () => the_other_charts_tell_theirs(it));
      test("changes what it shows, its theme, for print and for narrow windows", () => changes_its_look(it));
    });
  }

  describe("a page of two runs", () => {
    let it = null;
    before(async () => (it = await opened.open("pair.html")));
    after(() => it?.close());

    test("zooms both at once", async () => {
      const picture = (run) => it.run((r) => document.getElementById(`gantt_${r}`).toDataURL(), run);
      const before_zoom = [await picture(0), await picture(1)];
      const box = await it.box("gantt_1");
      await it.page.mouse.move(box.x + 500, box.y + 50);
      await it.page.mouse.wheel(0, -300);
      await it.page.mouse.move(2, 2);
      await it.settle();
      assert.notEqual(await picture(0), before_zoom[0]);
      assert.notEqual(await picture(1), before_zoom[1]);
    });

    test("has curves of speed-up and granularity, and its notes as text", async () => {
      assert.equal(await it.text("page_notes"), 'A note with <b>markup</b> & "quotes".');
      assert.equal(await it.page.locator("#page_notes b").count(), 0);
      for (const id of ["speed_up", "granularity"]) assert.ok((await it.colours_in(id)) > 20, id);
      assert.match(await it.text("speed_up_legend"), /measured.*simulated.*work bound.*burden/);
      assert.match(await it.text("granularity_text"), /simulated: best with tasks of/);
      const box = await it.box("granularity");
      await it.page.mouse.move(box.x + 200, box.y + 60);
      assert.match(await it.text("tip"), /tasks of .*simulated/);
    });
  });

  describe("a page of a measured run and the same tasks simulated", () => {
    let it = null;
    before(async () => (it = await opened.open("beside.html")));
    after(() => it?.close());

    test("has the same tasks in both, under one legend of names", async () => {
      assert.equal(it.facts[0].executed, it.facts[1].executed);
      assert.equal(await it.text("label_0"), "measured");
      assert.equal(await it.text("label_1"), "simulated");
      const legend = await it.text("legend");
      for (const name of ["left", "right", "root"]) {
        assert.equal(legend.split(name).length, 2, `${name} once in ${legend}`);
      }
      const names = async (run) => {
        const table = await it.text(`names_table_${run}`);
        return ["left", "right", "root"].filter((name) => table.includes(name));
      };
      assert.deepEqual(await names(0), await names(1));
    });

    test("draws both in the same colours", async () => {
      // The colours of names that cover at least a hundredth of the chart.
      const main_colours = (run) =>
        it.run((r) => {
          const chart = document.getElementById(`gantt_${r}`);
          const bytes = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height).data;
          const count = new Map();
          for (let i = 0; i < bytes.length; i += 4) {
            const key = `${bytes[i]},${bytes[i + 1]},${bytes[i + 2]}`;
            count.set(key, (count.get(key) ?? 0) + 1);
          }
          const least = bytes.length / 400;
          return [...count].filter(([, pixels]) => pixels > least).map(([key]) => key);
        }, run);
      const first = await main_colours(0),
        second = await main_colours(1);
      assert.ok(first.some((colour) => second.includes(colour)), `${first} and ${second}`);
    });

    test("zooms both at once", async () => {
      const picture = (run) => it.run((r) => document.getElementById(`gantt_${r}`).toDataURL(), run);
      const before_zoom = [await picture(0), await picture(1)];
      const box = await it.box("gantt_0");
      await it.page.mouse.move(box.x + 300, box.y + 30);
      await it.page.mouse.wheel(0, -300);
      await it.page.mouse.move(2, 2);
      await it.settle();
      assert.notEqual(await picture(0), before_zoom[0]);
      assert.notEqual(await picture(1), before_zoom[1]);
    });

    test("has the verdicts as its notes", async () => assert.equal(await it.text("page_notes"), "ok: No fault found."));
  });
});
