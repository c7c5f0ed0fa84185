#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filch/trace/binary.hpp>
#include <html_report.hpp>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>

#include "sample.hpp"

namespace {

using namespace filch;
using filch_report_test::made_up;

std::string page_of(const trace::recording& what, std::string_view title = "a title") {
  std::ostringstream out;
  EXPECT_EQ(report::write_report(what, out, title), std::nullopt);
  return std::move(out).str();
}

constexpr std::string_view k_open = "<script type=\"text/plain\" id=\"recording_0\">";

// Where the recording begins and how long it is.
std::pair<std::size_t, std::size_t> recording_in(std::string_view page) {
  const std::size_t begin = page.find(k_open) + k_open.size();
  return {begin, page.find("</script>", begin) - begin};
}

std::string decoded(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char each : text) {
    if (each == '=') break;
    const std::size_t digit = digits.find(each);
    if (digit == std::string_view::npos) {
      ADD_FAILURE() << "'" << each << "' is no digit of base64";
      break;
    }
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  return out;
}

trace::recording read_back(std::string_view page) {
  const auto [begin, length] = recording_in(page);
  std::istringstream in{decoded(page.substr(begin, length))};
  trace::read_result result = trace::read_binary(in);
  EXPECT_FALSE(result.error) << result.error->text();
  return std::move(result.value);
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

class report_of : public testing::TestWithParam<std::uint64_t> {};

TEST_P(report_of, tasks_holds_exactly_the_recording_it_was_made_from) {
  const trace::recording what = made_up(GetParam() < 100 ? 2 : 8, GetParam(), 3);
  EXPECT_TRUE(read_back(page_of(what)) == what);
}

TEST_P(report_of, tasks_stays_small) {
  const std::string page = page_of(made_up(8, GetParam(), 3));
  EXPECT_LT(page.size(), 120'000 + 140 * GetParam());
  EXPECT_LT(page.size(), 15'000'000u);
}

INSTANTIATE_TEST_SUITE_P(html, report_of, testing::Values(10, 1'000, 100'000));

TEST(html_report, loads_nothing_from_anywhere) {
  std::string page = page_of(made_up(4, 1'000, 3));
  const auto [begin, length] = recording_in(page);
  page.erase(begin, length);
  for (const char* forbidden :
       {"http:", "https:", "src=", "url(", "@import", "import(", "fetch(", "XMLHttpRequest", "WebSocket", "file:"}) {
    EXPECT_EQ(count_of(page, forbidden), 0u) << forbidden;
  }
  EXPECT_EQ(count_of(page, "href="), count_of(page, "href=\"data:,\""));
}

TEST(html_report, is_one_whole_page) {
  const std::string page = page_of(made_up(2, 10, 3));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(count_of(page, "{{"), 0u);
  EXPECT_EQ(count_of(page, "<script"), count_of(page, "</script>"));
  EXPECT_EQ(count_of(page, "<html"), 1u);
}

TEST(html_report, shows_a_title_as_text_and_not_as_markup) {
  const std::string page = page_of(made_up(2, 10, 3), "a <b>\"bold\"</b> & {{recordings}}");
  EXPECT_EQ(count_of(page, "<b>\"bold\""), 0u);
  EXPECT_NE(page.find("<title>a &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; {{recordings}}</title>"), std::string::npos);
  EXPECT_TRUE(read_back(page) == made_up(2, 10, 3));
}

TEST(html_report, without_a_title_has_one) {
  EXPECT_NE(page_of(made_up(2, 10, 3), "").find("<title>filch report</title>"), std::string::npos);
}

TEST(html_report, keeps_names_that_look_like_markup) {
  trace::recording what = made_up(2, 10, 3);
  what.names[0].text = "</script><script>alert(1)</script>";
  const std::string page = page_of(what);
  EXPECT_EQ(count_of(page, "alert(1)"), 0u);
  EXPECT_TRUE(read_back(page) == what);
}

TEST(html_report, of_an_empty_recording_is_a_page) {
  const trace::recording nothing;
  EXPECT_TRUE(read_back(page_of(nothing)) == nothing);
}

TEST(html_report, of_a_broken_recording_is_refused_and_nothing_written) {
  trace::recording broken = made_up(2, 10, 3);
  broken.workers.pop_back();
  std::ostringstream out;
  const auto problem = report::write_report(broken, out, "");
  ASSERT_TRUE(problem);
  EXPECT_FALSE(problem->empty());
  EXPECT_EQ(out.str(), "");
}

TEST(html_report, says_when_the_stream_fails) {
  struct full_disk : std::streambuf {
    int_type overflow(int_type) override { return traits_type::eof(); }
    std::streamsize xsputn(const char*, std::streamsize) override { return 0; }
  } nothing_fits;
  std::ostream out{&nothing_fits};
  EXPECT_TRUE(report::write_report(made_up(2, 10, 3), out, ""));
}

TEST(html_report, of_a_run_on_threads_holds_that_run) {
  const trace::recording what = filch_report_test::recorded(2, 200);
  EXPECT_EQ(what.dropped_count(), 0u);
  EXPECT_TRUE(read_back(page_of(what)) == what);
}

}  // namespace
