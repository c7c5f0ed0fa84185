// What a caller may tell an algorithm about its work. Nothing needs to be told.
#pragma once

#include <cstddef>

namespace filch::inline v0 {

struct hint {
  // Elements that stay together: no split goes below this number. 0: measured while the loop runs. For reduce it is the
  // length of a leaf, and so a part of what the result depends on.
  std::size_t grain = 0;
};

}  // namespace filch::inline v0
