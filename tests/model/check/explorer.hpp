// Who decides: the strategies that make an execution's choices, and the path that names an execution by them.
//
// A choice is made among `count` alternatives in an order that does not depend on the strategy: for threads the running
// one comes first, for values the newest. So a path recorded by one strategy replays under every other.
#pragma once

#include "check.hpp"

#include <filch/base/random.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace filch::check {

struct thread_choice {
  std::span<const std::uint8_t> threads;  // those that can run; at least two
  std::uint64_t permitted;                // bit i: threads[i] is within the bounds of an exhaustive search; never 0
  bool is_current_first;                  // threads[0] is the running one
  bool is_yielding;                       // the running one gave way: pause(), or it only re-reads
};

class explorer {
 public:
  virtual ~explorer() = default;

  // Starts execution number `iteration`, counted from 0. False: there are no more.
  bool begin(std::uint64_t iteration);
  // Ends it; `steps` is how many operations it had.
  void end(std::uint64_t steps) { finish(steps); }

  unsigned choose_thread(const thread_choice& among);
  unsigned choose_value(unsigned count);

  [[nodiscard]] const std::vector<std::uint16_t>& choices() const { return choices_; }
  [[nodiscard]] virtual bool is_exhausted() const { return false; }
  [[nodiscard]] virtual unsigned preemption_bound() const { return k_unbounded; }
  [[nodiscard]] virtual unsigned spin_bound() const { return k_unbounded; }
  [[nodiscard]] virtual std::uint64_t number_of(std::uint64_t iteration) const { return iteration; }
  [[nodiscard]] virtual std::string describe() const = 0;

 protected:
  virtual bool start(std::uint64_t iteration) = 0;
  virtual void finish(std::uint64_t) {}
  virtual unsigned pick_thread(const thread_choice& among) = 0;
  virtual unsigned pick_value(unsigned count) = 0;

 private:
  std::vector<std::uint16_t> choices_;
};

[[nodiscard]] std::unique_ptr<explorer> make_explorer(const options& how);

// "0012(40)3[70]": one digit or letter per choice, [n] above 35, (n) for n zeros. Zeros at the end are left out.
[[nodiscard]] std::string encode_path(const std::vector<std::uint16_t>& choices);
[[nodiscard]] std::vector<std::uint16_t> decode_path(std::string_view text);  // throws std::invalid_argument

}  // namespace filch::check
