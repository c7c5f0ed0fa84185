#include <filch/trace/binary.hpp>
#include <filch/trace/exporters.hpp>

#include "sample.hpp"
#include "trace/binary_format.hpp"
#include "trace/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <streambuf>
#include <string>

namespace {

using namespace filch_trace_test;

class null_buffer final : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize n) override { return n; }
};

void change_something(std::string& bytes, random_stream& random) {
  const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size())); };
  switch (random.below(5)) {
    case 0:
      bytes[place()] = static_cast<char>(random.bits());
      break;
    case 1:
      bytes[place()] ^= static_cast<char>(1u << random.below(8));
      break;
    case 2:
      bytes.resize(place() + 1);
      break;
    case 3:
      bytes.insert(place(), 1, static_cast<char>(random.bits()));
      break;
    default:
      bytes.erase(place(), 1 + static_cast<std::size_t>(random.below(8)));
      break;
  }
  if (bytes.empty()) bytes.push_back('x');
}

// Writes right checksums into all blocks that still lie where a reader looks for them.
void repair_checksums(std::string& bytes) {
  std::size_t at = k_file_head_bytes;
  while (at + k_block_head_bytes <= bytes.size()) {
    const std::string_view all{bytes};
    const auto length = get_little_endian<std::uint32_t>(all.substr(at + 4));
    if (length > bytes.size() - at - k_block_head_bytes) return;
    const std::uint32_t crc = crc32(all.substr(at + k_block_head_bytes, length), crc32(all.substr(at, 8)));
    std::string coded;
    put_little_endian(coded, crc);
    bytes.replace(at + 8, 4, coded);
    at += k_block_head_bytes + length;
  }
}

// Property: the reader survives every file; what it calls usable keeps a recording's rules, and every writer accepts
// it. Method: random changes of valid files; in every second round the checksums are made right again, so that the
// changes reach the decoders behind them.
TEST(binary_fuzz, a_changed_file_is_read_or_refused_but_never_harms) {
  random_stream random{chosen_seed(1)};
  std::vector<std::string> files;
  for (int i = 0; i != 8; ++i) {
    std::ostringstream out;
    const recording r = i == 0 ? migrating_task() : random_recording(random, 1 + static_cast<std::uint32_t>(i % 3), 20);
    ASSERT_FALSE(write_binary(r, out));
    files.push_back(out.str());
  }
  null_buffer nowhere;
  std::ostream sink{&nowhere};
  std::uint64_t read = 0, refused = 0;
  for (int round = 0; round != 20'000; ++round) {
    std::string bytes = files[static_cast<std::size_t>(random.below(files.size()))];
    for (std::uint64_t i = 0, n = 1 + random.below(3); i != n; ++i) change_something(bytes, random);
    if (round % 2 == 1) repair_checksums(bytes);
    std::istringstream in{bytes};
    const read_result back = read_binary(in);
    if (back.error) {
      ++refused;
      ASSERT_FALSE(back.error->text().empty());
      ASSERT_LE(back.error->offset, bytes.size());
    } else {
      ++read;
      ASSERT_TRUE(back.is_usable);
    }
    if (!back.is_usable) continue;
    ASSERT_EQ(back.value.check(), "");
    ASSERT_FALSE(write_chrome(back.value, sink).error);
    ASSERT_FALSE(write_perfetto(back.value, sink).error);
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 10'000u);
}

TEST(binary_fuzz, random_bytes_are_refused) {
  random_stream random{chosen_seed(2)};
  for (int round = 0; round != 2'000; ++round) {
    std::string bytes(static_cast<std::size_t>(random.below(200)), '\0');
    for (char& c : bytes) c = static_cast<char>(random.bits());
    if (round % 2 == 0) bytes = std::string{k_magic} + std::string{"\1\0\0\0", 4} + bytes;
    std::istringstream in{bytes};
    ASSERT_TRUE(read_binary(in).error);
  }
}

}  // namespace
