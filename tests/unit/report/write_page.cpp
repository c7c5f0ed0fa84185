// write_page <what> <page.html> [<facts.json>]: writes a page for the tests of the viewer, and what they should find in
// it, counted here from the recording. <what> is made_up:<workers>:<tasks>, gaps or recorded:<workers>:<tasks>.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <html_report.hpp>
#include <set>
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
  std::fprintf(stderr, "what = \"%s\": allowed are made_up:<workers>:<tasks>, gaps, recorded:<workers>:<tasks>\n",
               what.c_str());
  std::exit(2);
}

void write_facts(const recording& from, std::ostream& out) {
  std::uint64_t ended = 0, steals = 0, stolen = 0, parks = 0, spawned = 0;
  std::set<std::uint64_t> tasks;
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
      << "}\n";
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: write_page <what> <page.html> [<facts.json>]\n");
    return 2;
  }
  const recording what = make(words[1]);
  std::ofstream page{words[2], std::ios::binary};
  if (const auto problem = filch::report::write_report(what, page, std::string{"Recording: "} + words[1])) {
    std::fprintf(stderr, "%s: %s\n", words[2], problem->c_str());
    return 1;
  }
  if (count > 3) {
    std::ofstream facts{words[3]};
    write_facts(what, facts);
    if (!facts) return 1;
  }
  return 0;
}
