#include "workload_fields.hpp"

#include "sharing_fields.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace filch::scenario {
namespace {

const std::vector<std::string_view> k_joins{"continuation", "helping", "blocking"};
const std::vector<std::string_view> k_joins_or_none{"none", "continuation", "helping", "blocking"};

sim::join_mode read_join(object_fields& fields) {
  const auto join = fields.find("join");
  return join ? static_cast<sim::join_mode>(join->one_of(k_joins)) : sim::join_mode::continuation;
}

// ---- groups of tasks ------------------------------------------------------------------------------------------------

sim::lengths read_lengths(const field& from) {
  const bool is_zero = from.value().what == json_value::kind::whole && from.value().whole == 0;
  if (from.is_text() || is_zero) return sim::lengths::constant(from.duration());
  if (from.is_list()) {
    sim::lengths out{.what = sim::lengths::kind::listed};
    for (const field& one : from.items()) out.listed_ns.push_back(one.duration());
    return out;
  }
  if (!from.is_object()) from.refuse("a time (\"1s\"), a list of times, or an object with a pattern");
  object_fields fields{from};
  fields.allow({"pattern", "from", "to", "mean"});
  const std::size_t which = fields.need("pattern").one_of({"uniform", "exponential"});
  sim::lengths out;
  if (which == 0) {
    const time_ns low_ns = fields.need("from").duration();
    const field to = fields.need("to");
    const time_ns high_ns = to.duration();
    if (high_ns < low_ns) to.refuse("a time from " + from.path() + ".from on");
    out = sim::lengths::uniform(low_ns, high_ns);
  } else {
    out = sim::lengths::exponential(fields.need("mean").duration());
  }
  fields.finish();
  return out;
}

sim::arrival_times read_arrivals(const field& from) {
  using kind = sim::arrival_times::kind;
  sim::arrival_times out;
  object_fields fields{from};
  fields.allow({"pattern", "from", "gap", "size", "times"});
  out.what = static_cast<kind>(fields.need("pattern").one_of({"at_once", "every", "poisson", "bursts", "listed"}));
  if (out.what == kind::listed) {
    for (const field& one : fields.need("times").items()) {
      const time_ns at_ns = one.duration();
      if (!out.times_ns.empty() && at_ns < out.times_ns.back()) one.refuse("a time not before the one before it");
      out.times_ns.push_back(at_ns);
    }
  } else {
    fields.duration("from", out.first_ns);
    if (out.what != kind::at_once) out.gap_ns = fields.need("gap").duration();
    if (out.what == kind::bursts) out.size = fields.need("size").whole(1, k_most_tasks);
  }
  fields.finish();
  return out;
}

// "policy", "injector", "worker:3" or "pinned:3".
sim::target read_target(const field& from) {
  constexpr std::string_view k_allowed = "policy, injector, worker:N or pinned:N with a worker's number";
  const std::string_view text = from.text(k_allowed);
  if (text == "policy") return sim::target::by_policy();
  if (text == "injector") return sim::target::injector();
  const std::size_t colon = text.find(':');
  const std::string_view how = text.substr(0, colon);
  std::uint32_t worker = 0;
  if (colon == std::string_view::npos || (how != "worker" && how != "pinned")) from.refuse(k_allowed);
  const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), worker);
  if (problem != std::errc{} || end != text.data() + text.size() || worker >= k_most_workers) from.refuse(k_allowed);
  return how == "worker" ? sim::target::at(worker_id{worker}) : sim::target::pinned_to(worker_id{worker});
}

// How many tasks: given as a number, by the length of a list, or as a total divided by their length.
std::uint64_t read_count(object_fields& fields, const sim::task_group& group) {
  const auto count = fields.find("count");
  const auto total = fields.find("total");
  const bool is_listed = group.length.what == sim::lengths::kind::listed;
  const bool is_timed = group.arrives.what == sim::arrival_times::kind::listed;
  const std::string where = fields.self().path();
  if (is_listed || is_timed) {
    if (count || total) (count ? *count : *total).fail((count ? *count : *total).path() + ": not allowed with a list");
    const std::size_t tasks = is_listed ? group.length.listed_ns.size() : group.arrives.times_ns.size();
    if (is_listed && is_timed && tasks != group.arrives.times_ns.size()) {
      fields.self().fail(where + ": " + std::to_string(tasks) + " lengths and " +
                         std::to_string(group.arrives.times_ns.size()) + " times: allowed are as many of both");
    }
    return tasks;
  }
  if (count && total) total->fail(total->path() + ": not allowed beside count");
  if (!total) {
    if (count) return count->whole(1, k_most_tasks);
    fields.self().fail(where + " has no field \"count\", which it needs");
  }
  const time_ns total_ns = total->duration(1);
  if (group.length.what != sim::lengths::kind::constant || group.length.low_ns == 0) {
    total->fail(total->path() + ": allowed only with a length that is one time above 0");
  }
  const auto tasks = static_cast<std::uint64_t>((total_ns + group.length.low_ns - 1) / group.length.low_ns);
  if (tasks > k_most_tasks) total->fail(total->path() + ": more tasks than " + std::to_string(k_most_tasks));
  return tasks;
}

sim::task_group read_group(const field& from) {
  sim::task_group out;
  object_fields fields{from};
  fields.allow({"count", "total", "length", "arrive", "to", "priority"});
  out.length = read_lengths(fields.need("length"));
  if (const auto arrive = fields.find("arrive")) out.arrives = read_arrivals(*arrive);
  out.count = read_count(fields, out);
  if (const auto to = fields.find("to")) out.where = read_target(*to);
  fields.named("priority", out.band);
  fields.finish();
  return out;
}

tasks_load read_tasks(object_fields& fields) {
  fields.allow({"kind", "groups"});
  tasks_load out;
  const field groups = fields.need("groups");
  std::uint64_t sum = 0;
  const auto rows = groups.items("a list of groups of tasks");
  if (rows.empty() || rows.size() > 1000) groups.refuse("a list of 1 to 1000 groups of tasks");
  for (const field& row : rows) {
    out.groups.push_back(read_group(row));
    sum += out.groups.back().count;
    if (sum > k_most_tasks) row.fail(row.path() + ": more tasks than " + std::to_string(k_most_tasks) + " in all");
  }
  return out;
}

// ---- the other kinds ------------------------------------------------------------------------------------------------

void read_range(object_fields& fields, std::string_view name, time_ns& least_ns, time_ns& most_ns) {
  const auto at = fields.find(name);
  if (!at) return;
  const sim::lengths got = read_lengths(*at);
  if (got.what != sim::lengths::kind::constant && got.what != sim::lengths::kind::uniform) {
    at->refuse("a time, or an object with the pattern uniform");
  }
  least_ns = got.low_ns;
  most_ns = got.high_ns;
}

branching_load read_branching(object_fields& fields) {
  sim::branching_options out;
  fields.whole("roots", out.roots, 1, 10'000'000);
  fields.duration("every", out.every_ns);
  read_range(fields, "root", out.root_least_ns, out.root_most_ns);
  read_range(fields, "child", out.child_least_ns, out.child_most_ns);
  if (const auto probability = fields.find("probability")) out.probability = probability->real(0, 1);
  fields.whole("most_children", out.most_children, 1, 1'000'000);
  if (const auto join = fields.find("join")) {
    const std::size_t which = join->one_of(k_joins_or_none);
    if (which != 0) out.join = static_cast<sim::join_mode>(which - 1);
  }
  return {out};
}

tree_load read_tree(object_fields& fields) {
  sim::fork_join_options out;
  fields.whole("depth", out.depth, 0, 100'000);
  fields.whole("arity", out.arity, 1, 1'000'000);
  fields.duration("before", out.before_ns);
  fields.duration("after", out.after_ns);
  fields.duration("leaf", out.leaf_ns);
  fields.boolean("work_first", out.work_first);
  out.join = read_join(fields);
  double tasks = 1;
  double level = 1;
  for (std::uint32_t i = 0; i != out.depth && tasks <= k_most_tasks; ++i) tasks += level *= out.arity;
  if (tasks > k_most_tasks) {
    fields.self().fail(fields.self().path() + ": a tree of depth " + std::to_string(out.depth) + " and arity " +
                       std::to_string(out.arity) + " has more tasks than " + std::to_string(k_most_tasks));
  }
  return {out};
}

graph_load read_graph(object_fields& fields) {
  fields.allow({"kind", "tasks", "ready_goes"});
  graph_load out;
  const field tasks = fields.need("tasks");
  const auto rows = tasks.items("a list of tasks");
  if (rows.empty()) tasks.refuse("a list of at least one task");
  for (const field& row : rows) {
    object_fields task{row};
    task.allow({"work", "after", "priority"});
    policy::priority band = policy::priority::normal;
    const time_ns work_ns = task.need("work").duration();
    task.named("priority", band);
    const std::uint32_t number = out.graph.add(work_ns, band);
    if (const auto after = task.find("after")) {
      for (const field& before : after->items("a list of the numbers of tasks before it")) {
        if (number == 0) before.refuse("nothing: the first task of the list follows no other");
        out.graph.add_edge(static_cast<std::uint32_t>(before.whole(0, number - 1)), number);
      }
    }
    task.finish();
  }
  if (const auto ready = fields.find("ready_goes")) {
    out.ready_goes = ready->one_of({"to_the_worker", "to_the_injector"}) == 0
                         ? sim::graph_workload::ready_goes::to_the_worker
                         : sim::graph_workload::ready_goes::to_the_injector;
  }
  return out;
}

divisible_tasks_load read_divisible(object_fields& fields) {
  sim::divisible_options out;
  fields.duration("work", out.work_ns);
  fields.duration("grain", out.grain_ns, 1);
  if (out.work_ns / out.grain_ns > static_cast<time_ns>(k_most_tasks)) {
    fields.self().fail(fields.self().path() + ": work of more than " + std::to_string(k_most_tasks) + " grains");
  }
  return {out};
}

// A file is looked for beside the scenario.
trace_load read_recorded(object_fields& fields) {
  fields.allow({"kind", "file", "join"});
  trace_load out;
  const field file = fields.need("file");
  out.file = (std::filesystem::path{file.file()}.parent_path() / file.text("the name of a recording")).string();
  out.join = read_join(fields);
  return out;
}

}  // namespace

std::vector<std::string_view> workload_kinds() {
  return {"tasks", "branching", "tree", "graph", "divisible", "trace", "sharing"};
}

workload_description read_workload(const field& from) {
  object_fields fields{from};
  if (!fields.find("kind")) {
    fields.allow({"kind",       "groups", "roots", "every",  "root",        "child", "probability", "most_children",
                  "join",       "depth",  "arity", "before", "after",       "leaf",  "work_first",  "tasks",
                  "ready_goes", "work",   "grain", "file",   "called_from", "phases"});
  }
  workload_description out;
  switch (fields.need("kind").one_of(workload_kinds())) {
    case 0:
      out = read_tasks(fields);
      break;
    case 1:
      out = read_branching(fields);
      break;
    case 2:
      out = read_tree(fields);
      break;
    case 3:
      out = read_graph(fields);
      break;
    case 4:
      out = read_divisible(fields);
      break;
    case 5:
      out = read_recorded(fields);
      break;
    default:
      out = read_sharing(fields);
  }
  fields.finish();
  return out;
}

}  // namespace filch::scenario
