// A set of CPU numbers, as the operating system counts them. A plain value.
//
// Invariant: the numbers are ascending, without repetition, and each is below k_max_cpus.
#pragma once

#include <filch/topology/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filch::inline v0::topology {

// The number by which the operating system knows one hardware thread.
using cpu_number = std::uint32_t;

class cpu_set {
 public:
  cpu_set() = default;
  cpu_set(std::initializer_list<cpu_number> cpus) : cpu_set{std::vector<cpu_number>{cpus}} {}
  // Any order, repetitions allowed. Throws topology_error for a number that is not below k_max_cpus.
  explicit cpu_set(std::vector<cpu_number> cpus);

  // 0, 1, …, count - 1.
  [[nodiscard]] static cpu_set first(cpu_number count);
  // The kernel's list form: "0-3,8,10-11", blanks around it ignored, "" is the empty set. Nothing for other text.
  [[nodiscard]] static std::optional<cpu_set> parse(std::string_view list);
  // The same form back.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] std::size_t size() const { return cpus_.size(); }
  [[nodiscard]] bool empty() const { return cpus_.empty(); }
  [[nodiscard]] cpu_number front() const { return cpus_.front(); }
  [[nodiscard]] cpu_number back() const { return cpus_.back(); }
  [[nodiscard]] cpu_number operator[](std::size_t i) const { return cpus_[i]; }
  [[nodiscard]] auto begin() const { return cpus_.begin(); }
  [[nodiscard]] auto end() const { return cpus_.end(); }
  [[nodiscard]] bool contains(cpu_number cpu) const;
  // In both sets.
  [[nodiscard]] cpu_set intersection(const cpu_set& other) const;

  friend bool operator==(const cpu_set&, const cpu_set&) = default;

 private:
  std::vector<cpu_number> cpus_;
};

}  // namespace filch::inline v0::topology
