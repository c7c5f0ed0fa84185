// In which order one thief visits the other workers.
//
// A sweep visits each other worker once (random_probe and best_of_two draw independently and have no sweep). A victim
// costs O(1) whatever the number of workers, except with largest, which reads the hints of all that are left.
//
// (I1) The thief itself is never drawn.
// (I2) In `others_` the victims of the present sweep stand first, in the order drawn: [0, drawn_).
// (I3) With nearest, `others_` is sorted by distance; a draw swaps only inside one group of equal distance.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>
#include <filch/policy/argmax.hpp>
#include <filch/policy/names.hpp>
#include <filch/policy/view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace filch::inline v0::policy {

class victim_order {
 public:
  template <distance_function Distance = equal_distances>
  victim_order(victims how, worker_id self, std::uint32_t workers, const Distance& distance = {})
      : how_{how}, self_{self.value}, others_count_{workers - 1}, next_{self.value} {
    FILCH_ASSERT(self.value < workers, self, workers);
    std::vector<std::uint32_t> from_self;
    if (how == victims::nearest) {
      from_self.reserve(workers);
      for (std::uint32_t w = 0; w != workers; ++w) from_self.push_back(distance(self, worker_id{w}));
    }
    set_up(from_self);
  }

  // How many victims there are.
  [[nodiscard]] std::uint32_t count() const { return others_count_; }

  // The victims of the present sweep in their order, then those not yet visited. Empty for orders that need no list.
  [[nodiscard]] std::span<const worker_id> candidates() const { return others_; }

  void start_sweep() {
    drawn_ = 0;
    group_ = 0;
    rest_is_empty_ = false;
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
    if (how_ == victims::random) return draw_until(others_count_, random);
    if (how_ == victims::nearest) return draw_nearest(random);
    if (how_ == victims::largest) return draw_largest(view, random);
    return draw_last(random);
  }

  // The victim drawn last gave work.
  void succeeded() {
    if (how_ == victims::last_victim) last_ = drawn_ - 1;
  }

 private:
  static constexpr std::uint32_t k_nobody_yet = UINT32_MAX;

  void set_up(const std::vector<std::uint32_t>& distance_from_self);

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
      const largest_key found = find_largest(left, hint);
      if (found.key != 0) {
        std::swap(others_[drawn_], others_[drawn_ + choose_tie(found, left, hint, random)]);
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

  // Fixed after construction.
  victims how_;
  std::uint32_t self_;
  std::uint32_t others_count_;
  std::vector<std::uint32_t> group_ends_;  // nearest: where in others_ each group of equal distance ends

  // The present sweep.
  bool rest_is_empty_ = false;  // largest: no hint above 0 was left
  std::uint32_t drawn_ = 0;
  std::uint32_t group_ = 0;
  std::vector<worker_id> others_;

  // From sweep to sweep.
  std::uint32_t next_;                 // round_robin: the last visited victim
  std::uint32_t last_ = k_nobody_yet;  // last_victim: where in others_ the last successful victim stands
};

}  // namespace filch::inline v0::policy
