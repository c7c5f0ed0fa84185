// Memory orders as sets of duties, and the specification that weakens the orders of one source line.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace filch::check {

// acquire, release and seq_cst as bits: weaker is a subset. A seq_cst load has no release bit, a store no acquire bit.
using order_bits = std::uint8_t;
inline constexpr order_bits k_relaxed = 0;
inline constexpr order_bits k_acquire = 1;
inline constexpr order_bits k_release = 2;
inline constexpr order_bits k_seq_cst = 4;

enum class access : std::uint8_t { load, store, update, fence };

// The duties of `order` for that kind of access; an order that C++ does not allow there (a release load) fails.
[[nodiscard]] order_bits bits_of(std::memory_order order, access kind);
[[nodiscard]] const char* order_name(order_bits bits);

// What FILCH_CHECK_WEAKEN says: a list of "file.hpp:LINE[:how]", separated by commas.
//
// how: relaxed | acquire | release | acq_rel: what remains is at most that; next (the default): one step weaker, that
// is seq_cst → acquire, release or acq_rel as the access can have it, acq_rel → acquire, acquire or release → relaxed.
// A prefix failure- or success- changes only that order of a compare-exchange; without it both change.
class weakening {
 public:
  weakening() = default;
  explicit weakening(std::string_view specification);  // throws std::invalid_argument and says what is allowed

  [[nodiscard]] bool empty() const { return rules_.empty(); }

  // Weakens the orders of the operation at `where`. `failure` is null unless it is a compare-exchange.
  void apply(const std::source_location& where, order_bits& success, order_bits* failure) {
    if (!rules_.empty()) apply_rules(where, success, failure);
  }

  std::uint64_t matched = 0;
  std::uint64_t changed = 0;

 private:
  enum class part : std::uint8_t { both, success, failure };
  struct rule {
    std::string file;
    std::uint_least32_t line;
    part which;
    bool next;
    order_bits limit;
  };

  void apply_rules(const std::source_location& where, order_bits& success, order_bits* failure);
  static rule parse(std::string_view text);

  std::vector<rule> rules_;
};

}  // namespace filch::check
