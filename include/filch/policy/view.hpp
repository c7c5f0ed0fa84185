// What a policy sees of the body that asks it.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace filch::inline v0::policy {

// A body's answer to "how much lies where". Answers may be stale; nothing but quality depends on them.
//   size_hint(w)      how many tasks worker w has that could be stolen or are waiting for it, all bands together
//   bands_in_use()    true once a task of other than normal priority was submitted
template <class View>
concept search_view = requires(const View& view, worker_id worker) {
  { view.size_hint(worker) } -> std::convertible_to<std::uint32_t>;
  { view.bands_in_use() } -> std::convertible_to<bool>;
};

// The part of a search_view that placement needs.
template <class View>
concept load_view = requires(const View& view, worker_id worker) {
  { view.size_hint(worker) } -> std::convertible_to<std::uint32_t>;
};

// A view of many workers may know who has most, so that nobody has to read all hints.
//   most_loaded(except, random)    the worker with the largest hint of all but those in `except` (sorted), ties broken
//                                  as random_argmax does; none if no hint is above 0
template <class View>
concept ranked_view =
    search_view<View> && requires(const View& view, std::span<const worker_id> except, random_stream& random) {
      { view.most_loaded(except, random) } -> std::same_as<worker_id>;
    };

// The same for placement: a view that may know who has least.
//   knows_least_loaded()    whether it does
//   least_loaded(random)    the worker with the least hint, ties broken as random_argmax does
template <class View>
concept ranked_load_view = load_view<View> && requires(const View& view, random_stream& random) {
  { view.knows_least_loaded() } -> std::same_as<bool>;
  { view.least_loaded(random) } -> std::same_as<worker_id>;
};

// How far worker b is from worker a: a small number, 0 for the nearest. Fixed while a runtime lives.
template <class Distance>
concept distance_function = requires(const Distance& distance, worker_id a, worker_id b) {
  { distance(a, b) } -> std::convertible_to<std::uint32_t>;
};

// Everybody is equally far away.
struct equal_distances {
  constexpr std::uint32_t operator()(worker_id, worker_id) const { return 0; }
};

// Distances from a table of `workers` rows with `workers` entries each, which somebody else owns.
struct distance_table {
  std::span<const std::uint32_t> entries;
  std::uint32_t workers = 0;

  constexpr std::uint32_t operator()(worker_id a, worker_id b) const {
    return entries[static_cast<std::size_t>(a.value) * workers + b.value];
  }
};

}  // namespace filch::inline v0::policy
