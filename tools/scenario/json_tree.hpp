// JSON as a tree that knows the line of every value, so that an error can name it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace filch::scenario {

struct json_value {
  enum class kind : std::uint8_t { null, boolean, whole, negative, real, text, list, object };

  kind what = kind::null;
  std::uint32_t line = 1;
  std::uint64_t whole = 0;          // whole numbers from 0 on, and booleans
  double real = 0;                  // every number
  std::string text{};               // a string, or a number that is not whole
  std::vector<std::string> keys{};  // of an object, in the order of the file
  std::vector<json_value> items{};

  // As it stands in an error: short, and in one line.
  [[nodiscard]] std::string show() const;
};

// Throws error: not JSON, too large, too deep, too many values, a field twice.
[[nodiscard]] json_value parse_json(std::string_view text, std::string_view origin);

}  // namespace filch::scenario
