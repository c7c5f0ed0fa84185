// Right checksums for a made-up .filch file, so that what lies behind them is reached.
#pragma once

#include "trace/binary_format.hpp"
#include "trace/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace filch_fuzz {

inline void repair_checksums(std::string& bytes) {
  using namespace filch::trace;
  std::size_t at = k_file_head_bytes;
  while (at + k_block_head_bytes <= bytes.size()) {
    const std::string_view all{bytes};
    const auto length = get_little_endian<std::uint32_t>(all.substr(at + 4));
    if (length > bytes.size() - at - k_block_head_bytes) return;
    std::string coded;
    put_little_endian(coded, crc32(all.substr(at + k_block_head_bytes, length), crc32(all.substr(at, 8))));
    bytes.replace(at + 8, 4, coded);
    at += k_block_head_bytes + length;
  }
}

}  // namespace filch_fuzz
