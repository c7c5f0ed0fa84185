// Feeds made-up recordings to the commands that use them: FILCH_FUZZ_COMMAND is analyze, predict, report or convert.
//
// Property: whatever passes recording::check() is used, or refused with words; nothing crashes, hangs or takes much
// memory, no arithmetic overflows, and the graph of the tasks keeps its invariants.
//
// An input that begins like a .filch file is one, as it is and with right checksums. Any other is a script, six bytes
// for an event, with few workers, tasks and names: so it takes few steps to events that contradict each other. A script
// whose first byte says so repeats its events, for one task after the other: so few bytes make deep, long and wide
// recordings. Whatever is made of one must not be much larger than it is.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dag.hpp>
#include <filch/base/assert.hpp>
#include <filch/trace/binary.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

#include "analyze_command.hpp"
#include "checksums.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "predict/commands.hpp"

namespace {

using namespace filch;
using namespace filch::trace;
namespace fs = std::filesystem;

constexpr std::uint32_t k_most_workers = 16;  // of a file; more cost time and show nothing new
constexpr std::array<std::uint32_t, 4> k_large_workers{1, 2, 16, 64};
constexpr std::size_t k_most_large_events = 4'000;
// Of all files that a command writes: several hundred times the largest recording.
constexpr std::uintmax_t k_most_output_bytes = std::uintmax_t{96} << 20;
constexpr std::size_t k_most_strands_per_event = 4;

// ---- recordings -----------------------------------------------------------------------------------------------------

class script {
 public:
  explicit script(std::string_view bytes) : bytes_{bytes} {}

  recording read() {
    constexpr std::uint8_t k_large = 250;
    recording out;
    const std::uint8_t head = byte();
    const bool is_large = head >= k_large;
    out.about.workers = is_large ? k_large_workers[head % k_large_workers.size()] : head % 5;
    out.about.source = byte() % 4 == 0 ? "simulation" : "threads";
    out.workers.resize(out.about.workers);
    out.names = {{"load"}, {"store", rgb{1, 2, 3}}, {std::string{k_fork_reason}}, {"mutex"}, {"timer"}, {""}};
    while (!bytes_.empty() && events_ < k_most_large_events) {
      if (is_large) repeat_events(out);
      else put(out, read_event(), byte());
    }
    return out;
  }

 private:
  void put(recording& to, event next, std::uint32_t where) {
    where %= to.about.workers + 1;
    const bool is_outside = where == to.about.workers;
    next.worker = is_outside ? k_outside : static_cast<std::uint16_t>(where);
    (is_outside ? to.outside : to.workers[where]).push_back(next);
    ++events_;
  }

  // Up to three events, again and again, each for the same task or for the next in every round.
  void repeat_events(recording& to) {
    struct pattern {
      event what;
      std::uint32_t where = 0;
      std::uint64_t task_step = 0;
      std::uint64_t argument_step = 0;
    };
    std::array<pattern, 3> patterns;
    const std::size_t count = 1 + byte() % patterns.size();
    const std::uint32_t rounds = 1u << (byte() % 13);
    for (std::size_t i = 0; i != count; ++i) {
      pattern& each = patterns[i];
      each.what = read_event();
      each.where = byte();
      const std::uint8_t steps = byte();
      each.task_step = each.what.task == k_no_task ? 0 : steps % 2;
      each.argument_step = each.what.argument == k_no_task ? 0 : steps / 2 % 2;
    }
    for (std::uint32_t round = 0; round != rounds && events_ < k_most_large_events; ++round) {
      for (std::size_t i = 0; i != count; ++i) {
        event next = patterns[i].what;
        next.time_ns = now_ns_++;
        next.task += patterns[i].task_step * round;
        next.argument += patterns[i].argument_step * round;
        put(to, next, patterns[i].where);
      }
    }
  }

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto out = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return out;
  }

  event read_event() {
    constexpr std::uint8_t k_small = 12;
    event out;
    const std::uint8_t step = byte();
    now_ns_ += step < 200 ? step : step < 254 ? time_ns{step} * 1'000'000 : time_ns{1} << 40;
    out.time_ns = now_ns_;
    out.kind = static_cast<event_kind>(byte() % k_kind_count);
    const std::uint8_t task = byte() % 16;
    if (task < k_small) out.task = task;
    const std::uint8_t argument = byte() % 16;
    out.argument = argument < k_small ? argument : k_no_task;
    const std::uint8_t detail = byte() % 8;
    if (detail < 7) out.detail = detail;
    return out;
  }

  std::string_view bytes_;
  time_ns now_ns_ = 0;
  std::size_t events_ = 0;
};

// ---- commands -------------------------------------------------------------------------------------------------------

// The folder of this process, which goes with it.
class work_folder {
 public:
  work_folder() {
    std::string name = (fs::temp_directory_path() / "filch_fuzz_XXXXXX").string();
    FILCH_ASSERT(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;
  ~work_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
  [[nodiscard]] std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const fs::directory_entry& each : fs::directory_iterator{path_}) sum += each.file_size();
    return sum;
  }

 private:
  fs::path path_;
};

class silence final : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize n) override { return n; }
};

void analyze(const work_folder& in) {
  tool::analyze_command({.file = in.file("in.filch"),
                         .baseline = in.file("in.filch"),
                         .report = in.file("out.html"),
                         .picture = in.file("out.svg")});
  tool::analyze_command({.file = in.file("in.filch"), .json = true});
}

void predict(const work_folder& in) {
  tool::predict_command({.recording = in.file("in.filch"),
                         .workers = "1,3",
                         .what_if = {"grain name=load 2", "cutoff name=store 50us", "scale name=load 1000"},
                         .measured = {in.file("in.filch")},
                         .inflation = "2=1000",
                         .seeds = "1",
                         .json = {in.file("out.json")},
                         .plot_file = in.file("out.svg"),
                         .report_file = in.file("out.html")});
  tool::predict_command({.recording = in.file("in.filch"), .workers = "2", .seeds = "2", .json = {""}});
}

void report(const work_folder& in) {
  tool::report_command({.from = in.file("in.filch"), .to = in.file("out.html")});
  tool::report_command({.from = in.file("in.filch"), .to = in.file("out.html"), .beside = in.file("in.filch")});
  tool::gantt_command({.file = in.file("in.filch"), .width = 80});
}

void convert(const work_folder& in) {
  for (const char* const to : {"out.json", "out.pftrace", "out.filch"}) {
    tool::convert_command({.from = in.file("in.filch"), .to = in.file(to), .failed_steals = true});
  }
  tool::info_command({.file = in.file("in.filch")});
  tool::info_command({.file = in.file("in.filch"), .json = true});
}

struct command {
  std::string_view name;
  void (*obey)(const work_folder& in);
};
constexpr std::array<command, 4> k_commands{
    {{"analyze", &analyze}, {"predict", &predict}, {"report", &report}, {"convert", &convert}}};

const command& chosen_command() {
  const char* const text = std::getenv("FILCH_FUZZ_COMMAND");
  const auto found = std::ranges::find(k_commands, std::string_view{text == nullptr ? "" : text}, &command::name);
  if (found != k_commands.end()) return *found;
  std::cerr << "FILCH_FUZZ_COMMAND: allowed are analyze, predict, report and convert\n";
  std::exit(2);
}

// Refusals have words that say what; these do not.
bool is_refusal(const std::exception& problem) {
  return dynamic_cast<const std::bad_alloc*>(&problem) == nullptr &&
         dynamic_cast<const std::out_of_range*>(&problem) == nullptr &&
         dynamic_cast<const std::length_error*>(&problem) == nullptr && *problem.what() != '\0';
}

// ---- properties -----------------------------------------------------------------------------------------------------

void require_invariants(const analysis::dag& graph, const recording& from) {
  std::size_t events = from.outside.size();
  for (const auto& list : from.workers) events += list.size();
  FILCH_ASSERT(graph.strands.size() <= k_most_strands_per_event * events, graph.strands.size(), events);
  for (std::size_t i = 0; i != graph.strands.size(); ++i) {
    const analysis::strand& each = graph.strands[i];
    FILCH_ASSERT(each.begin_ns >= graph.begin_ns && each.end_ns <= graph.end_ns && each.begin_ns <= each.end_ns);
    FILCH_ASSERT(each.before == analysis::k_none ||
                 (each.before < i && graph.strands[each.before].end_ns <= each.begin_ns));
  }
  for (const analysis::edge& each : graph.edges) {
    FILCH_ASSERT(each.from < each.to && each.to < graph.strands.size());
    FILCH_ASSERT(graph.strands[each.from].end_ns <= graph.strands[each.to].begin_ns);
  }
  FILCH_ASSERT(std::ranges::is_sorted(graph.edges, {}, &analysis::edge::to));
  const time_ns span_ns = graph.span_ns();
  const time_ns elapsed_ns = graph.elapsed_span_ns();
  FILCH_ASSERT(span_ns <= elapsed_ns && elapsed_ns <= graph.makespan_ns(), span_ns, elapsed_ns, graph.makespan_ns());
}

void use(const std::string& bytes, const recording& what) {
  static const command& chosen = chosen_command();
  static const work_folder folder;
  static silence nothing;
  FILCH_ASSERT(what.check().empty());
  if (chosen.name == "analyze") require_invariants(analysis::dag::from(what), what);
  std::ofstream{folder.file("in.filch"), std::ios::binary} << bytes;
  auto* const out_before = std::cout.rdbuf(&nothing);
  auto* const err_before = std::cerr.rdbuf(&nothing);
  try {
    chosen.obey(folder);
  } catch (const std::exception& problem) {
    std::cerr.rdbuf(err_before);
    if (!is_refusal(problem)) std::cerr << problem.what() << "\n";
    FILCH_ASSERT(is_refusal(problem));
  }
  std::cout.rdbuf(out_before);
  std::cerr.rdbuf(err_before);
  FILCH_ASSERT(folder.bytes() <= k_most_output_bytes, folder.bytes(), bytes.size());
}

void read_and_use(const std::string& bytes) {
  std::istringstream in{bytes};
  const read_result found = read_binary(in);
  if (found.is_usable && found.value.workers.size() <= k_most_workers) use(bytes, found.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes{reinterpret_cast<const char*>(data), size};
  if (bytes.starts_with('\x89')) {
    read_and_use(bytes);
    filch_fuzz::repair_checksums(bytes);
    read_and_use(bytes);
    return 0;
  }
  const recording made = script{bytes}.read();
  if (!made.check().empty()) return -1;
  std::ostringstream out;
  FILCH_ASSERT(!write_binary(made, out));
  use(out.str(), made);
  return 0;
}
