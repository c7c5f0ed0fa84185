// A worker's search for its next task, as steps that a body carries out.
//
//   search.begin();                            the worker wants its next task
//   for (;;) {
//     step s = search.next(view);              what to do now
//     …carry it out…                           on threads or in simulated time
//     search.report(found | empty | lost);     how it went; nothing to report after wait and park
//   }
//
// After `found` comes begin(). After a park step the worker sleeps; when it was woken comes woken(), which is begin()
// without the own queue (only its owner fills it, and the owner slept) and with the whole idle bound before it.
//
// One search object belongs to one worker and is asked by one thread at a time. A copy decides as the original does.
//
// How it works. The steps of the own phase stand in constant tables (detail/plans.hpp). The search holds a cursor into
// them, and the code under the cursor is the whole state: either an own step to emit, or a stage. So begin() is one
// store, next() in the own phase is a table walk, and report() looks at one code.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <filch/policy/detail/plans.hpp>
#include <filch/policy/idle.hpp>
#include <filch/policy/options.hpp>
#include <filch/policy/step.hpp>
#include <filch/policy/victim.hpp>
#include <filch/policy/view.hpp>

#include <cstdint>

namespace filch::inline v0::policy {

// What a search has counted since it was made.
struct search_counters {
  std::uint64_t attempts = 0;   // visits of victims; a visit covers all bands in use and the one retry
  std::uint64_t successes = 0;  // visits that found work
  std::uint64_t failures = 0;   // visits that found none
  std::uint64_t lost = 0;       // races lost to another thief or the owner, retries included
  std::uint64_t cycles = 0;     // cycles that found nothing
  std::uint64_t waits = 0;      // wait steps
  std::uint64_t parks = 0;      // park steps
  time_ns waited_ns = 0;        // the sum of all wait steps

  friend constexpr bool operator==(const search_counters&, const search_counters&) = default;
};

class search {
 public:
  // `options` are valid for so many workers (require_valid), and `self` is one of them.
  template <distance_function Distance = equal_distances>
  search(const search_options& options, worker_id self, std::uint32_t workers, const Distance& distance,
         random_stream random)
      : fair_left_{options.fairness_interval},
        starvation_left_{options.starvation_interval},
        victims_{options.victims, self, workers, distance},
        visits_per_cycle_{visits(options, workers)},
        backoff_{options.idle},
        random_{random},
        options_{options} {
    FILCH_ASSERT(options.fairness_interval != 0);
  }

  // The worker wants its next task. Each call counts as one task for the fairness and starvation intervals.
  void begin() { cursor_ = detail::stage::begin; }

  // The worker was parked and is awake again. The search goes on, with the order of bands that it began with.
  void woken() {
    restart_idle_bound();
    cursor_ = detail::stage::again;
  }

  // What to do now.
  template <search_view View>
  [[nodiscard, gnu::always_inline]] step next(const View& view) {
    if (!detail::is_own_step(*cursor_)) {
      if (*cursor_ != detail::code::choose) return next_outside(view);
      cursor_ = choose_plan(view);
    }
    return detail::own_step(*cursor_++);
  }

  // How the last step went.
  void report(outcome what) {
    if (*cursor_ == detail::code::visit) report_visit(what);
  }

  // How many tasks a victim step may take from a queue that holds `size` when the step is carried out.
  [[nodiscard]] std::uint32_t amount(std::uint32_t size) const { return options_.steal.amount(size); }

  [[nodiscard]] const search_options& options() const { return options_; }
  [[nodiscard]] const search_counters& counters() const { return counters_; }
  // The random stream as it stands, to see how much of it was used.
  [[nodiscard]] const random_stream& random() const { return random_; }

 private:
  [[nodiscard]] static std::uint32_t visits(const search_options& options, std::uint32_t workers) {
    if (workers == 1) return 0;
    return options.idle.attempts_per_cycle == 0 ? workers - 1 : options.idle.attempts_per_cycle;
  }

  template <class View>
  [[nodiscard, gnu::always_inline]] const detail::code* choose_plan(const View& view) {
    const bool fair = --fair_left_ == 0;
    const bool banded = view.bands_in_use();
    if (!fair && !banded) [[likely]]
      return detail::plan(detail::band_order::normal_only, detail::sources::usual);
    return choose_rare_plan(fair, banded);
  }

  // A fair turn (injector first), a starvation turn (a lower band first), or just bands in use.
  [[nodiscard]] const detail::code* choose_rare_plan(bool fair, bool banded);

  // Every step that is not an own step.
  template <class View>
  [[nodiscard, gnu::noinline]] step next_outside(const View& view) {
    switch (*cursor_) {
      case detail::code::first_sweep:
        restart_idle_bound();
        [[fallthrough]];
      case detail::code::sweep:
        bands_ = detail::refresh(bands_, view.bands_in_use());
        visits_left_ = visits_per_cycle_;
        band_ = detail::k_no_band;
        retry_ = false;
        victims_.start_sweep();
        cursor_ = detail::stage::visit;
        return next_visit(view);
      case detail::code::visit:
        return next_visit(view);
      case detail::code::again:
        bands_ = detail::refresh(bands_, view.bands_in_use());
        cursor_ = detail::plan(bands_, detail::sources::again);
        return detail::own_step(*cursor_++);
      default:
        return step{.kind = step_kind::park};  // parked, and asked again without woken()
    }
  }

  // The same victim again after a lost race, or its next band, or the next victim, or the end of the cycle.
  template <class View>
  [[nodiscard]] step next_visit(const View& view) {
    if (band_ == detail::k_no_band) {
      if (visits_left_ == 0) return end_cycle();
      --visits_left_;
      victim_ = victims_.draw(view, random_);
      band_ = detail::first_band(bands_);
      retry_ = options_.retry_lost;
      ++counters_.attempts;
    }
    return step{.kind = step_kind::victim, .band = detail::band_at(band_), .victim = victim_};
  }

  void report_visit(outcome what) {
    if (band_ == detail::k_no_band) return;  // reported already
    if (what == outcome::found) {
      ++counters_.successes;
      has_stolen_ = true;
      victims_.succeeded();
      band_ = detail::k_no_band;
      return;
    }
    if (what == outcome::lost) {
      ++counters_.lost;
      if (retry_) {
        retry_ = false;
        return;
      }
    }
    band_ = detail::next_band(band_);
    if (band_ == detail::k_no_band) ++counters_.failures;
  }

  // Wait for the next cycle, or park.
  [[nodiscard]] step end_cycle();

  void restart_idle_bound() {
    cycles_left_ = options_.idle.cycles;
    backoff_.reset();
  }

  // The own phase.
  const detail::code* cursor_ = detail::stage::begin;  // the state
  std::uint32_t fair_left_;                            // begins until the next fair turn
  std::uint32_t starvation_left_;      // begins with bands in use until the next starvation turn; 0: due or off
  std::uint8_t starvation_turns_ = 0;  // modulo 4: which kind of starvation turn comes next
  detail::band_order bands_ = detail::band_order::normal_only;  // of this search

  // The visit under way.
  std::uint8_t band_ = detail::k_no_band;  // the band it looks at, as a place in the band orders; none: no visit
  bool retry_ = false;                     // a lost race may be retried
  worker_id victim_ = worker_id::none();
  std::uint32_t visits_left_ = 0;
  victim_order victims_;

  // The idle bound.
  std::uint32_t visits_per_cycle_;
  std::uint32_t cycles_left_ = 0;
  bool has_stolen_ = false;  // since its last step to park
  backoff backoff_;

  random_stream random_;
  search_counters counters_;
  search_options options_;
};

}  // namespace filch::inline v0::policy
