// Reading the small text files of /proc and /sys. Private to src/topology.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filch::inline v0::topology {

// The whole file; nothing, and errno says why, when it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& file);
// Its first line without blanks around it.
[[nodiscard]] std::optional<std::string> read_line(const std::filesystem::path& file);
// A file that holds one whole number and nothing else; nothing otherwise.
[[nodiscard]] std::optional<std::int64_t> read_number(const std::filesystem::path& file);

// What the next three return points into `text`, which must outlive it.
[[nodiscard]] std::string_view trim(std::string_view text);
// The parts between separators, empty ones included.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// The parts between blanks, none of them empty.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);
// A decimal number and nothing else.
[[nodiscard]] std::optional<std::int64_t> parse_number(std::string_view text);
[[nodiscard]] bool starts_with_digit(std::string_view text);
// For messages: quoted, with control characters replaced and the end cut off when long.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace filch::inline v0::topology
