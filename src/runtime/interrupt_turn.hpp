// Whose turn it is to interrupt a thread, and whether somebody waits for the answer.
// kernel: light headers only
//
// Who may call what: any thread; `is_awaited` the thread itself, in its signal handler. One who has begun also ends.
// Forbidden is that the handler's offer is left to one who no longer looks:
//
//   handler                                who has sent the signal
//   offer                                  say that nobody waits
//   [L24] fence                            [L25] fence
//   look whether somebody waits            look for an offer
//
// Of two such lists at least one sees what the other has done first.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>

#include <cstdint>

namespace filch::inline v0 {

// What came of an interrupt.
enum class interrupt_end : std::uint8_t { answered, cut_short, in_vain };

template <class A = std_atomics>
class interrupt_turn {
 public:
  // True for one of those who want to interrupt now.
  [[nodiscard]] bool begin(time_ns now_ns) {
    time_ns at_ns = at_ns_.load(std::memory_order_relaxed);  // ordered by [L25]
    // ordered by [L25]: begun twice would be harmless but for the end
    return now_ns >= at_ns &&
           at_ns_.compare_exchange(at_ns, k_never_ns, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  // Nobody may begin for a while after one in vain, longer and longer. The caller looks for an offer after this.
  void end(interrupt_end how, time_ns now_ns) {
    constexpr time_ns k_shortest_ns = 20 * k_ns_per_us;  // guess: what a wake-up costs
    constexpr time_ns k_longest_ns = 10 * k_ns_per_ms;
    time_ns pause_ns = pause_ns_.load(std::memory_order_relaxed);  // statistic
    if (how == interrupt_end::answered) pause_ns = 0;
    if (how == interrupt_end::in_vain) pause_ns = pause_ns == 0 ? k_shortest_ns : 2 * pause_ns;
    if (pause_ns > k_longest_ns) pause_ns = k_longest_ns;
    pause_ns_.store(pause_ns, std::memory_order_relaxed);                                            // statistic
    at_ns_.store(how == interrupt_end::in_vain ? now_ns + pause_ns : 0, std::memory_order_relaxed);  // ordered by [L25]
    // [L25] seq_cst fence: "nobody waits, then look for an offer" against "offer, then look whether somebody waits" ↔
    // [L24].
    A::fence(std::memory_order_seq_cst);
  }
  // After an offer: false says that somebody else must be told.
  [[nodiscard]] bool is_awaited() const {
    // [L24] seq_cst fence: "offer, then look whether somebody waits" against "nobody waits, then look for an offer" ↔
    // [L25].
    A::fence(std::memory_order_seq_cst);
    return at_ns_.load(std::memory_order_relaxed) == k_never_ns;  // ordered by [L24]
  }
  // Something was offered, or there is nothing to be had: the next one may begin at once.
  void forget() {
    if (pause_ns_.load(std::memory_order_relaxed) == 0) return;  // statistic
    pause_ns_.store(0, std::memory_order_relaxed);               // statistic
    time_ns at_ns = at_ns_.load(std::memory_order_relaxed);      // statistic
    if (at_ns == k_never_ns) return;
    (void)at_ns_.compare_exchange(at_ns, 0, std::memory_order_relaxed, std::memory_order_relaxed);  // statistic
  }

 private:
  typename A::template atomic<time_ns> at_ns_{0};     // not before; never: somebody has begun
  typename A::template atomic<time_ns> pause_ns_{0};  // doubles with each in vain
};

}  // namespace filch::inline v0
