#include "view.hpp"

#include <algorithm>
#include <base/escape.hpp>
#include <unordered_map>
#include <utility>

#include "execute.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using trace::event;
using trace::event_kind;

class builder {
 public:
  explicit builder(const trace::recording& from) : from_{from} { view_.dropped = from.dropped_count(); }

  run_view build() && {
    each_event([this](const event& e) { note_birth(e); });
    each_event([this](const event& e) { note_home(e); });
    each_event([this](const event& e) { note_rest(e); });
    std::ranges::sort(view_.log, {}, [](const log_line& line) { return std::pair{line.at_ns, line.place}; });
    return std::move(view_);
  }

 private:
  template <class Function>
  void each_event(const Function& function) {
    std::ranges::for_each(from_.outside, function);
    for (const auto& list : from_.workers) std::ranges::for_each(list, function);
  }

  seen_task* find(std::uint64_t id) {
    const auto at = index_.find(id);
    return at == index_.end() ? nullptr : &view_.tasks[at->second];
  }
  std::string name_of(std::uint64_t id) {
    const seen_task* const task = find(id);
    return task != nullptr ? task->name : "task "s + std::to_string(id);
  }
  void say(const event& at, std::string text) { view_.log.push_back({at.time_ns, view_.log.size(), std::move(text)}); }
  static std::string worker(std::uint32_t number) { return "Worker "s + std::to_string(number); }

  void note_birth(const event& e) {
    if (e.kind != event_kind::spawn) return;
    seen_task task;
    const trace::name_entry* const name = from_.find_name(e.detail);
    task.name = name != nullptr ? escape::shown(name->text) : "task "s + std::to_string(e.task);
    if (e.worker != trace::k_outside) task.home = worker_id{e.worker};
    task.is_loader = task.name == k_loader_name;
    index_.emplace(e.task, view_.tasks.size());
    view_.tasks.push_back(std::move(task));
  }

  // Tasks from outside have a home; tasks that a loader spawned count as submitted, too.
  void note_home(const event& e) {
    if (e.kind == event_kind::inject) {
      seen_task* const task = find(e.task);
      if (task == nullptr) return;
      if (e.detail != trace::k_no_detail) task->home = worker_id{e.detail};
      if (!task->is_loader) {
        say(e, "Submitted "s + task->name + (task->home.is_some() ? " to "s + worker(task->home.value) : ""));
      }
    } else if (e.kind == event_kind::spawn && e.worker != trace::k_outside) {
      const seen_task* const parent = find(e.argument);
      if (parent != nullptr && parent->is_loader) say(e, "Submitted "s + name_of(e.task) + " to " + worker(e.worker));
      else say(e, worker(e.worker) + ": Spawned " + name_of(e.task));
    }
  }

  void note_rest(const event& e) {
    seen_task* const task = find(e.task);
    switch (e.kind) {
      case event_kind::start:
        if (task == nullptr) return;
        task->ran_on = worker_id{e.worker};
        task->start_ns = e.time_ns;
        if (!task->is_loader) say(e, worker(e.worker) + ": Executing " + task->name);
        break;
      case event_kind::end:
        if (task == nullptr) return;
        task->end_ns = e.time_ns;
        if (!task->is_loader) say(e, worker(e.worker) + ": Completed " + task->name);
        break;
      case event_kind::steal_success: {
        view_.stolen.add(e.worker, e.detail, e.argument);
        // A stolen fork becomes a task only in the thief's hands; its home is the victim.
        if (task != nullptr && task->home == worker_id{e.worker}) task->home = worker_id{e.detail};
        const std::string more = e.argument > 1 ? " and "s + std::to_string(e.argument - 1) + " more" : "";
        say(e, worker(e.worker) + ": Stole " + name_of(e.task) + more + " from " + worker(e.detail));
        break;
      }
      default:
        break;
    }
  }

  const trace::recording& from_;
  run_view view_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

}  // namespace

std::uint64_t run_view::stolen_sum() const {
  std::uint64_t sum = 0;
  for (const auto& [pair, count] : stolen.pairs()) sum += count;
  return sum;
}

run_view view_of(const trace::recording& from) { return builder{from}.build(); }

}  // namespace filch::tool
