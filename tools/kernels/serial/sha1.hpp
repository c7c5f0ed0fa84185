// SHA-1 (FIPS 180-4) of messages that fit into one block: at most 55 bytes. That is all that a splittable random number
// generator needs; it gives no security.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace filch::kernels {

using sha1_words = std::array<std::uint32_t, 5>;

// `message` holds `count` words; the most significant byte of each comes first.
template <std::size_t Count>
inline sha1_words sha1_of_words(const std::array<std::uint32_t, Count>& message) {
  static_assert(Count <= 13, "one block");
  std::array<std::uint32_t, 16> w{};
  for (std::size_t i = 0; i != Count; ++i) w[i] = message[i];
  w[Count] = 0x80000000u;
  w[15] = static_cast<std::uint32_t>(Count * 32);

  constexpr sha1_words k_start{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  auto [a, b, c, d, e] = k_start;
  const auto round = [&](std::size_t i, std::uint32_t mixed, std::uint32_t constant) {
    if (i >= 16) w[i & 15] = std::rotl(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15], 1);
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + w[i & 15];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  };
  for (std::size_t i = 0; i != 20; ++i) round(i, (b & c) | (~b & d), 0x5a827999u);
  for (std::size_t i = 20; i != 40; ++i) round(i, b ^ c ^ d, 0x6ed9eba1u);
  for (std::size_t i = 40; i != 60; ++i) round(i, (b & c) | (b & d) | (c & d), 0x8f1bbcdcu);
  for (std::size_t i = 60; i != 80; ++i) round(i, b ^ c ^ d, 0xca62c1d6u);
  return {k_start[0] + a, k_start[1] + b, k_start[2] + c, k_start[3] + d, k_start[4] + e};
}

}  // namespace filch::kernels
