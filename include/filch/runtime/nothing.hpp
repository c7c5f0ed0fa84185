// What stands among results for one that is none.
#pragma once

namespace filch::inline v0 {

// Stands for the result of a function or task that returns nothing, where others return something.
struct nothing {
  friend constexpr bool operator==(nothing, nothing) = default;
};

}  // namespace filch::inline v0
