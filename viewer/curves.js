// Curves of speed-up and granularity as the page has them: scales, bounds, what stands in their tooltips. Pure
// functions.
//
// A curve's point is [x, makespan, low, high] in ns; low and high are 0 when only one run was made.
"use strict";

const filch_curves = (() => {
  const is_module = typeof module === "object";
  const { ticks } = is_module ? require("./model.js") : filch_model;
  const { duration, many } = is_module ? require("./text.js") : filch_text;

  const k_bound_names = ["work bound", "span bound", "Graham’s guarantee", "expected with the burden of steals"];

  // From a range of values to [0, 1] and back, linear or logarithmic.
  function make_scale(least, most, is_log) {
    const of = is_log ? Math.log : (value) => value,
      back = is_log ? Math.exp : (value) => value;
    const from = of(least),
      span = of(most) - from || 1;
    const share_of = (value) => (of(value) - from) / span;
    return { least, most, is_log, share: share_of, at: (share) => back(from + share * span) };
  }

  // Round values for an axis: powers of 2 for workers, 1-2-5 steps else.
  function scale_ticks(scale, wanted, base = 10) {
    if (!scale.is_log) return ticks(scale.least, scale.most, wanted).at;
    const out = [];
    const steps = base === 2 ? [1] : Math.log10(scale.most / scale.least) > wanted / 2 ? [1] : [1, 2, 5];
    const low = Math.floor(Math.log(scale.least) / Math.log(base) + 1e-9);
    for (let power = low; base ** power <= scale.most * 1.0001; ++power) {
      for (const step of steps) {
        const value = step * base ** power;
        if (value >= scale.least * 0.9999 && value <= scale.most * 1.0001) out.push(value);
      }
    }
    const every = Math.ceil(out.length / Math.max(2, wanted));
    return out.filter((_, i) => i % every === 0);
  }

  const range_of = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];

  // The lines of the chart as lists of [workers, speed-up], and its scales.
  function speed_up(data) {
    const { work_ns: work, span_ns: span, burdened_span_ns: burdened } = data;
    const limit = work / span;
    const curves = data.curves.map(({ name, points }) => ({
      name,
      points: [...points]
        .sort((a, b) => a[0] - b[0])
        .map(([workers, time, low, high]) => ({
          x: workers,
          value: work / time,
          low: high > 0 ? work / high : NaN,
          high: low > 0 ? work / low : NaN,
          time,
        })),
    }));
    const bounds = [
      data.bounds.map(([workers]) => [workers, workers]),
      data.bounds.map(([workers]) => [workers, limit]),
      data.bounds.map(([workers, , graham]) => [workers, work / graham]),
      burdened === null ? [] : data.bounds.map(([workers, , , time]) => [workers, work / time]),
    ];
    const most_workers = data.bounds.length > 0 ? data.bounds[data.bounds.length - 1][0] : 1;
    const seen = curves.flatMap(({ points }) => points.flatMap((each) => [each.value, each.high || 0]));
    const most = Math.max(1, ...range_of([0, ...seen]), Math.min(most_workers, limit)) * 1.08;
    const is_log = most_workers > 24;
    return {
      curves,
      bounds,
      limit,
      best: data.bounds.map(([workers, least]) => [workers, work / least]),
      x: make_scale(is_log ? 1 : 0, Math.max(2, most_workers), is_log),
      y: make_scale(is_log ? Math.min(1, ...range_of([1, ...seen.filter((each) => each > 0)])) : 0, most, is_log),
    };
  }

  function granularity(data) {
    const curves = data.map(({ name, points }) => {
      const sorted = [...points].sort((a, b) => a[0] - b[0]);
      const out = sorted.map(([grain, time, low, high]) =>
        ({ x: grain, value: time, low: low || NaN, high: high || NaN }));
      const best = out.reduce((least, each) => (least === null || each.value < least.value ? each : least), null);
      return { name, points: out, best };
    });
    const all = curves.flatMap(({ points }) => points);
    if (all.length === 0) return null;
    const [least, most] = range_of(all.map(({ x }) => x));
    const [low, high] = range_of(all.flatMap((each) => [each.value, each.low || each.value, each.high || each.value]));
    const is_log = high / low > 20;
    return {
      curves,
      x: make_scale(least, most > least ? most : least * 10, true),
      y: make_scale(is_log ? low * 0.8 : 0, high * 1.08, is_log),
    };
  }

  // The x of the point that is nearest to `share` of the axis; null when there is none.
  function nearest_x(chart, share) {
    let best = null;
    for (const { points } of chart.curves) {
      for (const { x } of points) {
        const far = Math.abs(chart.x.share(x) - share);
        if (best === null || far < best.far) best = { x, far };
      }
    }
    return best === null ? null : best.x;
  }

  const times = (value) => `${value >= 100 ? value.toFixed(0) : value.toFixed(2)}×`;

  function speed_up_tip(chart, workers) {
    const lines = [];
    for (const { name, points } of chart.curves) {
      const point = points.find(({ x }) => x === workers);
      if (!point) continue;
      const range = Number.isNaN(point.low) ? "" : `, ${times(point.low)} to ${times(point.high)}`;
      lines.push([name, `${times(point.value)} (${duration(point.time)}${range})`]);
    }
    chart.bounds.forEach((line, i) => {
      const at = line.find(([each]) => each >= workers);
      if (at) lines.push([k_bound_names[i], times(at[1])]);
    });
    return [many(workers, "worker"), lines];
  }

  function granularity_tip(chart, grain) {
    const lines = [];
    for (const { name, points, best } of chart.curves) {
      const point = points.find(({ x }) => x === grain);
      if (!point) continue;
      const range = Number.isNaN(point.low) ? "" : `, ${duration(point.low)} to ${duration(point.high)}`;
      const far = point === best ? "the best" : `${times(point.value / best.value)} the best`;
      lines.push([name, `${duration(point.value)}${range}: ${far}`]);
    }
    return [`tasks of ${duration(grain)}`, lines];
  }

  // What the charts say, in words.
  function speed_up_text(data, chart) {
    const out = [
      `Work ${duration(data.work_ns)}, span ${duration(data.span_ns)}: ` +
      `parallelism ${times(chart.limit).slice(0, -1)}. ` +
        `No scheduler gets above the work bound or the span bound; one that never idles while a task is ready stays ` +
        `above Graham’s guarantee.`,
    ];
    if (data.burdened_span_ns !== null) {
      out.push(`With the cost of a steal at every spawn and join the span is ${duration(data.burdened_span_ns)}.`);
    }
    return out.join(" ");
  }

  function granularity_text(chart) {
    return chart.curves
      .filter(({ best }) => best !== null)
      .map(({ name, best }) => `${name}: best with tasks of ${duration(best.x)} (${duration(best.value)}).`)
      .join(" ");
  }

  return {
    k_bound_names,
    make_scale,
    scale_ticks,
    speed_up,
    granularity,
    nearest_x,
    speed_up_tip,
    granularity_tip,
    speed_up_text,
    granularity_text,
    times,
  };
})();

if (typeof module === "object") module.exports = filch_curves;
