// Classes of tasks: those of one name, with one colour, the same in all runs of a page.
"use strict";

const filch_classes = (() => {
  const k_classes = 10; // colours of their own; all other names share one

  // Names that differ only in their numbers belong together when there are many names.
  function stem_of(text) {
    return text.replace(/\d+/g, "#");
  }

  function text_of(recording, name) {
    return name >= 0 ? (recording.names[name]?.text ?? "unnamed") : "unnamed";
  }

  // How the class of a task is called, by run and name.
  function class_texts(runs) {
    const texts = runs.map(
      ({ recording, tasks }) => new Map([...new Set(tasks.name)].map((name) => [name, text_of(recording, name)])),
    );
    const distinct = new Set(texts.flatMap((each) => [...each.values()]));
    if (distinct.size <= k_classes || new Set([...distinct].map(stem_of)).size <= 1) return texts;
    return texts.map((each) => new Map([...each].map(([name, text]) => [name, stem_of(text)])));
  }

  // The tasks of each text, by run, and their running time.
  function group(runs) {
    const texts = class_texts(runs),
      groups = new Map();
    runs.forEach(({ recording, tasks }, r) => {
      for (let i = 0; i < tasks.count; ++i) {
        const text = texts[r].get(tasks.name[i]);
        if (!groups.has(text)) groups.set(text, { text, colour: "", members: runs.map(() => []), total_ns: 0 });
        const each = groups.get(text);
        each.members[r].push(i);
        each.total_ns += tasks.run_ns[i];
        each.colour ||= recording.names[tasks.name[i]]?.colour ?? "";
      }
    });
    return [...groups.values()].sort((a, b) => b.total_ns - a.total_ns || (a.text < b.text ? -1 : 1));
  }

  function statistics({ text, colour }, members, tasks) {
    const runs = Float64Array.from(members, (task) => tasks.run_ns[task]).sort();
    return {
      text,
      colour,
      total_ns: runs.reduce((sum, each) => sum + each, 0),
      count: runs.length,
      median_ns: runs.length > 0 ? runs[runs.length >> 1] : 0,
      most_ns: runs.length > 0 ? runs[runs.length - 1] : 0,
      stolen: members.filter((task) => tasks.victim[task] >= 0).length,
    };
  }

  // For each run its classes, in one order for all, and the class of each task. The names with the most running time
  // come first; class k_classes is the rest.
  function classify(runs) {
    const sorted = group(runs);
    const shared = sorted.slice(0, k_classes),
      others = sorted.slice(k_classes);
    if (others.length > 0) {
      shared.push({
        text: `${others.length} other names`,
        colour: "",
        members: runs.map((_, r) => others.flatMap((each) => each.members[r])),
      });
    }
    return runs.map(({ tasks }, r) => {
      const class_of = new Uint8Array(tasks.count);
      shared.forEach((each, number) => {
        for (const task of each.members[r]) class_of[task] = number;
      });
      return { classes: shared.map((each) => statistics(each, each.members[r], tasks)), class_of };
    });
  }

  return { classify, k_classes };
})();

if (typeof module === "object") module.exports = filch_classes;
