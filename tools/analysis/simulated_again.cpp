#include "simulated_again.hpp"

#include <cstdint>
#include <filch/sim/replay.hpp>
#include <filch/sim/worker_model.hpp>
#include <unordered_map>
#include <vector>

namespace filch::analysis {
namespace {

// A replay that notes which task of the recording each simulated one is.
class noting_replay final : public sim::workload {
 public:
  explicit noting_replay(const sim::recorded_tasks& tasks) : inner_{tasks} {}

  bool next_arrival(sim::arrival& out) override { return inner_.next_arrival(out); }
  bool next_after_all(time_ns ended_ns, sim::arrival& out) override { return inner_.next_after_all(ended_ns, out); }
  sim::next_step resume(sim::task& self, sim::task_context& with) override {
    // The low half of its first word is the number of the recorded task.
    if (self.stage == 0) recorded_of_[self.number] = static_cast<std::uint32_t>(self.words[0]);
    return inner_.resume(self, with);
  }

  [[nodiscard]] const std::unordered_map<std::uint64_t, std::uint32_t>& recorded_of() const { return recorded_of_; }

 private:
  sim::replay inner_;
  std::unordered_map<std::uint64_t, std::uint32_t> recorded_of_;
};

// The names of the recording stand in the table, and every task that has one says so where it is spawned.
void give_names(trace::recording& to, const trace::recording& from, const sim::recorded_tasks& tasks,
                const noting_replay& load) {
  std::unordered_map<std::string, std::uint32_t> place_of;
  for (std::size_t i = 0; i != from.names.size(); ++i) {
    place_of[from.names[i].text] = static_cast<std::uint32_t>(to.names.size() + i);
  }
  to.names.insert(to.names.end(), from.names.begin(), from.names.end());
  const auto name_all = [&](std::vector<trace::event>& list) {
    for (trace::event& each : list) {
      if (each.kind != trace::event_kind::spawn) continue;
      const auto recorded = load.recorded_of().find(each.task);
      if (recorded == load.recorded_of().end()) continue;
      const auto name = place_of.find(tasks.names[tasks.name_of[recorded->second]]);
      if (name != place_of.end()) each.detail = name->second;
    }
  };
  name_all(to.outside);
  for (auto& list : to.workers) name_all(list);
}

}  // namespace

std::optional<trace::recording> simulated_again(const trace::recording& from) {
  const sim::recorded_tasks tasks = sim::recorded_tasks::from(from);
  const sim::machine_model machine = sim::machine_model::free(static_cast<std::uint32_t>(from.workers.size()));
  sim::run_options how{.seed = from.about.seed, .most_events = sim::k_most_shown_events};
  sim::replay unseen{tasks};
  const sim::run_result first = sim::simulate(machine, {}, unseen, how);
  if (first.end == sim::run_end::event_limit || first.recorded_events() > sim::k_most_shown_events) return std::nullopt;
  noting_replay load{tasks};
  trace::recording out;
  how.record = &out;
  (void)sim::simulate(machine, {}, load, how);
  out.about.version = from.about.version;
  give_names(out, from, tasks, load);
  return out;
}

}  // namespace filch::analysis
