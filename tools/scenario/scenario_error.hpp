// What is wrong with a scenario or machine file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace filch::scenario {

// The text names the file, the line, the field, its value and what is allowed:
// `fast.json:12: workload.groups[0].count = -3: allowed is a whole number from 1 to 100000000`
class error : public std::runtime_error {
 public:
  error(std::string_view file, std::uint32_t line, std::string_view field, std::string_view what);

  [[nodiscard]] const std::string& file() const { return file_; }
  // Counted from 1; 0: unknown, because the value did not come from a file.
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] const std::string& field() const { return field_; }

 private:
  std::string file_;
  std::uint32_t line_;
  std::string field_;
};

}  // namespace filch::scenario
