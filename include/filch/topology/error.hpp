// What the topology layer throws: a description, a setting or a request that cannot be used. The message names the file
// or the variable, the field, the value found and what is allowed.
#pragma once

#include <stdexcept>

namespace filch::inline v0::topology {

class topology_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace filch::inline v0::topology
