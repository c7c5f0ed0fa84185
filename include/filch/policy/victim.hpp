// In which order one thief visits the other workers.
//
// A sweep visits each other worker once (random_probe and best_of_two draw independently and have no sweep). A victim
// costs O(1) whatever the number of workers, except with largest, which reads the hints of all that are left, unless
// the view knows who has most.
//
// Up to k_most_listed workers a thief keeps a list of the others, and every order of them is equally likely. Lists of
// many workers would take memory for workers², so beyond that the order is a scattered_order, which takes none. Only
// nearest keeps its list, unless all are equally far: it needs to know who is near.
//
// (I1) The thief itself is never drawn.
// (I2) In `others_` the victims of the present sweep stand first, in the order drawn: [0, drawn_).
// (I3) With nearest, `others_` is sorted by distance; a draw swaps only inside one group of equal distance.
// (I4) Without a list, a sweep's victims before the scattered ones are known: `first_` (last_victim) and `visited_`
//      (largest, sorted). The scattered order passes over them.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>
#include <filch/policy/argmax.hpp>
#include <filch/policy/names.hpp>
#include <filch/policy/scattered.hpp>
#include <filch/policy/view.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0::policy {

class victim_order {
 public:
  // Lists of so many for as many thieves take 256 KB, which a cache of level 2 holds. With 1024 workers two of three
  // nanoseconds of a simulation went into reading the lists from farther away.
  static constexpr std::uint32_t k_most_listed = 256;

  template <distance_function Distance = equal_distances>
  victim_order(victims how, worker_id self, std::uint32_t workers, const Distance& distance = {})
      : how_{how}, self_{self.value}, others_count_{workers - 1}, scattered_{workers - 1}, next_{self.value} {
    FILCH_ASSERT(self.value < workers, self, workers);
    std::vector<std::uint32_t> from_self;
    const bool is_long = workers > k_most_listed;
    if (is_long && how == victims::nearest && std::is_same_v<Distance, equal_distances>) how_ = victims::random;
    if (how_ == victims::nearest) {
      from_self.reserve(workers);
      for (std::uint32_t w = 0; w != workers; ++w) from_self.push_back(distance(self, worker_id{w}));
    }
    is_listed_ = how_ == victims::nearest || (!is_long && has_sweeps());
    if (is_listed_) list_others(from_self);
  }

  // How many victims there are.
  [[nodiscard]] std::uint32_t count() const { return others_count_; }

  // The victims of the present sweep in their order, then those not yet visited. Empty without a list.
  [[nodiscard]] std::span<const worker_id> candidates() const { return others_; }

  void start_sweep() {
    drawn_ = 0;
    group_ = 0;
    rest_is_empty_ = false;
    visited_.clear();
  }

  // The next victim; only when count() is not 0. When all have been visited, the next sweep starts.
  template <load_view View>
  [[nodiscard]] worker_id draw(const View& view, random_stream& random) {
    switch (how_) {
      case victims::random_probe:
        return draw_any(random);
      case victims::best_of_two:
        return draw_better(view, random);
      case victims::round_robin:
        return draw_next();
      case victims::random:
      case victims::last_victim:
      case victims::largest:
      case victims::nearest:
        break;
    }
    if (drawn_ == others_count_) start_sweep();
    if (!is_listed_) return draw_scattered(view, random);
    if (how_ == victims::random) return draw_until(others_count_, random);
    if (how_ == victims::nearest) return draw_nearest(random);
    if (how_ == victims::largest) return draw_largest(view, random);
    return draw_last(random);
  }

  // The victim drawn last gave work.
  void succeeded() {
    if (how_ == victims::last_victim) last_ = is_listed_ ? drawn_ - 1 : latest_;
  }

 private:
  static constexpr std::uint32_t k_nobody_yet = UINT32_MAX;

  [[nodiscard]] bool has_sweeps() const {
    return how_ == victims::random || how_ == victims::last_victim || how_ == victims::largest ||
           how_ == victims::nearest;
  }

  void list_others(const std::vector<std::uint32_t>& distance_from_self);

  // The i-th worker that is not the thief.
  [[nodiscard]] worker_id other(std::uint64_t i) const {
    return worker_id{static_cast<std::uint32_t>(i) + (i >= self_ ? 1u : 0u)};
  }

  worker_id draw_any(random_stream& random) const { return other(random.below(others_count_)); }

  worker_id draw_next() {
    next_ = next_ == others_count_ ? 0 : next_ + 1;  // others_count_ is also the last worker's number
    if (next_ == self_) next_ = next_ == others_count_ ? 0 : next_ + 1;
    return worker_id{next_};
  }

  template <class View>
  worker_id draw_better(const View& view, random_stream& random) const {
    const std::uint64_t i = random.below(others_count_);
    if (others_count_ == 1) return other(i);
    std::uint64_t j = random.below(others_count_ - 1);
    if (j >= i) ++j;
    const worker_id a = other(i);
    const worker_id b = other(j);
    return view.size_hint(b) > view.size_hint(a) ? b : a;
  }

  // One of those not yet visited that stand before `end`. One step of the shuffle of the remaining items is the next
  // step of the whole shuffle.
  worker_id draw_until(std::uint32_t end, random_stream& random) {
    const std::uint32_t first = drawn_++;
    return lazy_shuffle<worker_id>{std::span{others_}.subspan(first, end - first)}.next(random);
  }

  worker_id draw_nearest(random_stream& random) {
    if (drawn_ == group_ends_[group_]) ++group_;
    return draw_until(group_ends_[group_], random);
  }

  // When no hint promises anything, the hints of this sweep are not read again: they may be stale, so the rest is still
  // visited, in random order.
  template <class View>
  worker_id draw_largest(const View& view, random_stream& random) {
    if (!rest_is_empty_) {
      const auto hint = [&](std::size_t i) { return std::uint64_t{view.size_hint(others_[drawn_ + i])}; };
      const std::size_t left = others_count_ - drawn_;
      const largest_key found = policy::find_largest(left, hint);
      if (found.key != 0) {
        std::swap(others_[drawn_], others_[drawn_ + policy::choose_tie(found, left, hint, random)]);
        return others_[drawn_++];
      }
      rest_is_empty_ = true;
    }
    return draw_until(others_count_, random);
  }

  // Draws never move what stands before drawn_, so the last successful victim is still where it was drawn.
  worker_id draw_last(random_stream& random) {
    if (drawn_ != 0 || last_ == k_nobody_yet) return draw_until(others_count_, random);
    std::swap(others_[0], others_[last_]);
    last_ = 0;
    drawn_ = 1;
    return others_[0];
  }

  // ---- without a list; victims are numbered as other() does --------------------------------------------------------

  template <class View>
  worker_id draw_scattered(const View& view, random_stream& random) {
    if (drawn_ == 0) {
      first_ = how_ == victims::last_victim ? last_ : k_nobody_yet;
      scattered_.start(random);
    }
    if (how_ == victims::largest && !rest_is_empty_) {
      if (const worker_id found = draw_largest_of_all(view, random); found.is_some()) return found;
      rest_is_empty_ = true;
    }
    latest_ = drawn_++ == 0 && first_ != k_nobody_yet ? first_ : next_scattered();
    return other(latest_);
  }

  std::uint32_t next_scattered() {
    for (;;) {
      const std::uint32_t drawn = scattered_.next();
      if (drawn != first_ && !is_visited(drawn)) return drawn;
    }
  }

  [[nodiscard]] bool is_visited(std::uint32_t victim) const {
    return !visited_.empty() && std::ranges::binary_search(visited_, other(victim));
  }

  // None: no hint of those not yet visited promises anything.
  template <class View>
  worker_id draw_largest_of_all(const View& view, random_stream& random) {
    if (visited_.empty()) visited_.push_back(worker_id{self_});
    const worker_id chosen = most_loaded(view, random);
    if (!chosen.is_some()) return chosen;
    visited_.insert(std::ranges::lower_bound(visited_, chosen), chosen);
    ++drawn_;
    return chosen;
  }

  template <class View>
  [[nodiscard]] worker_id most_loaded(const View& view, random_stream& random) const {
    if constexpr (ranked_view<View>) {
      return view.most_loaded(visited_, random);
    } else {
      const auto hint = [&](std::size_t i) {
        return is_visited(static_cast<std::uint32_t>(i)) ? 0 : std::uint64_t{view.size_hint(other(i))};
      };
      const largest_key found = policy::find_largest(others_count_, hint);
      if (found.key == 0) return worker_id::none();
      return other(policy::choose_tie(found, others_count_, hint, random));
    }
  }

  // Fixed after construction.
  victims how_;
  bool is_listed_ = false;
  std::uint32_t self_;
  std::uint32_t others_count_;
  std::vector<std::uint32_t> group_ends_;  // nearest: where in others_ each group of equal distance ends

  // The present sweep.
  bool rest_is_empty_ = false;  // largest: no hint above 0 was left
  std::uint32_t drawn_ = 0;
  std::uint32_t group_ = 0;
  std::vector<worker_id> others_;
  scattered_order scattered_;
  std::uint32_t first_ = k_nobody_yet;   // last_victim: who was visited first, without a list
  std::uint32_t latest_ = k_nobody_yet;  // who was drawn last, without a list
  std::vector<worker_id> visited_;  // largest: the thief and whom it visited for their hints, without a list; sorted

  // From sweep to sweep.
  std::uint32_t next_;                 // round_robin: the last visited victim
  std::uint32_t last_ = k_nobody_yet;  // last_victim: the last successful victim; its place in others_, if listed
};

}  // namespace filch::inline v0::policy
