// A visit is under way: meanwhile the process makes no copy of itself, in which the visitor would be missing and a
// share point stay locked for ever. That is promised for share points alone: other locks that a thread holds at a
// fork() are held in the copy.
//
// Who may call what: any thread. A visitor allocates nothing: fork() waits for it, and the heap may be locked by then.
#pragma once

namespace filch::inline v0 {

class visiting {
 public:
  visiting() noexcept;
  visiting(const visiting&) = delete;
  visiting& operator=(const visiting&) = delete;
  ~visiting();

  // False: another thread is in fork().
  [[nodiscard]] bool has_begun() const { return has_begun_; }

 private:
  bool has_begun_;
};

// Visits are possible from now on: the system has heavy fences for this process. The first call takes some microseconds
// while the process has one thread, and 10 to 30 ms later. False: the system has none.
[[nodiscard]] bool prepare_visits() noexcept;
// The same, but only if it takes microseconds. False: it was not done.
[[nodiscard]] bool prepare_visits_if_cheap() noexcept;

}  // namespace filch::inline v0
