// Machines in files: filch's JSON (docs/architecture/topology.md has the format) and hwloc's XML.
//
// Every reader throws topology_error that names the file, the line (of a syntax error) or the field (of a wrong value),
// what was found and what is allowed.
#pragma once

#include <filch/topology/machine.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace filch::inline v0::topology {

// JSON or hwloc XML, told apart by the first character.
[[nodiscard]] machine load_machine_file(const std::filesystem::path& file);

// `origin` stands for the file name in errors and in machine::source.
[[nodiscard]] machine machine_from_json(std::string_view text, std::string_view origin);

// Everything but `source`, so that reading gives the same machine back.
[[nodiscard]] std::string to_json(const machine& m);

// Makes the file, or writes over what is there, whatever it is. Throws topology_error where it cannot be written.
void save_machine_file(const std::filesystem::path& file, const machine& m);

// Reading JSON needs a library at build time; writing does not.
[[nodiscard]] bool built_with_json() noexcept;

}  // namespace filch::inline v0::topology
