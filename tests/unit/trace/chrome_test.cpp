#include <filch/trace/exporters.hpp>

#include "json.hpp"
#include "sample.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace filch_trace_test;

struct slice {
  int track;
  std::string name;
  double from_us;
  double to_us;
  friend bool operator==(const slice&, const slice&) = default;
};

struct chrome_file {
  json all;
  std::vector<slice> slices;                         // in the order of their ends
  std::map<std::string, std::pair<int, int>> flows;  // id → tracks from, to
};

// Reads the text strictly and checks what the format demands: per track, times never go back, every E has a B, none is
// left open; every f follows its s.
chrome_file read_strictly(const std::string& text) {
  chrome_file out;
  const auto parsed = json_reader::read(text);
  EXPECT_TRUE(parsed) << text.substr(0, 2000);
  if (!parsed) return out;
  out.all = *parsed;
  std::map<int, std::vector<slice>> open;
  std::map<int, double> last_us;
  for (const json& e : out.all["traceEvents"].items) {
    const std::string phase = e["ph"].text;
    if (phase == "M") continue;
    const int track = static_cast<int>(e["tid"].number);
    const double at_us = e["ts"].number;
    EXPECT_GE(at_us, last_us[track]);
    last_us[track] = at_us;
    if (phase == "B") open[track].push_back({track, e["name"].text, at_us, 0});
    if (phase == "E") {
      EXPECT_FALSE(open[track].empty());
      if (open[track].empty()) continue;
      out.slices.push_back(open[track].back());
      out.slices.back().to_us = at_us;
      open[track].pop_back();
    }
    if (phase == "s" || phase == "f") {
      EXPECT_FALSE(open[track].empty()) << "a flow needs a slice";
    }
    if (phase == "s") {
      EXPECT_TRUE(out.flows.emplace(e["id"].text, std::pair{track, 0}).second);
    }
    if (phase == "f") {
      EXPECT_TRUE(out.flows.count(e["id"].text) != 0) << "a flow arrives before it leaves";
      EXPECT_EQ(e["bp"].text, "e");
      out.flows[e["id"].text].second = track;
    }
  }
  for (const auto& [track, left] : open) EXPECT_TRUE(left.empty()) << "track " << track;
  return out;
}

std::string exported(const recording& r, const export_options& options = {}) {
  std::ostringstream out;
  const export_result result = write_chrome(r, out, options);
  EXPECT_FALSE(result.error);
  EXPECT_TRUE(result.warnings.empty());
  return out.str();
}

bool has_slice(const chrome_file& file, const slice& wanted) {
  for (const slice& s : file.slices) {
    if (s == wanted) return true;
  }
  return false;
}

TEST(chrome, a_task_that_migrates_is_one_slice_per_worker_joined_by_a_flow) {
  const chrome_file file = read_strictly(exported(migrating_task()));
  EXPECT_TRUE(has_slice(file, {1, "root", 1.0, 2.5}));
  EXPECT_TRUE(has_slice(file, {2, "root", 4.123, 5.0}));
  EXPECT_TRUE(has_slice(file, {2, "child", 2.2, 4.123}));
  EXPECT_TRUE(has_slice(file, {1, "child", 2.5, 3.0})) << "named after its spawn";
  EXPECT_TRUE(has_slice(file, {1, "blocked", 2.75, 2.9}));
  EXPECT_TRUE(has_slice(file, {2, "parked", 0, 2.0}));
  ASSERT_EQ(file.flows.size(), 2u);  // the steal and the migration
  for (const auto& [id, ends] : file.flows) EXPECT_EQ(ends, (std::pair{1, 2})) << id;
}

TEST(chrome, counters_metadata_colours_and_track_names_are_there) {
  const chrome_file file = read_strictly(exported(migrating_task()));
  EXPECT_EQ(file.all["otherData"]["machine"].text, migrating_task().about.machine);
  EXPECT_EQ(file.all["otherData"]["seed"].text, "42");
  std::set<std::string> tracks;
  std::map<std::string, double> values;
  bool has_colour = false;
  for (const json& e : file.all["traceEvents"].items) {
    if (e["ph"].text == "M" && e["name"].text == "thread_name") tracks.insert(e["args"]["name"].text);
    if (e["ph"].text == "C") values[e["name"].text] = e["args"]["value"].number;
    if (e["ph"].text == "B" && e["name"].text == "root") has_colour = e["args"]["colour"].text == "#1e90ff";
    if (e["ph"].text == "E") {
      EXPECT_FALSE(e.has("args"));
    }
  }
  EXPECT_EQ(tracks, (std::set<std::string>{"worker 0", "worker 1", "outside"}));
  EXPECT_EQ(values, (std::map<std::string, double>{{"queue length of worker 0", 2}, {"load of worker 0", -7}}));
  EXPECT_TRUE(has_colour);
}

TEST(chrome, slices_that_do_not_end_in_the_order_of_a_stack_are_cut_so_that_they_nest) {
  recording r = empty_recording(1);
  time_ns now_ns = 0;
  virtual_recorder w{worker_id{0}, now_ns, r.workers[0]};
  r.names = {{"a", {}}, {"b", {}}};
  w.spawn(task_id{1}, task_id::none(), name_id{0}), w.spawn(task_id{2}, task_id::none(), name_id{1});
  now_ns = 1'000, w.start(task_id{1});
  now_ns = 2'000, w.start(task_id{2});
  now_ns = 3'000, w.end(task_id{1});
  now_ns = 4'000, w.end(task_id{2});
  const chrome_file file = read_strictly(exported(r));
  EXPECT_EQ(file.slices, (std::vector<slice>{{1, "b", 2, 3}, {1, "a", 1, 3}, {1, "b", 3, 4}}));
}

TEST(chrome, a_gap_ends_all_slices_and_an_end_without_a_beginning_is_ignored) {
  recording r = empty_recording(1);
  time_ns now_ns = 0;
  virtual_recorder w{worker_id{0}, now_ns, r.workers[0]};
  w.start(task_id{1});
  now_ns = 1'000;
  event gap;
  gap.argument = 12;
  w.record(gap);
  now_ns = 2'000, w.end(task_id{1}), w.suspend(task_id{5}), w.wake(), w.unblock(task_id{3});
  now_ns = 3'000, w.start(task_id{2});  // left open
  now_ns = 4'000, w.queue_length(0);
  const chrome_file file = read_strictly(exported(r));
  EXPECT_EQ(file.slices, (std::vector<slice>{{1, "task", 0, 1}, {1, "12 events dropped", 1, 1}, {1, "task", 3, 4}}));
  EXPECT_TRUE(file.flows.empty());
}

TEST(chrome, a_task_that_leaves_and_arrives_at_the_same_time_keeps_its_flow) {
  recording r = empty_recording(2);
  time_ns now_ns = 0;
  virtual_recorder w0{worker_id{0}, now_ns, r.workers[0]}, w1{worker_id{1}, now_ns, r.workers[1]};
  w1.start(task_id{1});
  now_ns = 1'000, w1.suspend(task_id{1}), w0.resume(task_id{1});
  now_ns = 2'000, w0.end(task_id{1});
  const chrome_file file = read_strictly(exported(r));
  ASSERT_EQ(file.flows.size(), 1u);
  EXPECT_EQ(file.flows.begin()->second, (std::pair{2, 1}));
}

TEST(chrome, failed_steals_are_shown_on_request_only) {
  const auto count = [](const chrome_file& file) {
    int n = 0;
    for (const slice& s : file.slices) n += s.name.starts_with("steal_") ? 1 : 0;
    return n;
  };
  EXPECT_EQ(count(read_strictly(exported(migrating_task()))), 0);
  EXPECT_EQ(count(read_strictly(exported(migrating_task(), {.failed_steals = true}))), 2);
}

TEST(chrome, any_name_gives_valid_json) {
  recording r = empty_recording(1);
  const std::string names[] = {"quote \" backslash \\ newline \n tab \t bell \a", std::string{"nul \0 inside", 12},
                               "valid é € 😀", "broken \xff \xc3 \xe2\x82 \xed\xa0\x80 \xf5\x80\x80\x80", ""};
  time_ns now_ns = 0;
  virtual_recorder w{worker_id{0}, now_ns, r.workers[0]};
  for (std::uint32_t i = 0; i != 5; ++i) {
    r.names.push_back({names[i], std::nullopt});
    w.spawn(task_id{i}, task_id::none(), name_id{i}), w.start(task_id{i}), w.end(task_id{i});
  }
  const chrome_file file = read_strictly(exported(r));
  ASSERT_EQ(file.slices.size(), 5u);
  EXPECT_EQ(file.slices[0].name, names[0]);
  EXPECT_EQ(file.slices[1].name, names[1]);
  EXPECT_EQ(file.slices[2].name, names[2]);
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(file.slices[3].name,
            "broken " + bad + " " + bad + " " + bad + bad + " " + bad + bad + bad + " " + bad + bad + bad + bad);
  EXPECT_EQ(file.slices[4].name, "");
}

TEST(chrome, random_recordings_give_valid_json_with_nested_slices) {
  random_stream random{chosen_seed(5)};
  for (int round = 0; round != 30; ++round) {
    recording r = random_recording(random, 3, 60);
    for (auto& list : r.workers) {
      for (event& e : list) e.task %= 6;  // so that starts and ends meet
    }
    read_strictly(exported(r, {.failed_steals = true}));
  }
}

TEST(chrome, a_million_events_bring_a_warning) {
  recording r = empty_recording(1);
  event e;
  e.worker = 0;
  e.kind = event_kind::queue_length;
  r.workers[0].assign(k_chrome_events_limit + 1, e);
  std::ostringstream out;
  const export_result result = write_chrome(r, out);
  EXPECT_EQ(result.events, k_chrome_events_limit + 1);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("1000001 events"), std::string::npos);
}

TEST(chrome, a_stream_that_fails_is_reported) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_TRUE(write_chrome(migrating_task(), out).error);
}

}  // namespace
