#include "files.hpp"

#include "scenario_error.hpp"

#include <filch/policy/names.hpp>

#include <fstream>
#include <ios>
#include <system_error>

namespace filch::scenario {

std::string read_file(const std::filesystem::path& file, std::uintmax_t most_bytes) {
  std::error_code problem;
  const auto status = std::filesystem::status(file, problem);
  if (!std::filesystem::exists(status)) throw error{file.string(), 0, "", "there is no such file"};
  // A pipe or a device could give bytes for ever, or never any.
  if (!std::filesystem::is_regular_file(status)) throw error{file.string(), 0, "", "this is no plain file"};
  const std::uintmax_t size = std::filesystem::file_size(file, problem);
  if (problem) throw error{file.string(), 0, "", problem.message()};
  if (size > most_bytes) {
    throw error{file.string(), 0, "",
                "the file has " + std::to_string(size) + " bytes: allowed are " + std::to_string(most_bytes)};
  }
  std::ifstream in{file, std::ios::binary};
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in && size != 0) throw error{file.string(), 0, "", "the file cannot be read"};
  return text;
}

bool is_file_name(std::string_view text) { return text.ends_with(".json") || text.find('/') != std::string_view::npos; }

std::vector<std::string_view> names_of(std::span<const built_in_file> files) {
  std::vector<std::string_view> names;
  for (const built_in_file& one : files) names.push_back(one.name);
  return names;
}

const built_in_file& find_built_in(std::span<const built_in_file> files, std::string_view what, std::string_view name) {
  for (const built_in_file& one : files) {
    if (one.name == name) return one;
  }
  const std::vector<std::string_view> names = names_of(files);
  if (names.empty()) throw error{what, 0, what, "the program has none of these"};
  const std::string text = policy::unknown_name(what, name.substr(0, 100), names);
  throw error{"filch", 0, what, text + ", or a file that ends in .json"};
}

}  // namespace filch::scenario
