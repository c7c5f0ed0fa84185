// Where the simulated tasks lie and the queues that hold them: 40 bytes for a task and 4 to 8 for its entry in a queue.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/sim/workload.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace filch::inline v0::sim {

// All tasks that have not ended. Tasks never move; the places of ended ones are used again, the last one first.
class task_pool {
 public:
  // A task whose fields have their defaults.
  [[nodiscard]] task_place make() {
    if (first_free_ == k_no_place) {
      if ((made_ & (k_block - 1)) == 0) blocks_.push_back(std::make_unique<task[]>(k_block));
      FILCH_ASSERT(made_ != k_no_place);
      return made_++;
    }
    const task_place at = first_free_;
    first_free_ = (*this)[at].parent;
    (*this)[at] = task{};
    return at;
  }
  void free(task_place at) {
    (*this)[at].parent = first_free_;
    first_free_ = at;
  }
  [[nodiscard]] task& operator[](task_place at) { return blocks_[at / k_block][at & (k_block - 1)]; }
  [[nodiscard]] const task& operator[](task_place at) const { return blocks_[at / k_block][at & (k_block - 1)]; }

  // Says that this task is needed soon. Of a million tasks most lie outside the caches, and waiting for memory would be
  // most of a simulation's time.
  void prefetch(task_place at) {
    const task& subject = (*this)[at];
    __builtin_prefetch(&subject, 1);
    __builtin_prefetch(reinterpret_cast<const char*>(&subject) + sizeof subject - 1, 1);  // it may lie on two lines
  }

  // The most tasks that existed at one time.
  [[nodiscard]] std::uint32_t most() const { return made_; }

 private:
  static constexpr std::uint32_t k_block = 4096;

  std::vector<std::unique_ptr<task[]>> blocks_;
  std::uint32_t made_ = 0;
  task_place first_free_ = k_no_place;  // the free places form a list through their parents
};

// A queue with two ends in a ring of a power of two cells.
class task_ring {
 public:
  [[nodiscard]] bool is_empty() const { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

  void push(task_place what) {
    if (size_ == cells_.size()) grow();
    cells_[(first_ + size_++) & mask()] = what;
  }
  // Only when not empty.
  [[nodiscard]] task_place newest() const { return cells_[(first_ + size_ - 1) & mask()]; }
  [[nodiscard]] task_place oldest() const { return cells_[first_ & mask()]; }
  // From the oldest on.
  [[nodiscard]] task_place operator[](std::uint32_t i) const { return cells_[(first_ + i) & mask()]; }
  task_place pop_newest() { return cells_[(first_ + --size_) & mask()]; }
  task_place pop_oldest() {
    const task_place what = oldest();
    ++first_;
    --size_;
    return what;
  }

 private:
  [[nodiscard]] std::uint32_t mask() const { return static_cast<std::uint32_t>(cells_.size()) - 1; }
  void grow() {
    std::vector<task_place> larger(cells_.empty() ? 8 : 2 * cells_.size());
    for (std::uint32_t i = 0; i != size_; ++i) larger[i] = cells_[(first_ + i) & mask()];
    cells_.swap(larger);
    first_ = 0;
  }

  std::vector<task_place> cells_;
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace filch::inline v0::sim
