// Bytes as the trace formats need them: little-endian words, variable-length numbers, CRC-32.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace filch::inline v0::trace {

// Small differences of either sign become small unsigned numbers: 0, -1, 1, -2 → 0, 1, 2, 3.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t coded) { return (coded >> 1) ^ (0 - (coded & 1)); }

// Seven bits per byte, low bits first; the top bit says that more follow.
inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

template <class Unsigned>
void put_little_endian(std::string& out, Unsigned value) {
  for (std::size_t i = 0; i != sizeof value; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

inline void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
}

template <class Unsigned>
[[nodiscard]] Unsigned get_little_endian(std::string_view bytes) {
  Unsigned value = 0;
  for (std::size_t i = 0; i != sizeof value; ++i) {
    value =
        static_cast<Unsigned>(value | static_cast<Unsigned>(Unsigned{static_cast<unsigned char>(bytes[i])} << (8 * i)));
  }
  return value;
}

// Reads numbers and texts from a piece of memory and never beyond it. Each function gives nothing when the bytes do
// not suffice or are no such thing.
class byte_cursor {
 public:
  explicit byte_cursor(std::string_view bytes) : bytes_{bytes} {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

  std::optional<std::uint8_t> byte() {
    if (left() == 0) return std::nullopt;
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto next = byte();
      if (!next) return std::nullopt;
      const std::uint64_t part = *next & 0x7fu;
      if (shift == 63 && part > 1) return std::nullopt;  // more than 64 bits
      value |= part << shift;
      if ((*next & 0x80u) == 0) return value;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> text() {
    const auto size = varint();
    if (!size || *size > left()) return std::nullopt;
    const auto out = bytes_.substr(position_, static_cast<std::size_t>(*size));
    position_ += out.size();
    return out;
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

namespace detail {
// Row k holds the CRC of each byte with k zero bytes behind it: so eight bytes are taken at a time.
inline constexpr auto k_crc_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> rows{};
  for (std::uint32_t i = 0; i != 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit != 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
    rows[0][i] = value;
  }
  for (std::size_t k = 1; k != rows.size(); ++k) {
    for (std::size_t i = 0; i != 256; ++i) {
      const std::uint32_t before = rows[k - 1][i];
      rows[k][i] = (before >> 8) ^ rows[0][before & 0xffu];
    }
  }
  return rows;
}();
}  // namespace detail

// CRC-32 as in zip and PNG (polynomial 04C11DB7h, reflected). Continues from `before`, the CRC of what came earlier.
[[nodiscard]] inline std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) {
  const auto& rows = detail::k_crc_tables;
  std::uint32_t value = ~before;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const auto low = get_little_endian<std::uint32_t>(bytes) ^ value;
    const auto high = get_little_endian<std::uint32_t>(bytes.substr(4));
    value = rows[7][low & 0xffu] ^ rows[6][(low >> 8) & 0xffu] ^ rows[5][(low >> 16) & 0xffu] ^ rows[4][low >> 24] ^
            rows[3][high & 0xffu] ^ rows[2][(high >> 8) & 0xffu] ^ rows[1][(high >> 16) & 0xffu] ^ rows[0][high >> 24];
  }
  for (const char c : bytes) value = (value >> 8) ^ rows[0][(value ^ static_cast<unsigned char>(c)) & 0xffu];
  return ~value;
}

}  // namespace filch::inline v0::trace
