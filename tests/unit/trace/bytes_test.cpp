#include "trace/bytes.hpp"

#include <gtest/gtest.h>

namespace {

using namespace filch::trace;

TEST(bytes, the_checksum_is_the_crc_32_of_zip_and_can_be_continued) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xcbf43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(bytes, zigzag_maps_small_differences_of_either_sign_to_small_numbers_and_back) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(static_cast<std::uint64_t>(-1)), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{5}, UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 2 + 1}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
}

TEST(bytes, a_varint_of_any_size_is_read_back) {
  for (unsigned shift = 0; shift != 64; ++shift) {
    for (const std::uint64_t value : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) - 1}) {
      std::string text;
      put_varint(text, value);
      byte_cursor cursor{text};
      EXPECT_EQ(cursor.varint(), value);
      EXPECT_EQ(cursor.left(), 0u);
    }
  }
}

TEST(bytes, a_varint_that_ends_early_or_exceeds_64_bits_is_refused) {
  EXPECT_FALSE(byte_cursor{"\x80"}.varint());
  EXPECT_FALSE(byte_cursor{""}.varint());
  EXPECT_FALSE(byte_cursor{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"}.varint());
  EXPECT_TRUE(byte_cursor{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}.varint());
  EXPECT_FALSE(byte_cursor{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}.varint());
}

TEST(bytes, a_text_longer_than_what_is_left_is_refused) {
  EXPECT_FALSE(
      byte_cursor{"\x05"
                  "abcd"}
          .text());
  EXPECT_EQ(byte_cursor{"\x04"
                        "abcd"}
                .text(),
            "abcd");
}

}  // namespace
