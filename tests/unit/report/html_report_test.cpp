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
  EXPECT_LT(page.size(), 160'000 + 140 * GetParam());
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

TEST(html_report, of_a_recording_without_its_forks_warns_and_says_how_to_record_anew) {
  trace::recording what = made_up(2, 10, 1);
  what.about.source = "threads";
  what.about.extra = {{"forks", "stolen"}, {"has_forks", "yes"}};
  const std::string page = page_of(what);
  EXPECT_NE(page.find("\"notes\":[\"Warning: The program forks"), std::string::npos);
  EXPECT_NE(page.find("filch record"), std::string::npos);
  what.about.extra = {{"forks", "stolen"}, {"has_forks", "no"}};
  EXPECT_NE(page_of(what).find("\"notes\":[]"), std::string::npos);
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

// ---- pages of two runs, curves and notes ----

report::page curves_page(const trace::recording& what) {
  report::page out{.title = "t", .runs = {{"measured", &what}}};
  out.speed_up = report::speed_up_chart{.work_ns = 1'000, .span_ns = 100, .burdened_span_ns = 150, .curves = {}};
  out.speed_up->curves = {{"simulated", {{4, {300, 280, 320}}}}};
  return out;
}

std::string problem_of(const report::page& what) {
  std::ostringstream out;
  const std::optional<std::string> problem = report::write_page(what, out);
  EXPECT_EQ(problem.has_value(), out.view().empty());
  return problem.value_or("");
}

std::string data_of(const report::page& what) {
  std::ostringstream out;
  EXPECT_EQ(report::write_page(what, out), std::nullopt);
  constexpr std::string_view open = "<script type=\"application/json\" id=\"page_data\">";
  const std::string page = std::move(out).str();
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(html_page, of_two_runs_holds_both_recordings) {
  const trace::recording first = made_up(2, 10, 3);
  const trace::recording second = made_up(3, 20, 4);
  std::ostringstream out;
  ASSERT_EQ(report::write_page({.title = "two", .runs = {{"a", &first}, {"b", &second}}}, out), std::nullopt);
  EXPECT_EQ(count_of(out.view(), "id=\"recording_0\""), 1u);
  EXPECT_EQ(count_of(out.view(), "id=\"recording_1\""), 1u);
  EXPECT_TRUE(read_back(out.view()) == first);
}

TEST(html_page, holds_the_bounds_of_the_theory) {
  const trace::recording what = made_up(2, 10, 3);
  const std::string data = data_of(curves_page(what));
  EXPECT_NE(data.find(R"("curves":[{"name":"simulated","points":[[4,300,280,320]]}])"), std::string::npos) << data;
  // Workers, least, Graham, burdened: T1 = 1000, span = 100, burdened span = 150.
  EXPECT_NE(data.find("\"bounds\":[[1,1000,1000,1000],[2,500,550,628],"), std::string::npos) << data;
  EXPECT_NE(data.find("[4,250,325,441]"), std::string::npos) << data;
}

TEST(html_page, without_a_curve_shows_where_the_run_stands) {
  const trace::recording what = made_up(2, 10, 3);
  const std::string data = data_of({.title = "", .runs = {{"", &what}}});
  EXPECT_NE(data.find(R"("curves":[{"name":"this run","points":[[2,)"), std::string::npos) << data;
}

TEST(html_page, keeps_text_that_looks_like_markup_away_from_the_markup) {
  const trace::recording what = made_up(2, 10, 3);
  report::page page = curves_page(what);
  page.runs[0].label = "</script><b>";
  page.notes = {"a \"note\" \\ </script>\n\x01"};
  page.granularity = {{"</script>", {{10, {5, 4, 6}}}}};
  const std::string data = data_of(page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_NE(data.find(R"("notes":["a \"note\" \\ \u003c/script\u003e\u000a\u0001"])"), std::string::npos) << data;
}

TEST(html_page, refuses_figures_that_make_no_sense_and_names_them) {
  const trace::recording what = made_up(2, 10, 3);
  EXPECT_EQ(problem_of({.title = "", .runs = {}}), "a page of 0 runs; allowed: 1 or 2");
  EXPECT_EQ(problem_of({.title = "", .runs = {{"a", &what}, {"b", &what}, {"c", &what}}}),
            "a page of 3 runs; allowed: 1 or 2");
  EXPECT_EQ(problem_of({.title = "", .runs = {{"a", nullptr}}}), "the run \"a\" has no recording");
  report::page page = curves_page(what);
  page.speed_up->span_ns = 2'000;
  EXPECT_EQ(problem_of(page), "speed-up: work 1000 ns and span 2000 ns; allowed: 0 < span <= work");
  page = curves_page(what);
  page.speed_up->curves[0].points[0].time = {300, 310, 320};
  EXPECT_EQ(
      problem_of(page),
      "speed-up: simulated on 4 workers takes 300 ns, which is not between its low of 310 and its high of 320 ns");
  page = curves_page(what);
  page.granularity = {{"measured", {{0, {5, 0, 0}}}}};
  EXPECT_EQ(problem_of(page), "granularity: measured with a grain of 0 ns; allowed: 1 and more");
}

TEST(html_report, of_a_run_on_threads_holds_that_run) {
  const trace::recording what = filch_report_test::recorded(2, 200);
  EXPECT_EQ(what.dropped_count(), 0u);
  EXPECT_TRUE(read_back(page_of(what)) == what);
}

}  // namespace
