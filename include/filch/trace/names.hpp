// Names that users give to tasks, reasons and counters, each kept once and with an optional colour for the viewer.
#pragma once

#include <filch/trace/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filch::inline v0::trace {

struct rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend constexpr bool operator==(rgb, rgb) = default;
};

// "#1e90ff"
[[nodiscard]] std::string to_text(rgb colour);

struct name_entry {
  std::string text;
  std::optional<rgb> colour = {};

  friend bool operator==(const name_entry&, const name_entry&) = default;
};

// Longer names are cut: a name is a label, and a file's block has a bound.
inline constexpr std::size_t k_max_name_bytes = 4096;

// What a label says: the text itself, or, of a function's type as the compiler spells it, the function it was written
// in.
[[nodiscard]] std::string readable_label(std::string_view label);

// Any thread may call any function. Interning takes a lock and may allocate: do it once per name, not once per task.
class names_table {
 public:
  // The id of `text`, the same each time. A colour, where given, replaces the one from before.
  [[nodiscard]] name_id intern(std::string_view text, std::optional<rgb> colour = std::nullopt);

  // The same for a label, which is made readable first.
  [[nodiscard]] name_id intern_label(const char* label) { return intern(readable_label(label)); }

  // All names so far; the id of a name is its index.
  [[nodiscard]] std::vector<name_entry> snapshot() const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<name_entry> entries_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

}  // namespace filch::inline v0::trace
