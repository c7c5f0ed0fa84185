#include "worker_trace.hpp"

#include <new>

namespace filch::inline v0 {

worker_trace::worker_trace(trace::session* session, worker_id self, const void* home, filch::current_task& runs)
    : session_{session},
      events_{session != nullptr ? &session->of_worker(self) : &trace::recorder::off()},
      fork_detail_{session != nullptr ? session->forks() : trace::fork_detail::stolen},
      self_{self},
      home_{home},
      runs_{runs} {}

trace::name_id worker_trace::name_of(const char* name) noexcept {
  if (name == nullptr || session_ == nullptr) return trace::name_id::none();
  try {
    if (name == last_) return last_name_;
    const auto [at, is_new] = names_.try_emplace(name, trace::name_id::none());
    if (is_new) at->second = session_->names().intern_label(name);
    last_ = name;
    return last_name_ = at->second;
  } catch (const std::bad_alloc&) {
    return trace::name_id::none();  // without memory for names, tasks have none
  }
}

void worker_trace::suspend_all() noexcept {
  if (!is_enabled()) return;
  for (const task_record* each = runs_.get(); each != nullptr; each = each->inside) events_->suspend(each->id);
}

// Those that it runs inside of come first.
void worker_trace::resume_all(const task_record& task) noexcept {
  if (!is_enabled()) return;
  if (task.inside != nullptr) resume_all(*task.inside);
  events_->resume(task.id);
}

void worker_trace::record_join() noexcept {
  if (runs_.get() != nullptr) events_->join(runs_.id());
}

void worker_trace::record_join(task_id child) noexcept {
  if (runs_.get() != nullptr) events_->join(runs_.id(), child);
}

void worker_trace::record_fork(task_id number, task_id parent, const char* label) noexcept {
  events_->spawn(number, parent, name_of(label));
}

bool worker_trace::record_fork_in_handler(task_id number, task_id parent, const char* label) noexcept {
  return events_->note_in_handler(number, parent, label);
}

void worker_trace::begin_child(task_record& child) noexcept {
  task_record* const outer = runs_.get();
  child.home = home_;
  child.inside = outer;
  if (outer != nullptr) child.priority = outer->priority;
  runs_.set(&child);
  events_->start(child.id);
}

void worker_trace::end_child(task_record& child) noexcept {
  task_record* const outer = child.inside;
  events_->end(child.id);
  runs_.set(outer);
  if (outer != nullptr) events_->join(outer->id, child.id);
}

}  // namespace filch::inline v0
