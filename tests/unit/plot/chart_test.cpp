// Charts: what is drawn, where, and what is refused.
#include <chart.hpp>

#include <axis.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace {

using namespace filch::plot;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The numbers of the named ticks.
std::string ticks_of(const axis& of) {
  std::string out;
  for (const tick& each : of.ticks()) {
    if (!each.text.empty()) out.append(out.empty() ? "" : " ").append(each.text);
  }
  return out;
}

std::string refusal(const auto& what) {
  try {
    (void)to_svg(what);
  } catch (const bad_chart& problem) {
    return problem.what();
  }
  return "nothing was refused";
}

chart simple() {
  return {.title = "time & <workers>",
          .x_label = "workers",
          .y_label = "s",
          .series = {{.name = "random", .points = {{1, 8, 7, 9}, {2, 4, 3.5, 4.5}, {4, 2, 1.5, 2.5}}},
                     {.name = "bound", .points = {{1, 8}, {4, 2}}, .is_dashed = true}}};
}

TEST(axis, ticks_are_round_numbers_that_enclose_the_values) {
  EXPECT_EQ(ticks_of(axis(0, 12.3, false)), "0 2.5 5 7.5 10 12.5");
  EXPECT_EQ(ticks_of(axis(97, 103, false)), "97 98 99 100 101 102 103");
  EXPECT_EQ(ticks_of(axis(-1, 1, false)), "-1 -0.5 0 0.5 1");
  EXPECT_EQ(ticks_of(axis(1, 64, true)), "1 2 5 10 20 50");
  EXPECT_EQ(ticks_of(axis(0.001, 1000, true)), "0.001 0.01 0.1 1 10 100 1000");
}

TEST(axis, places_grow_from_zero_to_one) {
  const axis linear{0, 10, false};
  EXPECT_DOUBLE_EQ(linear.place(0), 0);
  EXPECT_DOUBLE_EQ(linear.place(5), 0.5);
  EXPECT_DOUBLE_EQ(linear.place(10), 1);
  const axis log{1, 100, true};
  EXPECT_NEAR(log.place(10), 0.5, 1e-12);
  EXPECT_LT(log.place(1), log.place(2));
}

TEST(axis, a_single_value_has_room_on_both_sides) {
  for (const double value : {0.0, 3.0, -2.0}) {
    const axis of{value, value, false};
    EXPECT_GT(of.place(value), 0) << value;
    EXPECT_LT(of.place(value), 1) << value;
  }
  const axis log{5, 5, true};
  EXPECT_NEAR(log.place(5), 0.5, 1e-12);
}

TEST(chart, every_series_has_a_line_a_legend_and_its_band) {
  const std::string svg = to_svg(simple());
  EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n")) << svg;
  EXPECT_EQ(count_of(svg, "<polyline"), 2u);
  EXPECT_EQ(count_of(svg, "<polygon"), 1u) << "only one series has errors";
  EXPECT_EQ(count_of(svg, "<circle"), 3u) << "a bound has no marks";
  EXPECT_EQ(count_of(svg, ">random</text>"), 1u);
  EXPECT_EQ(count_of(svg, ">bound</text>"), 1u);
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 2u) << "the line and its legend";
}

TEST(chart, texts_are_escaped) {
  const std::string svg = to_svg(simple());
  EXPECT_NE(svg.find("<title>time &amp; &lt;workers&gt;</title>"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("<workers>"), std::string::npos) << svg;
}

TEST(chart, the_same_chart_gives_the_same_bytes) { EXPECT_EQ(to_svg(simple()), to_svg(simple())); }

TEST(chart, higher_values_are_drawn_higher) {
  chart what = simple();
  what.series = {{.name = "", .points = {{0, 0}, {1, 10}}}};
  const std::string svg = to_svg(what);
  EXPECT_NE(svg.find("points=\"76,378 740,44\""), std::string::npos) << svg;
}

TEST(chart, a_value_that_cannot_be_drawn_is_named) {
  chart what = simple();
  what.log_y = true;
  what.series[1].points[1].y = 0;
  EXPECT_EQ(refusal(what),
            "chart \"time & <workers>\", series \"bound\": y = 0: allowed is a number above 0 on a logarithmic axis");
  what = simple();
  what.series[0].points[0].x = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(what), "chart \"time & <workers>\", series \"random\": x = inf: allowed is a finite number");
  what = simple();
  what.series[0].points[0].low = 8.5;
  EXPECT_NE(refusal(what).find("low 8.5 and high 9 must enclose the value 8"), std::string::npos) << refusal(what);
  what = simple();
  what.series[0].points[0].high = k_none;
  EXPECT_NE(refusal(what).find("high = nan"), std::string::npos) << refusal(what);
  EXPECT_NE(refusal(chart{.title = "empty"}).find("has no points"), std::string::npos);
}

TEST(bar_chart, every_bar_and_error_is_drawn) {
  const bar_chart what{.title = "steals",
                       .x_label = "policy",
                       .y_label = "per run",
                       .categories = {"random", "largest", "nearest"},
                       .series = {{.name = "P = 4", .bars = {{9.6, 9.5, 9.7}, {9}, {9.6}}},
                                  {.name = "P = 8", .bars = {{11}, {10}, {11}}}}};
  const std::string svg = to_svg(what);
  EXPECT_EQ(count_of(svg, "<rect x="), 6u);
  EXPECT_EQ(count_of(svg, "stroke=\"#222\""), 3u) << "a line with two caps";
  EXPECT_EQ(count_of(svg, ">largest</text>"), 1u);
}

TEST(bar_chart, notes_stand_below_and_the_picture_grows_with_them) {
  bar_chart what{.title = "t", .categories = {"a"}, .series = {{.name = "s", .bars = {{1}}}}};
  EXPECT_EQ(count_of(to_svg(what), "height=\"440\""), 1u);
  what.notes = {"on a quiet machine", "-O3 <none>"};
  const std::string svg = to_svg(what);
  EXPECT_EQ(count_of(svg, "height=\"468\""), 1u);
  EXPECT_EQ(count_of(svg, ">on a quiet machine</text>"), 1u);
  EXPECT_EQ(count_of(svg, ">-O3 &lt;none&gt;</text>"), 1u);
}
TEST(bar_chart, several_stand_one_below_the_other_in_one_picture) {
  const bar_chart upper{.title = "one thread", .categories = {"a"}, .series = {{.name = "s", .bars = {{1}}}}};
  bar_chart lower = upper;
  lower.title = "two threads";
  lower.notes = {"where"};
  const std::string svg = to_svg(std::vector<bar_chart>{upper, lower});
  EXPECT_EQ(count_of(svg, "<svg "), 3u) << "a picture with two in it";
  EXPECT_EQ(count_of(svg, "</svg>"), 3u);
  EXPECT_EQ(count_of(svg, "viewBox=\"0 0 760 894\""), 1u) << "as high as both";
  EXPECT_EQ(count_of(svg, "y=\"440\" width=\"760\" height=\"454\""), 1u) << "the second below the first";
  EXPECT_LT(svg.find("one thread"), svg.find("two threads"));
  EXPECT_THROW((void)to_svg(std::vector<bar_chart>{}), bad_chart);
}
TEST(bar_chart, names_that_would_cover_their_neighbours_stand_in_several_lines) {
  bar_chart what{.title = "t", .categories = {}, .series = {{.name = "s", .bars = {}}}};
  for (int i = 0; i != 12; ++i) {
    what.categories.emplace_back("a-long-name");
    what.series[0].bars.push_back({1});
  }
  EXPECT_EQ(count_of(to_svg(what), "y=\"398\" text-anchor=\"middle\">a-long-name<"), 6u);
  EXPECT_EQ(count_of(to_svg(what), "y=\"414\" text-anchor=\"middle\">a-long-name<"), 6u);
  what.categories.assign(12, "short");
  EXPECT_EQ(count_of(to_svg(what), "y=\"398\" text-anchor=\"middle\">short<"), 12u);
}
TEST(bar_chart, bars_must_be_as_many_as_the_categories) {
  const bar_chart what{.title = "t", .categories = {"a", "b"}, .series = {{.name = "s", .bars = {{1}}}}};
  EXPECT_EQ(refusal(what), "chart \"t\", series \"s\": 1 bars for 2 categories");
  EXPECT_NE(refusal(bar_chart{.title = "t"}).find("has no bars"), std::string::npos);
}

TEST(bar_chart, a_negative_bar_hangs_below_zero) {
  const bar_chart what{.title = "t", .categories = {"a"}, .series = {{.name = "", .bars = {{-2, -3, -1}}}}};
  EXPECT_EQ(count_of(to_svg(what), "<rect x="), 1u);
}

}  // namespace
