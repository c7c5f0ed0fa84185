// Views: what a thread knows of every thread's clock and of every location's modification order.
//
// A view is a row of stamps. The first k_max_threads entries are a vector clock (happens-before, used for plain data,
// construction and destruction); the entry of location x stands at k_max_threads + x and is the stamp of the newest
// store to x that is known. Joining takes the larger stamp of each entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace filch::check {

using stamp = std::uint32_t;

inline constexpr std::size_t k_max_threads = 16;

// A view that no longer changes and lives until the end of the execution: what a store carries.
struct view_ref {
  const stamp* stamps = nullptr;
  std::size_t size = 0;
};

class view {
 public:
  [[nodiscard]] stamp at(std::size_t entry) const { return entry < stamps_.size() ? stamps_[entry] : 0; }
  [[nodiscard]] view_ref ref() const { return {stamps_.data(), stamps_.size()}; }

  void clear() { stamps_.clear(); }
  void assign(view_ref other) { stamps_.assign(other.stamps, other.stamps + other.size); }
  void raise(std::size_t entry, stamp to) {
    if (entry >= stamps_.size()) stamps_.resize(entry + 1, 0);
    if (stamps_[entry] < to) stamps_[entry] = to;
  }
  void join(view_ref other, std::size_t first = 0) {
    if (other.size > stamps_.size()) stamps_.resize(other.size, 0);
    stamp* mine = stamps_.data();
    for (std::size_t i = first; i < other.size; ++i) mine[i] = std::max(mine[i], other.stamps[i]);
  }
  // Joins what is known of locations, not of clocks: ordered by seq_cst, but not synchronised.
  void join_locations(view_ref other) { join(other, k_max_threads); }

 private:
  std::vector<stamp> stamps_;
};

// Memory for the views of one execution, all given back at once.
class view_arena {
 public:
  void reset() { chunk_ = 0, used_ = 0; }

  view_ref copy(view_ref source) {
    if (source.size == 0) return {};
    stamp* place = take(source.size);
    std::memcpy(place, source.stamps, source.size * sizeof(stamp));
    return {place, source.size};
  }
  view_ref joined(view_ref a, view_ref b) {
    if (a.size == 0) return b;
    if (b.size == 0) return a;
    if (a.size < b.size) std::swap(a, b);
    stamp* place = take(a.size);
    for (std::size_t i = 0; i < b.size; ++i) place[i] = std::max(a.stamps[i], b.stamps[i]);
    std::copy(a.stamps + b.size, a.stamps + a.size, place + b.size);
    return {place, a.size};
  }

 private:
  static constexpr std::size_t k_chunk_stamps = 64 * 1024;

  stamp* take(std::size_t count) {
    if (used_ + count > k_chunk_stamps) ++chunk_, used_ = 0;
    while (chunk_ >= chunks_.size()) chunks_.push_back(std::make_unique<stamp[]>(k_chunk_stamps));
    stamp* place = chunks_[chunk_].get() + used_;
    used_ += count;
    return place;
  }

  std::vector<std::unique_ptr<stamp[]>> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

}  // namespace filch::check
