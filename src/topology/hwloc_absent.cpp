// Takes the place of hwloc.cpp in a build without hwloc.
#include <filch/topology/error.hpp>
#include <filch/topology/load_machine.hpp>

#include "topology/loaders.hpp"

namespace filch::inline v0::topology {

bool built_with_hwloc() noexcept { return false; }

machine load_from_hwloc() { throw topology_error{"hwloc needs FILCH_WITH_HWLOC"}; }

machine load_from_hwloc_xml(const std::filesystem::path& file) {
  throw topology_error{file.string() + ": hwloc XML needs FILCH_WITH_HWLOC"};
}

}  // namespace filch::inline v0::topology
