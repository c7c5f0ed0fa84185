// The files of this library: those that are part of the program, and those on disk.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace filch::scenario {

struct built_in_file {
  std::string_view name;  // without folder and .json
  std::string_view text;
};

// Generated from machines/*.json and scenarios/*.json, in alphabetical order.
[[nodiscard]] std::span<const built_in_file> built_in_machines();
[[nodiscard]] std::span<const built_in_file> built_in_scenarios();

// The text of a plain file of at most `most_bytes`. Throws error.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, std::uintmax_t most_bytes);

// Whether a text names a file and not something built in.
[[nodiscard]] bool is_file_name(std::string_view text);

[[nodiscard]] std::vector<std::string_view> names_of(std::span<const built_in_file> files);
// The one of that name. Throws error: `what = "nme": unknown name; did you mean …`
[[nodiscard]] const built_in_file& find_built_in(std::span<const built_in_file> files, std::string_view what,
                                                 std::string_view name);

}  // namespace filch::scenario
