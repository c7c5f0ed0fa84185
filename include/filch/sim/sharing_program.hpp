// What is computed where work is shared on request: joins and loops, as data.
//
// A program is made of parts. A part that runs others names them by their numbers, so it is added behind them, and
// several parts may run the same one: a tree of depth d has d + 1 parts. Phases are parts that its caller runs in a
// row, each behind a pause in which it does nothing.
//
//   sim::sharing_program program;
//   const auto loop = program.add_loop(1'000'000, 400 * k_ns_per_us);
//   for (int i = 0; i != 20; ++i) program.add_phase(loop, 100 * k_ns_per_us);
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>

#include <cstdint>
#include <vector>

namespace filch::inline v0::sim {

using part_id = id<struct part_tag, std::uint32_t>;

struct program_part {
  enum class kind : std::uint8_t {
    work,  // computes for before_ns
    join,  // computes for before_ns, forks `second`, runs `first`, joins, computes for after_ns
    loop,  // `count` elements
  };

  kind what = kind::work;
  time_ns before_ns = 0;
  time_ns after_ns = 0;
  part_id first = part_id::none();
  part_id second = part_id::none();
  // Of a loop: what each element runs. None: elements compute only, all of them for elements_ns.
  part_id element = part_id::none();
  std::uint64_t count = 0;
  time_ns elements_ns = 0;

  // How long the first `elements` of a loop of plain elements take. They need not be whole nanoseconds long.
  [[nodiscard]] time_ns elements_take_ns(std::uint64_t elements) const {
    __extension__ using wide = unsigned __int128;
    return static_cast<time_ns>(static_cast<wide>(elements) * static_cast<std::uint64_t>(elements_ns) / count);
  }

  friend bool operator==(const program_part&, const program_part&) = default;
};

struct program_phase {
  part_id what;
  time_ns pause_ns = 0;  // before it

  friend bool operator==(const program_phase&, const program_phase&) = default;
};

class sharing_program {
 public:
  // No part, and no phase, takes longer than this.
  static constexpr time_ns k_longest_ns = 1'000'000 * k_ns_per_s;
  // No loop has more elements, and no part more forks.
  static constexpr std::uint64_t k_most = std::uint64_t{1} << 40;

  // All throw std::invalid_argument for parts that do not exist, times below 0, and what is too long.
  part_id add_work(time_ns work_ns);
  part_id add_join(part_id first, part_id second, time_ns before_ns = 0, time_ns after_ns = 0);
  // Plain elements that take elements_ns in all, or such that run a part each.
  part_id add_loop(std::uint64_t count, time_ns elements_ns);
  part_id add_loop(std::uint64_t count, part_id element);
  // A tree of joins of two: 2^depth leaves.
  part_id add_tree(std::uint32_t depth, time_ns leaf_ns, time_ns before_ns = 0, time_ns after_ns = 0);
  // Loops of `count` elements inside one another, `levels` of them; the elements of the innermost take leaf_ns each.
  part_id add_nest(std::uint32_t levels, std::uint64_t count, time_ns leaf_ns);

  void add_phase(part_id what, time_ns pause_ns = 0);

  [[nodiscard]] const program_part& operator[](part_id which) const { return parts_[which.value]; }
  [[nodiscard]] std::uint32_t parts() const { return static_cast<std::uint32_t>(parts_.size()); }
  [[nodiscard]] const std::vector<program_phase>& phases() const { return phases_; }

  // Of one run of a part: all that is computed, the longest chain in it, and how many pieces it comes to that are not
  // divided further: works and plain elements.
  [[nodiscard]] time_ns work_ns(part_id which) const { return sums_[which.value].work_ns; }
  [[nodiscard]] time_ns span_ns(part_id which) const { return sums_[which.value].span_ns; }
  [[nodiscard]] std::uint64_t leaves(part_id which) const { return sums_[which.value].leaves; }
  // Of all phases, without the pauses; spans of phases add up.
  [[nodiscard]] time_ns work_ns() const;
  [[nodiscard]] time_ns span_ns() const;
  [[nodiscard]] std::uint64_t leaves() const;

 private:
  struct sums {
    time_ns work_ns = 0;
    time_ns span_ns = 0;
    std::uint64_t leaves = 0;
  };

  part_id add(const program_part& made, sums all);
  [[nodiscard]] const sums& sums_of(part_id which) const;

  std::vector<program_part> parts_;
  std::vector<sums> sums_;
  std::vector<program_phase> phases_;
};

}  // namespace filch::inline v0::sim
