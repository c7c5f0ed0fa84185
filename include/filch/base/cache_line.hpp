// How far apart two words must lie so that a write to one does not slow down a reader of the other.
#pragma once

#include <cstddef>

namespace filch::inline v0 {

// One line of every x86-64 and most AArch64 caches. A constant of our own, because the standard's value may differ
// between two compilers and would then change the layout of a type between two translation units.
inline constexpr std::size_t k_cache_line_bytes = 64;

// Adjacent-line prefetchers fetch lines in pairs: words of different writers stand this far apart.
inline constexpr std::size_t k_no_sharing_bytes = 128;

}  // namespace filch::inline v0
