// write_page <what> <page.html> <facts.json>: writes a page for the tests of the viewer, and what they should find in
// it, counted here from the recordings. <what> is made_up:<workers>:<tasks>, recorded:<workers>:<tasks>,
// simulated:<workers>:<depth>, gaps, pair, or beside: a run of threads and the same tasks simulated.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <html_report.hpp>
#include <optional>
#include <run_shape.hpp>
#include <set>
#include <simulated_again.hpp>
#include <string>

#include "sample.hpp"

namespace {

using namespace filch::trace;

recording make(const std::string& what) {
  unsigned workers = 0;
  unsigned tasks = 0;
  if (what == "gaps") return filch_report_test::with_gaps();
  if (std::sscanf(what.c_str(), "made_up:%u:%u", &workers, &tasks) == 2) {
    return filch_report_test::made_up(workers, tasks, 7);
  }
  if (std::sscanf(what.c_str(), "recorded:%u:%u", &workers, &tasks) == 2) {
    return filch_report_test::recorded(workers, tasks);
  }
  if (std::sscanf(what.c_str(), "simulated:%u:%u", &workers, &tasks) == 2) {
    return filch_report_test::simulated(workers, tasks);
  }
  std::fprintf(stderr,
               "what = \"%s\": allowed are made_up:<workers>:<tasks>, recorded:<workers>:<tasks>, "
               "simulated:<workers>:<depth>, gaps, pair, beside\n",
               what.c_str());
  std::exit(2);
}

void write_facts(const recording& from, std::ostream& out) {
  std::uint64_t ended = 0, steals = 0, stolen = 0, parks = 0, spawned = 0;
  std::set<std::uint64_t> tasks;
  const filch::report::run_shape shape = filch::report::shape_of(from);
  const auto look_at = [&](const event& each) {
    if (each.task != k_no_task) tasks.insert(each.task);
    ended += each.kind == event_kind::end ? 1u : 0u;
    parks += each.kind == event_kind::park ? 1u : 0u;
    spawned += each.kind == event_kind::spawn && each.worker != k_outside ? 1u : 0u;
    if (each.kind == event_kind::steal_success) {
      ++steals;
      stolen += each.argument;
    }
  };
  for (const auto& list : from.workers) {
    for (const event& each : list) look_at(each);
  }
  for (const event& each : from.outside) look_at(each);
  out << "{\"workers\":" << from.workers.size() << ",\"events\":" << from.event_count()
      << ",\"dropped\":" << from.dropped_count() << ",\"tasks\":" << tasks.size() << ",\"executed\":" << ended
      << ",\"spawned\":" << spawned << ",\"steals\":" << steals << ",\"stolen\":" << stolen << ",\"parks\":" << parks
      << ",\"work_ns\":" << shape.work_ns << ",\"span_ns\":" << shape.span_ns
      << ",\"path\":" << shape.critical_path.size() << "}";
}

// Two runs, with curves and notes, as a page that compares a measured and a simulated run has them.
filch::report::page pair_page(const recording& first, const recording& second) {
  using namespace filch::report;
  page out{.title = "A pair", .runs = {{"measured", &first}, {"simulated", &second}}};
  out.notes = {"A note with <b>markup</b> & \"quotes\"."};
  speed_up_chart speed_up{.work_ns = 64'000'000, .span_ns = 1'000'000, .burdened_span_ns = 1'400'000, .curves = {}};
  speed_up.curves = {
      {"measured", {{1, {64'100'000, 63'900'000, 65'000'000}}, {2, {32'500'000, 32'000'000, 36'000'000}}}},
      {"simulated", {}}};
  for (std::uint32_t workers = 1; workers <= 128; workers *= 2) {
    const filch::time_ns time_ns = 64'000'000 / workers + 1'200'000 * (workers - 1) / workers;
    speed_up.curves[1].points.push_back({workers, {time_ns, time_ns - 50'000, time_ns + 90'000}});
  }
  out.speed_up = speed_up;
  out.granularity = {{"simulated", {}}, {"measured", {{10'000, {2'100'000, 0, 0}}, {100'000, {1'500'000, 0, 0}}}}};
  for (filch::time_ns grain_ns = 100; grain_ns <= 10'000'000; grain_ns *= 10) {
    const filch::time_ns time_ns = 1'000'000 + 100 * 1'000'000 / grain_ns + grain_ns / 2;
    out.granularity[0].points.push_back({grain_ns, {time_ns, time_ns * 9 / 10, time_ns * 11 / 10}});
  }
  return out;
}

std::optional<std::string> write(const std::string& what, const recording& first, const recording* second,
                                 std::ostream& page) {
  if (second == nullptr) return filch::report::write_report(first, page, "Recording: " + what);
  if (what == "pair") return filch::report::write_page(pair_page(first, *second), page);
  return filch::report::write_page(
      {.title = "Beside", .runs = {{"measured", &first}, {"simulated", second}}, .notes = {"ok: No fault found."}},
      page);
}

int write(const std::string& what, std::ostream& page, std::ostream& facts) {
  const bool is_pair = what == "pair", is_beside = what == "beside";
  const recording first = make(is_pair ? "made_up:4:400" : is_beside ? "recorded:2:400" : what);
  std::optional<recording> second;
  if (is_pair) second = filch_report_test::made_up(4, 600, 8);
  if (is_beside) second = filch::analysis::simulated_again(first);
  const auto problem = write(what, first, second ? &*second : nullptr, page);
  if (problem) std::fprintf(stderr, "%s: %s\n", what.c_str(), problem->c_str());
  facts << "[";
  write_facts(first, facts);
  if (second) {
    facts << ",";
    write_facts(*second, facts);
  }
  facts << "]\n";
  return problem || !facts ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: write_page <what> <page.html> <facts.json>\n");
    return 2;
  }
  std::ofstream page{words[2], std::ios::binary};
  std::ofstream facts{words[3]};
  return write(words[1], page, facts);
}
