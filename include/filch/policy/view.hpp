// What a policy sees of the body that asks it.
#pragma once

#include <filch/base/ids.hpp>

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
