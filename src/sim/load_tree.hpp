// The largest of one number per worker, and how many workers share it: a tree of maxima above the workers.
//
// It answers what policy::find_largest and policy::choose_tie find by reading all numbers, in O(log workers), and a
// change costs as much. Ties are counted in the order of the workers, so a draw among them comes to the same worker.
#pragma once

#include <filch/base/ids.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace filch::inline v0::sim {

class load_tree {
 public:
  struct answer {
    std::uint32_t key = 0;
    std::uint32_t ties = 0;  // 0: of no worker
  };

  // All numbers are `key` at the beginning.
  load_tree(std::uint32_t workers, std::uint32_t key)
      : leaves_{std::bit_ceil(std::max(workers, 1u))}, nodes_(std::size_t{2} * leaves_) {
    for (std::uint32_t w = 0; w != workers; ++w) nodes_[leaves_ + w] = {key, 1};
    for (std::uint32_t i = leaves_; --i != 0;) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  void set(std::uint32_t worker, std::uint32_t key) {
    std::uint32_t at = leaves_ + worker;
    nodes_[at].key = key;
    while ((at /= 2) != 0) nodes_[at] = joined(nodes_[2 * at], nodes_[2 * at + 1]);
  }

  // Over all workers but those in `except`, which is sorted.
  [[nodiscard]] answer largest(std::span<const worker_id> except) const {
    answer found;
    each_gap(except, [&](std::uint32_t first, std::uint32_t end) { found = joined(found, over(first, end)); });
    return found;
  }

  // Of the workers that share the answer to largest() with the same `except`, the one with this number.
  [[nodiscard]] worker_id tie(answer of, std::uint64_t number, std::span<const worker_id> except) const {
    worker_id found = worker_id::none();
    each_gap(except, [&](std::uint32_t first, std::uint32_t end) {
      if (found.is_some()) return;
      const answer here = over(first, end);
      if (here.ties == 0 || here.key != of.key) return;
      if (number < here.ties) found = tie_within(of.key, number, first, end);
      else number -= here.ties;
    });
    return found;
  }

 private:
  static answer joined(answer a, answer b) {
    if (a.ties == 0 || (b.ties != 0 && b.key > a.key)) return b;
    if (b.ties != 0 && b.key == a.key) a.ties += b.ties;
    return a;
  }

  // Calls function(first, end) for what lies between the exceptions.
  template <class Function>
  void each_gap(std::span<const worker_id> except, const Function& function) const {
    std::uint32_t first = 0;
    for (const worker_id each : except) {
      if (first != each.value) function(first, each.value);
      first = each.value + 1;
    }
    if (first < leaves_) function(first, leaves_);
  }

  [[nodiscard]] answer over(std::uint32_t first, std::uint32_t end) const {
    answer found;
    std::uint32_t low = leaves_ + first;
    std::uint32_t high = leaves_ + end;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) found = joined(found, nodes_[low++]);
      if (high % 2 == 1) found = joined(found, nodes_[--high]);
    }
    return found;
  }

  // By halves: the first half holds the tie of that number, or has fewer ties and the second half holds it.
  [[nodiscard]] worker_id tie_within(std::uint32_t key, std::uint64_t number, std::uint32_t first,
                                     std::uint32_t end) const {
    while (end - first > 1) {
      const std::uint32_t middle = first + (end - first) / 2;
      const answer lower = over(first, middle);
      const std::uint64_t ties = lower.ties != 0 && lower.key == key ? lower.ties : 0;
      if (number < ties) {
        end = middle;
      } else {
        number -= ties;
        first = middle;
      }
    }
    return worker_id{first};
  }

  std::uint32_t leaves_;
  std::vector<answer> nodes_;  // nodes_[1] is the root; the leaves come last
};

}  // namespace filch::inline v0::sim
