// A hierarchical timer wheel: lists of timers, by the distance of their time from now.
//
// G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987; here without wrap-around. Time is
// counted in ticks of 1024 ns. A timer's level is the highest group of six bits in which its tick differs from `now_`,
// and its slot is that group. So level 0 has a list for each of the next ticks, and level 8 reaches beyond the range of
// time_ns. A timer moves to a lower level when `now_` reaches its slot: at most eight times, and rarely at all if it is
// cancelled early.
//
// Who may call what: one thread at a time.
//
// Invariants
//   I1  Every timer's tick is now_ or later, and its list is the one that now_ and its tick determine.
//   I2  Bit s of occupied_[l] is set if and only if list s of level l is not empty. So the lowest bit of the lowest
//       non-empty level is the slot of the earliest timer.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/units.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace filch::inline v0::time {

// `Node` has at_ns, next and link.
template <class Node>
class timer_wheel {
 public:
  using node = Node;

  // A timer is due at the first tick that is not before its time.
  static constexpr unsigned k_tick_bits = 10;
  [[nodiscard]] static constexpr time_ns due_ns(time_ns at_ns) { return ns_of(tick_of(at_ns)); }

  // Inserts a timer, whose time may have passed.
  void insert(Node& timer) {
    ++size_;
    put(timer);
  }

  // Takes out a timer that is in the wheel.
  void remove(Node& timer) {
    FILCH_ASSERT(timer.link != nullptr, "a timer that is not in the wheel");
    --size_;
    unlink(timer);
  }

  // Takes out up to `at_most` timers that are due, earlier ticks first, linked by `next`.
  [[nodiscard]] Node* take_due(time_ns now_ns, std::size_t at_most) {
    Node* first = nullptr;
    Node** end = &first;
    const std::uint64_t now = now_ns <= 0 ? 0 : static_cast<std::uint64_t>(now_ns) >> k_tick_bits;
    while (true) {
      const position earliest = find_earliest();
      if (earliest.level == k_levels || earliest.tick > now) break;
      now_ = earliest.tick;
      Node*& list = lists_[earliest.level][earliest.slot];
      if (earliest.level != 0) {
        move_down(list, earliest);
        continue;
      }
      while (list != nullptr) {
        if (at_most-- == 0) return first;
        Node& due = *list;
        unlink(due);
        --size_;
        due.next = nullptr;
        *end = &due;
        end = &due.next;
      }
    }
    if (now > now_) now_ = now;
    return first;
  }

  // Takes out all timers, linked by `next`.
  [[nodiscard]] Node* take_all() { return take_due(k_never_ns, size_); }

  // The due time of the earliest timer, or an earlier time if the first list is far away and long. k_never_ns: the
  // wheel is empty.
  [[nodiscard]] time_ns earliest_ns() const {
    const position earliest = find_earliest();
    if (earliest.level == k_levels) return k_never_ns;
    std::uint64_t tick = earliest.tick;
    if (earliest.level != 0) {
      constexpr int k_look_at = 8;  // guess
      std::uint64_t least = k_last_tick;
      const Node* each = lists_[earliest.level][earliest.slot];
      for (int i = 0; each != nullptr && i != k_look_at; ++i, each = each->next) {
        if (const std::uint64_t its = tick_of(each->at_ns); its < least) least = its;
      }
      if (each == nullptr) tick = least;
    }
    return ns_of(tick);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr unsigned k_slot_bits = 6;
  static constexpr unsigned k_slots = 1u << k_slot_bits;
  static constexpr unsigned k_levels = 9;
  static constexpr std::uint64_t k_last_tick = static_cast<std::uint64_t>(INT64_MAX) >> k_tick_bits;

  struct position {
    unsigned level = k_levels;
    unsigned slot = 0;
    std::uint64_t tick = 0;  // the first tick of the slot
  };

  static constexpr std::uint64_t tick_of(time_ns at_ns) {
    if (at_ns <= 0) return 0;
    const std::uint64_t tick = (static_cast<std::uint64_t>(at_ns) + ((1u << k_tick_bits) - 1)) >> k_tick_bits;
    return tick < k_last_tick ? tick : k_last_tick;
  }
  static constexpr time_ns ns_of(std::uint64_t tick) { return static_cast<time_ns>(tick << k_tick_bits); }

  void put(Node& timer) {
    std::uint64_t tick = tick_of(timer.at_ns);
    if (tick < now_) tick = now_;
    const auto differs = static_cast<unsigned>(std::bit_width((tick ^ now_) | 1)) - 1;
    const unsigned level = differs / k_slot_bits;
    const unsigned slot = static_cast<unsigned>(tick >> (level * k_slot_bits)) % k_slots;
    Node*& list = lists_[level][slot];
    timer.next = list;
    timer.link = &list;
    if (list != nullptr) list->link = &timer.next;
    list = &timer;
    occupied_[level] |= std::uint64_t{1} << slot;
  }

  void unlink(Node& timer) {
    *timer.link = timer.next;
    if (timer.next != nullptr) {
      timer.next->link = timer.link;
    } else if (Node** const begin = &lists_[0][0]; timer.link >= begin && timer.link < begin + k_levels * k_slots) {
      // The list is empty now.
      const auto list = static_cast<unsigned>(timer.link - begin);
      occupied_[list / k_slots] &= ~(std::uint64_t{1} << list % k_slots);
    }
    timer.link = nullptr;
  }

  // `now_` has reached the beginning of a slot above level 0: moves its timers to lower levels.
  void move_down(Node*& list, const position& from) {
    Node* each = list;
    list = nullptr;
    occupied_[from.level] &= ~(std::uint64_t{1} << from.slot);
    while (each != nullptr) {
      Node& moved = *each;
      each = moved.next;
      put(moved);
    }
  }

  [[nodiscard]] position find_earliest() const {
    for (unsigned level = 0; level != k_levels; ++level) {
      if (occupied_[level] == 0) continue;
      const auto slot = static_cast<unsigned>(std::countr_zero(occupied_[level]));
      const unsigned shift = level * k_slot_bits;
      const std::uint64_t above = now_ >> (shift + k_slot_bits) << (shift + k_slot_bits);
      return {level, slot, above | std::uint64_t{slot} << shift};
    }
    return {};
  }

  std::uint64_t now_ = 0;  // the current tick
  std::size_t size_ = 0;
  std::array<std::uint64_t, k_levels> occupied_{};
  std::array<std::array<Node*, k_slots>, k_levels> lists_{};
};

}  // namespace filch::inline v0::time
