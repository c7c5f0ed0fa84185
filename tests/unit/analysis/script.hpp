// Recordings written by hand: what each worker did, line by line.
//
//   script s{2};                                     two workers
//   s.at(0).outside().spawn(1, none, "main");
//   s.at(5).on(0).start(1);
//   s.at(9).spawn(2, 1, "child");                    still on worker 0, at 9
#pragma once

#include <cstdint>
#include <filch/trace/recording.hpp>
#include <string_view>

namespace filch_analysis_test {

inline constexpr std::uint64_t none = filch::trace::k_no_task;

class script {
 public:
  explicit script(std::uint32_t workers);

  script& at(filch::time_ns now_ns) {
    now_ns_ = now_ns;
    return *this;
  }
  script& on(std::uint32_t worker) {
    worker_ = worker;
    return *this;
  }
  script& outside() { return on(filch::trace::k_outside); }

  script& spawn(std::uint64_t task, std::uint64_t parent = none, std::string_view name = "");
  script& start(std::uint64_t task) { return put(filch::trace::event_kind::start, task); }
  script& end(std::uint64_t task) { return put(filch::trace::event_kind::end, task); }
  script& join(std::uint64_t task) { return put(filch::trace::event_kind::join, task); }
  script& join_child(std::uint64_t task, std::uint64_t child) {
    return put(filch::trace::event_kind::join, task, child);
  }
  script& resume(std::uint64_t task) { return put(filch::trace::event_kind::resume, task); }
  script& unblock(std::uint64_t task) { return put(filch::trace::event_kind::unblock, task); }
  script& suspend(std::uint64_t task, std::string_view reason = "");
  // By another task, or by nobody.
  script& woken(std::uint64_t task, std::uint64_t by, std::string_view reason = "");
  script& block(std::uint64_t task, std::string_view reason = "");
  script& look_at(std::uint32_t victim);
  script& find_nothing_at(std::uint32_t victim);
  script& steal(std::uint64_t task, std::uint32_t victim);
  script& notify(std::uint32_t whom) { return put(filch::trace::event_kind::notify, none, 0, whom); }
  script& park() { return put(filch::trace::event_kind::park, none); }
  script& wake() { return put(filch::trace::event_kind::wake, none); }
  script& lose(std::uint64_t events) { return put(filch::trace::event_kind::dropped, none, events); }

  // The thread of this worker is looked at from here on.
  script& begin_thread(std::uint64_t thread, bool with_run_queue = true, bool with_counters = false);
  // What it has used since the sample before.
  struct use {
    filch::time_ns cpu_ns = 0;
    filch::time_ns run_queue_ns = 0;
    std::uint64_t voluntary = 0;
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
  };
  script& sample(const use& of);
  // Of a process that may use so many.
  script& processors(std::uint32_t count);

  // A task that runs without a break.
  script& run(std::uint64_t task, std::uint32_t worker, filch::time_ns from_ns, filch::time_ns to_ns) {
    return at(from_ns).on(worker).start(task).at(to_ns).end(task);
  }

  // As if recorded: the lists in the order of time.
  [[nodiscard]] const filch::trace::recording& recording() const { return out_; }

 private:
  script& put(filch::trace::event_kind kind, std::uint64_t task, std::uint64_t argument = 0,
              std::uint32_t detail = filch::trace::k_no_detail);
  std::uint32_t name_of(std::string_view text);

  filch::trace::recording out_;
  filch::time_ns now_ns_ = 0;
  std::uint32_t worker_ = filch::trace::k_outside;
};

}  // namespace filch_analysis_test
