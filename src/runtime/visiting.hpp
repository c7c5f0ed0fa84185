// A visit is under way: meanwhile the process makes no copy of itself, in which the visitor would be missing and a desk
// stay locked for ever.
//
// Who may call what: any thread.
#pragma once

namespace filch::inline v0 {

class visiting {
 public:
  visiting() noexcept;
  visiting(const visiting&) = delete;
  visiting& operator=(const visiting&) = delete;
  ~visiting();

  // False: somebody is in fork().
  [[nodiscard]] bool has_begun() const { return has_begun_; }

 private:
  bool has_begun_;
};

// Visits are possible from now on: the system has heavy fences for this process. Called once per process it may take
// some milliseconds. False: the system has none.
[[nodiscard]] bool prepare_visits() noexcept;

}  // namespace filch::inline v0
