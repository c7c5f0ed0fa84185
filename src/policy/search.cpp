#include <filch/policy/search.hpp>

#include <utility>

namespace filch::inline v0::policy {

// While bands are in use: when a fair and a starvation turn fall together, the starvation turn gives way once. The four
// kinds of starvation turns alternate between the two lower bands and between both orders of sources, so every band of
// every source but the inbox comes first at least once in 4 · starvation_interval tasks.
const detail::code* search::choose_rare_plan(bool fair, bool banded) {
  if (fair) fair_left_ = options_.fairness_interval;
  bands_ = banded ? detail::band_order::strict : detail::band_order::normal_only;
  if (banded && options_.starvation_interval != 0) {
    const bool postponed = starvation_left_ == 0;
    if (!postponed) --starvation_left_;
    if (starvation_left_ == 0 && (postponed || !fair)) {
      starvation_left_ = options_.starvation_interval - (postponed ? 1 : 0);
      const unsigned turn = starvation_turns_++ % 4u;
      bands_ = turn % 2 == 0 ? detail::band_order::low_first : detail::band_order::normal_first;
      return detail::plan(bands_, turn < 2 ? detail::sources::usual : detail::sources::flipped);
    }
  }
  return detail::plan(bands_, fair ? detail::sources::flipped : detail::sources::usual);
}

step search::end_cycle() {
  ++counters_.cycles;
  if (options_.idle.cycles != idle::k_forever && --cycles_left_ == 0) {
    ++counters_.parks;
    cursor_ = detail::stage::parked;
    return step{.kind = step_kind::park, .wait_ns = std::exchange(has_stolen_, false) ? options_.idle.linger_ns : 0};
  }
  const time_ns wait_ns = backoff_.next();
  ++counters_.waits;
  counters_.waited_ns += wait_ns;
  cursor_ = detail::stage::again;
  return step{.kind = step_kind::wait, .wait_ns = wait_ns};
}

}  // namespace filch::inline v0::policy
