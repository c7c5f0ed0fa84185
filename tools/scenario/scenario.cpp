#include "scenario.hpp"

#include "field.hpp"
#include "files.hpp"
#include "machine_fields.hpp"
#include "workload_fields.hpp"

#include <algorithm>

namespace filch::scenario {
namespace {

// ---- the policy -----------------------------------------------------------------------------------------------------

// A preset's name, the text of the command line, or its parts as fields.
policy::idle read_idle(const field& from) {
  if (from.is_text()) return from.named<policy::idle>();
  if (!from.is_object()) from.refuse("eco, balanced, latency, or an object with fields");
  policy::idle out = policy::idle::balanced;
  out.linger_ns = 0;
  object_fields fields{from};
  fields.whole("attempts", out.attempts_per_cycle, 0, UINT32_MAX);
  fields.duration("initial", out.initial_ns);
  if (const auto factor = fields.find("factor")) out.factor = factor->real(1, 1e6);
  fields.duration("cap", out.cap_ns);
  fields.duration("linger", out.linger_ns);
  if (const auto cycles = fields.find("cycles")) {
    const bool is_forever = cycles->is_text() && cycles->text() == "forever";
    if (cycles->is_text() && !is_forever) cycles->refuse("a whole number from 1 on, or \"forever\"");
    out.cycles = is_forever ? policy::idle::k_forever
                            : static_cast<std::uint32_t>(cycles->whole(1, policy::idle::k_forever - 1));
  }
  fields.finish();
  return out;
}

// The text of the command line, or its parts as fields.
policy::demand read_demand(const field& from) {
  if (from.is_text()) return from.named<policy::demand>();
  if (!from.is_object()) from.refuse("default, notify=5us,wake=20us,…, or an object with fields");
  policy::demand out;
  object_fields fields{from};
  fields.duration("notify", out.notify_ns);
  fields.duration("wake", out.wake_ns);
  fields.duration("transfer", out.transfer_ns);
  fields.duration("migrate", out.migrate_ns);
  fields.boolean("throttle", out.throttle);
  fields.boolean("join_first", out.join_first);
  fields.boolean("one_place", out.one_place);
  fields.whole("searchers", out.searchers, 1, UINT32_MAX);
  fields.finish();
  return out;
}

void read_policy(const field& from, document& into) {
  policy::search_options& out = into.policy;
  object_fields fields{from};
  fields.named("victims", out.victims);
  fields.named("steal", out.steal);
  fields.named("order", out.order);
  if (const auto idle = fields.find("idle")) out.idle = read_idle(*idle);
  fields.named("wake", out.wake);
  fields.named("placement", out.placement);
  fields.whole("fairness", out.fairness_interval, 1, UINT32_MAX);
  fields.whole("starvation", out.starvation_interval, 0, UINT32_MAX);
  fields.boolean("retry_lost", out.retry_lost);
  fields.boolean("deaf_waits", into.deaf_waits);
  if (const auto demand = fields.find("demand")) into.demand = read_demand(*demand);
  fields.finish();
}

// ---- the machine ----------------------------------------------------------------------------------------------------

// Files are looked for beside the scenario.
machine_description read_any_machine(const field& from) {
  if (from.is_object()) return read_machine(from);
  const std::string& text = from.text("the name of a machine, a file, or an object");
  if (is_file_name(text)) {
    const auto file = std::filesystem::path{from.file()}.parent_path() / text;
    try {
      return load_machine(file);
    } catch (const error& problem) {
      if (problem.line() != 0) throw;
      from.fail(from.path() + " = " + from.value().show() + ": " + problem.what());
    }
  }
  const std::vector<std::string_view> names = machine_names();
  (void)from.one_of(names);
  return find_machine(text);
}

// ---- what must fit together -----------------------------------------------------------------------------------------

[[noreturn]] void refuse(std::string_view origin, std::string_view name, const std::string& value,
                         const std::string& allowed) {
  throw error{origin, 0, name, std::string{name} + " = " + value + ": allowed is " + allowed};
}

void require_workers(const document& what, std::string_view origin) {
  const std::uint32_t workers = what.worker_count();
  if (workers < 1 || workers > k_most_workers) {
    refuse(origin, "workers", std::to_string(workers), "a number from 1 to " + std::to_string(k_most_workers));
  }
}

// Looks that cost nothing, with nothing between them, would go on for ever in no time.
void require_end_of_looking(const document& what, std::string_view origin) {
  const policy::idle& idle = what.policy.idle;
  if (idle.attempts_per_cycle > 1'000'000) {
    refuse(origin, "policy.idle.attempts", std::to_string(idle.attempts_per_cycle), "a number from 0 to 1000000");
  }
  const auto& steal = what.machine.costs.steal;
  const bool is_free =
      steal.empty() || std::ranges::any_of(steal, [](const sim::steal_cost& one) { return one.empty_ns == 0; });
  if (idle.initial_ns == 0 && is_free && idle.cycles > 1000) {
    refuse(origin, "policy.idle.cycles", std::to_string(idle.cycles),
           "a number from 1 to 1000 where neither waits nor looks take time");
  }
}

void require_targets(const document& what, std::string_view origin) {
  const auto* tasks = std::get_if<tasks_load>(&what.workload);
  if (tasks == nullptr) return;
  for (std::size_t i = 0; i != tasks->groups.size(); ++i) {
    const sim::target& where = tasks->groups[i].where;
    const bool names_worker = where.what == sim::target::kind::worker || where.what == sim::target::kind::pinned;
    if (!names_worker || where.worker.value < what.worker_count()) continue;
    refuse(origin, "workload.groups[" + std::to_string(i) + "].to", "worker " + std::to_string(where.worker.value),
           "a worker from 0 to " + std::to_string(what.worker_count() - 1));
  }
}

void require_valid(const document& what, std::string_view origin) {
  require_workers(what, origin);
  require_valid(what.machine, what.worker_count(), origin);
  for (const policy::problem& one : policy::validate(what.policy, what.worker_count())) {
    throw error{origin, 0, "policy." + one.field, "policy." + policy::to_string(one)};
  }
  for (const policy::problem& one : policy::validate(what.demand)) {
    throw error{origin, 0, "policy." + one.field, "policy." + policy::to_string(one)};
  }
  require_end_of_looking(what, origin);
  require_targets(what, origin);
  if (what.until_ns < 0) refuse(origin, "until", std::to_string(what.until_ns), "a time from 0 on");
  if (what.runs < 1 || what.runs > k_most_runs) {
    refuse(origin, "runs", std::to_string(what.runs), "a number from 1 to " + std::to_string(k_most_runs));
  }
}

// The line of the field that an error between fields names, or of the one around it.
std::uint32_t line_of(const json_value& tree, std::string_view path) {
  const json_value* at = &tree;
  while (!path.empty() && at->what == json_value::kind::object) {
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    const auto found = std::ranges::find(at->keys, name);
    if (found == at->keys.end()) break;
    at = &at->items[static_cast<std::size_t>(found - at->keys.begin())];
    path.remove_prefix(std::min(name.size() + 1, path.size()));
  }
  return at->line;
}

}  // namespace

document parse(std::string_view text, std::string_view origin) {
  const json_value tree = parse_json(text, origin);
  const field root{origin, "", tree};
  document out;
  object_fields fields{root};
  fields.allow({"$schema", "name", "title", "machine", "workers", "seed", "runs", "until", "policy", "workload"});
  (void)fields.find("$schema");
  out.name = std::filesystem::path{origin}.stem().string();
  if (const auto name = fields.find("name")) out.name = name->text();
  if (const auto title = fields.find("title")) out.title = title->text();
  if (const auto machine = fields.find("machine")) out.machine = read_any_machine(*machine);
  fields.whole("workers", out.workers, 1, k_most_workers);
  fields.whole("seed", out.seed, 0, UINT64_MAX);
  fields.whole("runs", out.runs, 1, k_most_runs);
  if (const auto until = fields.find("until")) out.until_ns = until->duration();
  if (const auto policy = fields.find("policy")) read_policy(*policy, out);
  out.workload = read_workload(fields.need("workload"));
  fields.finish();
  try {
    require_valid(out, origin);
  } catch (const error& problem) {
    const std::string_view said = std::string_view{problem.what()}.substr(origin.size() + 2);
    throw error{origin, line_of(tree, problem.field()), problem.field(), said};
  }
  return out;
}

document load(const std::filesystem::path& file) { return parse(read_file(file, k_most_bytes), file.string()); }

std::vector<std::string_view> built_in_names() { return names_of(built_in_scenarios()); }

document find(std::string_view name_or_file) {
  if (is_file_name(name_or_file)) return load(std::filesystem::path{name_or_file});
  const built_in_file& found = find_built_in(built_in_scenarios(), "scenario", name_or_file);
  return parse(found.text, "scenarios/" + std::string{found.name} + ".json");
}

void require_valid(const document& what) { require_valid(what, what.name); }

}  // namespace filch::scenario
