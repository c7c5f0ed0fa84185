// A worker's part of a recording: names, forks, and the tasks whose stack is suspended or resumed.
//
// Who may call what: the thread that holds the worker, and its signal handler where share/frame_recording.hpp says so.
#pragma once

#include "current_task.hpp"

#include "share/share_host.hpp"

#include <filch/base/ids.hpp>
#include <filch/runtime/task.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/session.hpp>

#include <cstdint>
#include <unordered_map>

namespace filch::inline v0 {

class worker_trace final : public fork_recorder {
 public:
  // `session` is null where nothing is recorded.
  worker_trace(trace::session* session, worker_id self, const void* home, current_task& runs);
  worker_trace(const worker_trace&) = delete;
  worker_trace& operator=(const worker_trace&) = delete;

  [[nodiscard]] trace::recorder& events() const { return *events_; }
  [[nodiscard]] bool is_enabled() const { return events_->is_enabled(); }
  [[nodiscard]] trace::session* session() const { return session_; }

  // The number in the trace of a name or label, and of what a task is called.
  [[nodiscard]] trace::name_id name_of(const char* name) noexcept;
  [[nodiscard]] trace::name_id name_of(const task_base& task) noexcept {
    return name_of(task.name != nullptr ? task.name : task.label());
  }

  // The running task, and those that it runs inside of, leave the worker, or come back.
  void suspend_all() noexcept;
  void resume_all(const task_record& task) noexcept;
  // The running task resumes after all its children.
  void record_join() noexcept;

  [[nodiscard]] bool records_forks() const noexcept override {
    return fork_detail_ != trace::fork_detail::stolen && is_enabled();
  }
  [[nodiscard]] bool records_every_fork() const noexcept override {
    return fork_detail_ == trace::fork_detail::every && is_enabled();
  }
  // Forks are left out, unless they are stolen.
  [[nodiscard]] bool leaves_forks_out() const { return is_enabled() && fork_detail_ == trace::fork_detail::stolen; }
  [[nodiscard]] task_id running_task() const noexcept override { return runs_.id(); }
  // Recorded forks are counted apart from tasks.
  [[nodiscard]] task_id next_fork_number() noexcept override {
    return task_id{(std::uint64_t{self_.value} + 1) << 44 | std::uint64_t{1} << 43 | forks_++};
  }
  void record_fork(task_id number, task_id parent, const char* label) noexcept override;
  [[nodiscard]] bool record_fork_in_handler(task_id number, task_id parent, const char* label) noexcept override;
  void begin_child(task_record& child) noexcept override;
  void end_child(task_record& child) noexcept override;
  void record_join(task_id child) noexcept override;

 private:
  trace::session* const session_;
  trace::recorder* const events_;
  const trace::fork_detail fork_detail_;
  const worker_id self_;
  const void* const home_;
  filch::current_task& runs_;
  std::uint64_t forks_ = 0;
  std::unordered_map<const char*, trace::name_id> names_;
  const char* last_ = nullptr;  // and its number
  trace::name_id last_name_ = trace::name_id::none();
};

}  // namespace filch::inline v0
