// Sharing on request: which owner is asked for forked work and when, how much it gives, and which thread wakes a
// sleeper for it.
//
// A fork stays with its owner until a thief requests work. The rules of that protocol stand here as values: threads
// (src/share, src/runtime) and simulated workers (src/sim) call the same functions. All figures follow from four costs
// of the machine, which `filch calibrate` measures; a factor that is none of them says where it comes from.
//
//   rule                                                    value
//   a child is tiny, and the next wake-up waits             wake_throttle
//   a thief requests again from the same victim             request_pace
//   a request goes to the next fork or the next join        join_answers
//   an offer is old enough to be taken                      demand::is_aged
//   a victim that does not answer is visited                demand::answer_ns, visit_pace
//   the thread that wakes a sleeper for an offer            demand::wakes_for_offer
//   enough workers search, so that no sleeper is woken      demand::is_searched
//   an external thread counts as one of the workers         has_place_for_sleeper, has_place_awake
//   how much is given                                       demand::shared_ready, taken_from_injector, loop sizes
//   a worker stays awake before it sleeps, and looks around demand::linger_ns, due_linger_ns, deferred_every_ns
//   the monitor thread looks after requests                 monitor_pace
//
// None of these objects is thread-safe. A body that lets several threads read one keeps its fields in atomics and
// exchanges them as values (state(), of()).
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/names.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace filch::inline v0::policy {

struct problem;  // options.hpp

struct demand {
  // What the acts of sharing cost. A wake-up was measured on machines with 2 and 16 processors: 1.4 to 16 µs for the
  // waking thread, 15 to 50 until the sleeper runs; the defaults lie between. The last two are estimates.
  time_ns notify_ns = 5 * k_ns_per_us;    // waking a sleeper, for the thread that wakes it
  time_ns wake_ns = 20 * k_ns_per_us;     // from there until the sleeper runs
  time_ns transfer_ns = 2 * k_ns_per_us;  // an offer's way to its thief and back: some cache lines on both sides
  time_ns migrate_ns = 300;               // a coroutine's frame, from one cache to the other

  // Rules that can be left out, for comparisons.
  bool throttle = true;    // tiny children are left to their owner
  bool join_first = true;  // requests go to joins where these can answer
  bool one_place = true;   // an external thread that computes takes the place of a worker

  // The number of searching workers from which on no sleeper is woken for an offer. Simulated, more than one makes
  // loops and trees behind a pause up to twice as fast (docs/investigations/simulated_sharing.md); threads take 1 only.
  std::uint32_t searchers = 1;

  friend constexpr bool operator==(const demand&, const demand&) = default;

  // ---- offers ----

  // Less work than this is not worth a wake-up: the owner is done before the thief begins.
  [[nodiscard]] constexpr bool is_tiny(time_ns lasted_ns) const { return lasted_ns < notify_ns; }
  // Ten wake-ups' worth: what was tiny before says nothing any more.
  [[nodiscard]] constexpr bool is_large(time_ns lasted_ns) const { return lasted_ns >= 10 * notify_ns; }
  // Where children are tiny, only an offer that has lain for a transfer is taken: the owner takes most others back
  // sooner (docs/decisions/0018-tiny-children.md).
  [[nodiscard]] constexpr bool is_aged(time_ns lain_ns) const { return lain_ns >= transfer_ns; }
  // An offer in a worker's own cell that no thief has taken for so long is taken back by the worker.
  [[nodiscard]] constexpr time_ns overdue_ns() const { return 5 * wake_ns; }
  // After stack_exhausted nothing is offered for a while: a thief of a recursion without end would begin it anew.
  [[nodiscard]] static constexpr time_ns exhausted_ns() { return 10 * k_ns_per_ms; }

  // ---- requests ----

  // A victim that comes to a fork or a join soon has answered within this; one that has not is visited. Lengths:
  // docs/decisions/0015-lingering.md.
  [[nodiscard]] constexpr time_ns answer_ns() const { return wake_ns; }

  // ---- how much ----

  // Of `size` ready coroutines, at a request: half of them, fewer where they were tiny lately.
  [[nodiscard]] static constexpr std::uint32_t shared_ready(std::uint32_t size, std::uint32_t streak) {
    return std::clamp(size / 2, 1u, 256u >> streak);
  }
  // Coroutines that were over sooner than their frames came from one cache to the other are better left alone.
  [[nodiscard]] constexpr bool is_tiny_batch(time_ns each_lasted_ns) const { return each_lasted_ns < migrate_ns; }
  // Of `size` entries in the injector, by a worker that has nothing else: its share, 16 at most.
  [[nodiscard]] static constexpr std::uint64_t taken_from_injector(std::uint64_t size, std::size_t workers) {
    return (std::min)(size / workers + 1, std::uint64_t{16});
  }
  // A loop's rest is worth dividing if it takes as long: a wake-up for a thief that sleeps, the way there and back for
  // one that is awake.
  [[nodiscard]] constexpr time_ns worth_waking_ns() const { return wake_ns; }
  [[nodiscard]] constexpr time_ns worth_awake_ns() const { return 4 * transfer_ns; }
  // A loop looks for requests as often: the look is lost in the noise, and a sleeper takes longer to wake.
  [[nodiscard]] constexpr time_ns block_ns() const { return 2 * transfer_ns; }

  // ---- staying awake ----

  // How long a worker that parks stays awake, asleep for all others: not where what it has stolen was over within the
  // price of a wake-up, and not where workers share processors (docs/decisions/0015-lingering.md).
  [[nodiscard]] constexpr time_ns linger_ns(time_ns wanted_ns, time_ns since_theft_ns, bool has_cpu_each) const {
    return has_cpu_each && since_theft_ns >= notify_ns ? wanted_ns : 0;
  }
  // The same where a request was deferred until `due_ns`: until it can be made and answered.
  [[nodiscard]] constexpr time_ns due_linger_ns(time_ns due_ns, time_ns now_ns) const {
    return due_ns + answer_ns() / 2 - now_ns;
  }
  // A worker that lingers looks so often whether a request was deferred.
  [[nodiscard]] constexpr time_ns deferred_every_ns() const { return transfer_ns; }

  // ---- waking ----

  enum class waker : std::uint8_t { owner, monitor };
  // The thread that wakes a sleeper for an offer. A worker that lingers is chosen without a system call.
  [[nodiscard]] static constexpr waker wakes_for_offer(bool is_throttled, bool lingers_any, bool is_monitored) {
    return is_throttled && !lingers_any && is_monitored ? waker::monitor : waker::owner;
  }
  // Are enough workers awake and looking for work, so that none is woken for an offer?
  [[nodiscard]] constexpr bool is_searched(std::size_t searching) const { return searching >= searchers; }
  // May a sleeper be woken, or a worker that is awake take something, for work that its owner would do itself? An
  // external thread that computes takes the place of one worker (docs/decisions/0021-places.md).
  [[nodiscard]] constexpr bool has_place_for_sleeper(std::size_t sleepers, bool external_computes) const {
    return !one_place || sleepers >= 2 || !external_computes;
  }
  [[nodiscard]] constexpr bool has_place_awake(std::size_t sleepers, bool external_computes) const {
    return !one_place || sleepers != 0 || !external_computes;
  }
};

// How often sleepers are woken for what one owner offers. A program whose children are over within the price of a
// wake-up is left alone for a while, longer and longer; a child that was worth it halves that, a large one ends it.
class wake_throttle {
 public:
  static constexpr std::uint32_t k_longest_streak = 6;
  static constexpr std::uint32_t k_throttled_streak = 3;  // so that one tiny child among others changes nothing

  constexpr wake_throttle() = default;
  constexpr wake_throttle(std::uint32_t streak, time_ns not_before_ns)
      : streak_{streak}, not_before_ns_{not_before_ns} {}

  // A child that was offered is over, or was taken back, after so long.
  [[nodiscard]] constexpr wake_throttle after(time_ns lasted_ns, time_ns now_ns, const demand& rules) const {
    if (!rules.throttle) return {};
    if (!rules.is_tiny(lasted_ns)) return {rules.is_large(lasted_ns) ? 0 : streak_ / 2, 0};
    const std::uint32_t streak = (std::min)(streak_ + 1, k_longest_streak);
    return {streak, now_ns + (rules.notify_ns << streak) / 5};
  }
  // Nearly all were tiny lately.
  [[nodiscard]] constexpr bool is_throttled() const { return streak_ >= k_throttled_streak; }
  [[nodiscard]] constexpr bool may_wake(time_ns now_ns) const { return now_ns >= not_before_ns_; }
  [[nodiscard]] constexpr std::uint32_t streak() const { return streak_; }
  [[nodiscard]] constexpr time_ns not_before_ns() const { return not_before_ns_; }
  // The longest time for which it forbids a wake-up.
  [[nodiscard]] static constexpr time_ns longest_ns(const demand& rules) {
    return (rules.notify_ns << k_longest_streak) / 5;
  }

  friend constexpr bool operator==(const wake_throttle&, const wake_throttle&) = default;

 private:
  std::uint32_t streak_ = 0;
  time_ns not_before_ns_ = 0;
};

// How often a thief requests: one that got tiny tasks asks less and less often, so that its victim does not offer
// something at every fork.
class request_pace {
 public:
  [[nodiscard]] constexpr bool may_request(time_ns now_ns, const demand& rules) {
    if (taken_ns_ != 0) {
      judge(now_ns - taken_ns_ < rules.transfer_ns, now_ns, rules);
      taken_ns_ = 0;
    }
    return now_ns >= not_before_ns_;
  }
  // What it has taken is done, and was tiny or not.
  constexpr void judge(bool was_tiny, time_ns now_ns, const demand& rules) {
    if (!rules.throttle) return;
    pause_ns_ = was_tiny ? (std::min)((std::max)(2 * pause_ns_, rules.transfer_ns / 2), longest_ns(rules)) : 0;
    not_before_ns_ = was_tiny ? now_ns + pause_ns_ : 0;
  }
  // It has taken something. True: the victim should put the next offer out ahead of time.
  [[nodiscard]] constexpr bool take(time_ns now_ns) {
    taken_ns_ = now_ns;
    return pause_ns_ == 0;
  }

 private:
  [[nodiscard]] static constexpr time_ns longest_ns(const demand& rules) { return 10 * rules.notify_ns; }

  time_ns pause_ns_ = 0;
  time_ns not_before_ns_ = 0;
  time_ns taken_ns_ = 0;
};

// Where a request goes. A fork that has answered once costs a cycle more from then on, a join does not; so joins are
// asked where they can answer (docs/decisions/0017-joins-answer.md).
class join_answers {
 public:
  enum class target : std::uint8_t { fork, join };
  // At the end of a recursion some joins in a row have nothing to offer.
  static constexpr std::uint32_t k_most = 16;
  // A monitor thread that has waited so often in vain for a join lets forks answer again.
  static constexpr std::uint32_t k_patience = 4;

  constexpr join_answers() = default;
  constexpr explicit join_answers(std::uint32_t answers) : answers_{answers} {}

  // `can_visit`: a thread that does not answer is visited. `has_latent`: a fork is open that can be offered.
  [[nodiscard]] constexpr target request(bool can_visit, bool has_latent, const demand& rules) const {
    if (!rules.join_first) return target::fork;
    return do_answer() || (can_visit && has_latent) ? target::join : target::fork;
  }
  [[nodiscard]] constexpr bool do_answer() const { return answers_ != 0; }
  // A join was asked, and has offered something or had nothing to offer.
  [[nodiscard]] constexpr join_answers after(bool has_offered) const {
    return join_answers{has_offered ? (std::min)(answers_ + 1, k_most) : answers_ - (std::min)(answers_, 1u)};
  }
  [[nodiscard]] constexpr std::uint32_t count() const { return answers_; }

  friend constexpr bool operator==(const join_answers&, const join_answers&) = default;

 private:
  std::uint32_t answers_ = 0;
};

// How often one owner is visited: after a visit in vain not again for a while, longer and longer.
class visit_pace {
 public:
  constexpr visit_pace() = default;
  constexpr visit_pace(time_ns pause_ns, time_ns not_before_ns) : pause_ns_{pause_ns}, not_before_ns_{not_before_ns} {}

  [[nodiscard]] constexpr bool may_begin(time_ns now_ns) const { return now_ns >= not_before_ns_; }
  // A visit has ended. Something was found, or there is nothing to be had any more: the next one may come at once.
  [[nodiscard]] constexpr visit_pace after(bool has_found, time_ns now_ns, const demand& rules) const {
    if (has_found) return {};
    const time_ns pause_ns = std::clamp(2 * pause_ns_, rules.wake_ns, longest_ns(rules));
    return {pause_ns, now_ns + pause_ns};
  }
  [[nodiscard]] constexpr time_ns pause_ns() const { return pause_ns_; }
  [[nodiscard]] constexpr time_ns not_before_ns() const { return not_before_ns_; }

  friend constexpr bool operator==(const visit_pace&, const visit_pace&) = default;

 private:
  // A visit and the fence that it makes every processor execute take about a microsecond: less than a thousandth.
  [[nodiscard]] static constexpr time_ns longest_ns(const demand& rules) { return 500 * rules.wake_ns; }

  time_ns pause_ns_ = 0;
  time_ns not_before_ns_ = 0;
};

// When the monitor thread looks: a wake-up's length after something was found, later and later while nothing is.
class monitor_pace {
 public:
  constexpr explicit monitor_pace(const demand& rules) : pause_ns_{rules.wake_ns} {}

  [[nodiscard]] constexpr time_ns pause_ns() const { return pause_ns_; }
  // `due_ns`: when the next deferred request may be made; k_never_ns for none.
  constexpr void after(bool has_acted, time_ns due_ns, time_ns now_ns, const demand& rules) {
    if (has_acted) pause_ns_ = rules.wake_ns;
    else if (due_ns != k_never_ns) pause_ns_ = std::clamp(due_ns - now_ns, rules.wake_ns, longest_ns(rules));
    else pause_ns_ = (std::min)(2 * pause_ns_, longest_ns(rules));
  }
  // Does a look that is due in so long (or was, if negative) come soon enough for an owner that leaves a wake-up to
  // the monitor? It may be looking now, or have no processor.
  [[nodiscard]] static constexpr bool is_soon(time_ns until_look_ns, const demand& rules) {
    const time_ns soon_ns = wake_throttle::longest_ns(rules) + rules.transfer_ns;
    return until_look_ns <= soon_ns && until_look_ns >= -soon_ns;
  }

 private:
  [[nodiscard]] static constexpr time_ns longest_ns(const demand& rules) { return 50 * rules.wake_ns; }

  time_ns pause_ns_;
};

// ---- as text --------------------------------------------------------------------------------------------------------

template <>
struct names<demand> {
  static constexpr std::string_view option = "demand";
  static constexpr std::array<std::string_view, 1> all{"default"};
};

// `notify=5us,wake=20us,transfer=2us,migrate=300ns,throttle=on,join_first=on,one_place=on,searchers=1`, which
// parse() reads.
[[nodiscard]] std::string describe(const demand& rules);

// "default", or fields as describe() writes them; those left out have their defaults. Times end in ns, us, ms or s.
template <>
[[nodiscard]] parsed<demand> parse<demand>(std::string_view text, std::string_view option);

// All problems of these rules, in the order of the fields; empty when there are none.
[[nodiscard]] std::vector<problem> validate(const demand& rules);

}  // namespace filch::inline v0::policy
