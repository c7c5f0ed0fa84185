// A reduction whose shape depends on the number of elements only, never on the schedule.
//
// n elements are cut into leaves of B elements, the last may be shorter; B is a power of two or the caller's grain.
// Over m leaves stands one binary tree: a node over m > 1 leaves has the largest power of two below m of them on its
// left and the rest on its right. So every left child is complete, and a tree over more leaves has the trees over fewer
// in it.
//
//   B = bit_ceil(n) / 64, at least 1 and at most 1024
//
// Every node is a fork, which costs nearly nothing unless a thief takes it. A call that was cheap before begins
// serially in the same shape, and forks only when it turns out to be worth it. Both ways call one compiled copy of the
// leaf.
#pragma once

#include <filch/algo/detail/lazy_loop.hpp>
#include <filch/algo/detail/one_copy.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0::algo::detail {

inline constexpr std::size_t k_leaf_most = 1024;
inline constexpr std::size_t k_leaves_few = 64;

[[nodiscard]] constexpr std::size_t leaf_size(std::size_t count, hint given) {
  if (given.grain != 0) return given.grain;
  return std::clamp(std::bit_ceil(count) / k_leaves_few, std::size_t{1}, k_leaf_most);
}

// Leaf: leaf(i) gives the value of leaf i. Op: op(left, right).
template <class T, class Leaf, class Op>
class tree {
 public:
  tree(Leaf& leaf, Op& op, std::size_t leaf_elements, site_cost& site)
      : leaf_{leaf}, op_{op}, leaf_elements_{leaf_elements}, site_{site} {}

  // The value over all leaves, at least one.
  [[nodiscard]] T value(std::size_t leaves) {
    latent_stack* const stack = detail::stack_of_loop();
    if (stack != nullptr) ++stack->loops;
    if (!site_.is_known()) return detail::enter([&] { return forked(0, leaves); }, outside_work::unknown);
    if (is_worth(site_.ticks_of(leaf_elements_), leaves)) return detail::enter([&] { return forked(0, leaves); });
    if (stack != nullptr && is_short(leaves) && !is_share_requested(*stack)) return short_one(*stack, leaves);
    return cautious(leaves);
  }

 private:
  [[nodiscard]] static bool is_worth(double leaf_ticks, std::size_t leaves) {
    return leaves > 1 && leaf_ticks * static_cast<double>(leaves) >= static_cast<double>(k_worth_ticks);
  }
  // As in a loop: together they take less than it takes until a block looks for requests.
  [[nodiscard]] bool is_short(std::size_t leaves) const {
    return site_.ticks_of(leaf_elements_) * static_cast<double>(leaves) < static_cast<double>(k_block_ticks);
  }

  // Few leaves that were cheap the last time: if loops run in them, or work is wanted
  // meanwhile, as they are not cheap this time, the others are forks.
  [[nodiscard]] T short_one(latent_stack& stack, std::size_t leaves) {
    const std::uint32_t loops_before = stack.loops;
    T sum = leaf_value(0);
    for (std::size_t done = 1; done != leaves;) {
      if (stack.loops != loops_before || is_share_requested(stack)) [[unlikely]]
        return rest_forked(std::move(sum), done, leaves);
      const std::size_t now = (std::min)(done, leaves - done);
      T right = serial(done, now);
      sum = detail::combined<T>(op_, std::move(sum), std::move(right));
      done += now;
    }
    return sum;
  }

  // The left edge of the tree from below: each step adds the right sibling of what there is, until it is known that the
  // rest is worth forks.
  [[nodiscard]] T cautious(std::size_t leaves) {
    const std::uint64_t began = ticks();
    T sum = first_leaf();
    for (std::size_t done = 1; done != leaves;) {
      const std::size_t now = (std::min)(done, leaves - done);
      const std::uint64_t spent = ticks() - began;
      if (spent >= k_sure_ticks && is_worth(static_cast<double>(spent) / static_cast<double>(done), leaves - done)) {
        return detail::enter([&] { return rest_forked(std::move(sum), done, leaves); });
      }
      T right = serial(done, now);
      sum = detail::combined<T>(op_, std::move(sum), std::move(right));
      done += now;
    }
    return sum;
  }

  // Of `leaves`, the first `done` are done: a complete tree.
  [[nodiscard]] T rest_forked(T sum, std::size_t done, std::size_t leaves) {
    if (done == leaves) return sum;
    const std::size_t half = std::bit_ceil(leaves) / 2;
    auto left = [&] { return rest_forked(std::move(sum), done, half); };
    auto right = [&] { return forked(half, leaves - half); };
    auto both = v0::detail::join_two(v0::detail::latent_stack_here(), left, right);
    return detail::combined<T>(op_, std::get<0>(std::move(both)), std::get<1>(std::move(both)));
  }

  [[nodiscard]] T serial(std::size_t first, std::size_t leaves) {
    if (leaves == 1) return leaf_value(first);
    const std::size_t half = std::bit_ceil(leaves) / 2;
    T left = serial(first, half);
    return detail::combined<T>(op_, std::move(left), serial(first + half, leaves - half));
  }

  [[nodiscard]] T forked(std::size_t first, std::size_t leaves) {
    if (leaves == 1) return first == 0 ? first_leaf() : leaf_value(first);
    const std::size_t half = std::bit_ceil(leaves) / 2;
    auto left = [&] { return forked(first, half); };
    auto right = [&] { return forked(first + half, leaves - half); };
    auto both = v0::detail::join_two(v0::detail::latent_stack_here(), left, right);
    return detail::combined<T>(op_, std::get<0>(std::move(both)), std::get<1>(std::move(both)));
  }

  // Its time is that of the call site, unless loops run in it.
  [[nodiscard]] T first_leaf() {
    const latent_stack& stack = v0::detail::latent_stack_here();  // the same after the leaf
    const std::uint32_t loops_before = stack.loops;
    const std::uint64_t began = ticks();
    T value = leaf_value(0);
    if (stack.loops == loops_before) site_.note((ticks() - began) | 1, leaf_elements_);
    return value;
  }

  [[nodiscard]] FILCH_ONE_COPY T leaf_value(std::size_t i) { return leaf_(i); }

  Leaf& leaf_;
  Op& op_;
  const std::size_t leaf_elements_;
  site_cost& site_;
};

template <class T, class Site, class Leaf, class Op>
[[nodiscard]] T reduce_leaves(std::size_t leaves, std::size_t leaf_elements, Leaf&& leaf, Op& op) {
  return tree<T, std::remove_reference_t<Leaf>, Op>{leaf, op, leaf_elements, cost_at<Site>}.value(leaves);
}

// Reduces `count` > 0 elements: leaf(at, n) is the value of n elements from a position on, an index or an iterator.
// What cannot be indexed is walked once, and the leaves' beginnings are kept.
template <class T, class Site, class At, class Leaf, class Op>
[[nodiscard]] T reduce_tree(At first, std::size_t count, hint given, Leaf&& leaf, Op& op) {
  const std::size_t size = leaf_size(count, given);
  const std::size_t leaves = (count - 1) / size + 1;
  const auto size_of = [=](std::size_t i) { return (std::min)(size, count - i * size); };
  if constexpr (std::integral<At> || std::random_access_iterator<At>) {
    return detail::reduce_leaves<T, Site>(
        leaves, size, [&](std::size_t i) -> T { return leaf(detail::ahead(first, i * size), size_of(i)); }, op);
  } else {
    std::vector<At> begins;
    begins.reserve(leaves);
    for (std::size_t i = 0; i != leaves; ++i) {
      begins.push_back(first);
      if (i + 1 != leaves) first = detail::ahead(first, size);
    }
    return detail::reduce_leaves<T, Site>(
        leaves, size, [&](std::size_t i) -> T { return leaf(begins[i], size_of(i)); }, op);
  }
}

}  // namespace filch::inline v0::algo::detail
