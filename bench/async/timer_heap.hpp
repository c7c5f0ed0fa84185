// The structure that the timer wheel was compared with: a heap of four children per entry, in which each timer knows
// its place. docs/decisions/0011-timers.md has the comparison.
#pragma once

#include <filch/base/units.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace filch_bench {

struct heap_node {
  filch::time_ns at_ns = 0;
  heap_node* next = nullptr;
  std::size_t place = 0;
};

class timer_heap {
 public:
  using node = heap_node;

  void insert(node& timer) {
    entries_.push_back({timer.at_ns, &timer});
    sift_up(entries_.size() - 1, entries_.back());
  }

  void remove(node& timer) {
    const std::size_t hole = timer.place;
    const entry last = entries_.back();
    entries_.pop_back();
    if (hole == entries_.size()) return;
    if (hole != 0 && last.at_ns < entries_[(hole - 1) / k_children].at_ns) sift_up(hole, last);
    else sift_down(hole, last);
  }

  node* take_due(filch::time_ns now_ns, std::size_t at_most) {
    node* first = nullptr;
    node** end = &first;
    while (at_most-- != 0 && !entries_.empty() && entries_[0].at_ns <= now_ns) {
      node& due = *entries_[0].timer;
      remove(due);
      due.next = nullptr;
      *end = &due;
      end = &due.next;
    }
    return first;
  }

 private:
  static constexpr std::size_t k_children = 4;

  struct entry {
    filch::time_ns at_ns;
    node* timer;
  };

  void put(std::size_t place, const entry& what) {
    entries_[place] = what;
    what.timer->place = place;
  }
  void sift_up(std::size_t hole, const entry what) {
    while (hole != 0) {
      const std::size_t parent = (hole - 1) / k_children;
      if (entries_[parent].at_ns <= what.at_ns) break;
      put(hole, entries_[parent]);
      hole = parent;
    }
    put(hole, what);
  }
  void sift_down(std::size_t hole, const entry what) {
    while (true) {
      const std::size_t begin = hole * k_children + 1;
      if (begin >= entries_.size()) break;
      const std::size_t end = std::min(begin + k_children, entries_.size());
      std::size_t least = begin;
      for (std::size_t i = begin + 1; i != end; ++i) {
        if (entries_[i].at_ns < entries_[least].at_ns) least = i;
      }
      if (what.at_ns <= entries_[least].at_ns) break;
      put(hole, entries_[least]);
      hole = least;
    }
    put(hole, what);
  }

  std::vector<entry> entries_;
};

}  // namespace filch_bench
