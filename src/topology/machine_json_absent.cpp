// Takes the place of machine_json.cpp in a build without a JSON library.
#include <filch/topology/error.hpp>
#include <filch/topology/machine_file.hpp>

namespace filch::inline v0::topology {

bool built_with_json() noexcept { return false; }

machine machine_from_json(std::string_view, std::string_view origin) {
  throw topology_error{std::string{origin} + ": reading JSON needs FILCH_WITH_JSON"};
}

}  // namespace filch::inline v0::topology
