#include <base/escape.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

namespace escape = filch::escape;
using std::string_view_literals::operator""sv;

TEST(escape, letters_of_all_lengths_stay) {
  constexpr std::string_view text = "a name, µs, 任务, 🎉";
  EXPECT_EQ(escape::shown(text), text);
  EXPECT_EQ(escape::xml(text), text);
  EXPECT_EQ(escape::json(text), "\"" + std::string{text} + "\"");
}

TEST(escape, control_characters_are_shown_by_their_pictures) {
  EXPECT_EQ(escape::shown("\x1b[31mred\x1b]0;title\a\r\n\t\0\x7f"sv), "␛[31mred␛]0;title␇␍␊␉␀␡");
  EXPECT_EQ(escape::shown_lines("a\nb\x1b"), "a\nb␛");
  EXPECT_EQ(escape::shown("\u009b31m \u202etxt.exe\u2069 \ufeff"), "\ufffd31m \ufffdtxt.exe\ufffd \ufffd");
}

TEST(escape, what_is_no_utf_8_becomes_the_replacement_character) {
  for (const std::string_view text : {"\x80"sv, "\xc0\xaf"sv, "\xff"sv, "\xe2\x82"sv, "\xed\xa0\x80"sv,
                                      "\xf4\x90\x80\x80"sv, "\xe0\x9f\xbf"sv, "\xf0\x8f\xbf\xbf"sv, "\xc2"sv}) {
    const std::string found = escape::shown(text);
    EXPECT_EQ(found.find("\ufffd"), 0u);
    EXPECT_EQ(found.find_first_not_of("\ufffd"), std::string::npos);
    EXPECT_EQ(escape::json(text), "\"" + found + "\"");
    EXPECT_EQ(escape::xml(text), found);
  }
  EXPECT_EQ(escape::shown("\xe2\x82z"), "\ufffd\ufffdz");
}

TEST(escape, one_that_is_cut_off_may_go_on) {
  EXPECT_TRUE(escape::first_of("\xe2\x82").is_cut_off);
  EXPECT_TRUE(escape::first_of("\xc2").is_cut_off);
  EXPECT_FALSE(escape::first_of("\xff").is_cut_off);
  EXPECT_FALSE(escape::first_of("\xe2x").is_cut_off);
  EXPECT_EQ(escape::first_of("\xe2\x82\xac").value, U'€');
}

TEST(escape, xml_has_no_markup_and_no_character_that_it_forbids) {
  EXPECT_EQ(escape::xml("<a href=\"x\">&'\x01\x1b\ufffe"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;␁␛\ufffd");
}

TEST(escape, json_keeps_what_it_hides) {
  EXPECT_EQ(escape::json("\"\\\n\x1b\u009b</script>"), R"("\"\\\u000a\u001b\u009b\u003c/script\u003e")");
  EXPECT_EQ(escape::json_document("{\n \"a\u009b\x7f\": \"µ\xff\"}"), "{\n \"a\\u009b\\u007f\": \"µ\ufffd\"}");
}

}  // namespace
