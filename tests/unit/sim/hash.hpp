// A hash of text that is the same with every compiler: FNV-1a.
#pragma once

#include <cstdint>
#include <string_view>

inline constexpr std::uint64_t k_hash_of_nothing = 14695981039346656037u;

constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t hash = k_hash_of_nothing) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}
