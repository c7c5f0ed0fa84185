#include "bench_command.hpp"

#include <base/escape.hpp>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filch/topology/usable_cpus.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <output_file.hpp>
#include <plot/chart.hpp>
#include <sstream>

#include "ending.hpp"
#include "errors.hpp"
#include "option_reading.hpp"
#include "output.hpp"
#include "results.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_max_threads = 1024;

// ---- the arguments ---------------------------------------------------------------------------------------------

std::vector<std::uint32_t> read_threads(const std::optional<std::string>& text) {
  if (!text) {
    const auto cpus = topology::usable_cpus().count;
    return cpus == 1 ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{1, cpus};
  }
  std::vector<std::uint32_t> all;
  std::istringstream parts{*text + ","};
  for (std::string part; std::getline(parts, part, ',');) {
    const auto value = number_of<std::uint32_t>(part);
    if (!value || *value < 1 || *value > k_max_threads || std::ranges::find(all, *value) != all.end()) {
      refuse("--threads", *text,
             "different whole numbers from 1 to "s + std::to_string(k_max_threads) +
                 " with commas between them, such as 1,2");
    }
    all.push_back(*value);
  }
  return all;
}

// Several names may be given as one argument, with commas between them.
std::vector<std::string> split_names(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    std::istringstream parts{word};
    for (std::string part; std::getline(parts, part, ',');) names.push_back(part);
  }
  return names;
}

// The whole file is shown.
void check_beside_from(const bench_arguments& given) {
  if (given.json_file) throw bad_usage("--from shows a file again: --json would write the same");
  if (given.threads) throw bad_usage("--threads beside --from: a file is shown with the threads that were measured");
  if (given.names.empty()) return;
  const std::string words = given.is_async ? "--only " + given.names.front() : "\"" + given.names.front() + "\"";
  throw bad_usage(words + " beside --from: a file is shown with all its measurements, and takes no names");
}

bench_plan resolve(const bench_arguments& given) {
  bench_plan plan;
  plan.is_async = given.is_async;
  plan.kinds = chosen_kinds(given.is_async ? all_async_kinds() : all_measurement_kinds(), split_names(given.names));
  plan.threads = read_threads(given.threads);
  read_number<std::uint32_t>(given.rounds, "--rounds", 1, 1000, plan.rounds);
  read_number<std::uint32_t>(given.repetitions, "--repetitions", 1, 1000, plan.repetitions);
  if (given.rounds || given.quick) plan.most_rounds = plan.rounds;
  std::uint32_t limit_s = 60;
  read_number<std::uint32_t>(given.limit_s, "--limit", 1, 3600, limit_s);
  plan.limit_s = limit_s;
  plan.is_quick = given.quick;
  if (given.clock && *given.clock != "wall" && *given.clock != "cpu") refuse("--clock", *given.clock, "wall or cpu");
  if (given.clock == "cpu") plan.clock = bench_clock::cpu;
  if (given.json_file && !given.json_file->ends_with(".json")) refuse("--json", *given.json_file, "a name with .json");
  if (given.from_file) check_beside_from(given);
  if (given.plot_file && !given.plot_file->ends_with(".svg")) refuse("--plot", *given.plot_file, "a name with .svg");
  return plan;
}

// Where the build that made this command puts the programs.
std::filesystem::path own_folder(bool is_async) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return self.parent_path().parent_path().parent_path() / "bench" / (is_async ? "async" : "workloads") / "programs";
}

wanted_programs wanted_by(const bench_arguments& given) {
  wanted_programs wanted{.with_peers = given.peers};
  if (given.is_async) {
    wanted.with_serial = false;
    wanted.targets = "filch_async, or filch_async_peers for --peers";
  }
  if (given.peers) wanted.peers = given.is_async ? all_async_peers() : all_peers();
  return wanted;
}

// ---- what is written ------------------------------------------------------------------------------------------------

void replace_file(const std::string& name, const std::string& text) {
  output_file out{name};
  out.stream() << text;
  out.finish();
}

void write_file(const std::string& name, const std::string& text) {
  replace_file(name, text);
  std::cout << "Wrote " << name << ".\n";
}

// Before the measurements, which take long.
void check_writable(const std::optional<std::string>& name) {
  if (name) output_file::require(*name);
}

std::string file_text(const bench_results& all) {
  return json_text((all.plan.is_async ? async_json : results_json)(all), 1) + "\n";
}

bench_results read_results(const std::string& name, bool is_async) {
  std::ifstream in{name};
  if (!in) throw failure(name + " cannot be read");
  try {
    return saved_results(nlohmann::ordered_json::parse(in), is_async);
  } catch (const nlohmann::ordered_json::exception& problem) {
    throw failure(name + " is not what filch bench"s + (is_async ? " async" : "") +
                  " --json has written: " + problem.what());
  } catch (const failure& problem) {
    throw failure(name + ": " + problem.what());
  }
}

// One line on a terminal that names the running program; nothing elsewhere.
class status_line {
 public:
  ~status_line() {
    if (is_terminal_) put_unguarded(std::cerr, "\r\033[K");
  }
  void say(const std::string& text) const {
    if (is_terminal_) put_unguarded(std::cerr, "\r\033[K" + escape::shown(text));
  }

 private:
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
};

void measure(bench_results& into, const bench_arguments& given, ending_watch& ending) {
  const condition_watch conditions;
  const status_line line;
  const auto say = [&](const std::string& text) {
    ending.goes_on_with(text);
    line.say(text);
  };
  // The results are on the disk, whatever happens next.
  const auto keep = [&](const std::vector<bench_row>& rows, std::uint32_t rounds_done) {
    if (!given.json_file) return;
    into.rows = rows;
    into.rounds_done = rounds_done;
    into.when = conditions.until_now();
    try {
      replace_file(*given.json_file, file_text(into));
    } catch (const output_refused&) {
      // It is tried again when all has been measured.
    }
  };
  measured_rounds done = measure_rounds(into.found.programs, into.plan, {.say = say, .keep = keep});
  into.rows = std::move(done.rows);
  into.rounds_done = done.rounds_done;
  into.ended_in = std::move(done.ended_in);
  into.when = conditions.until_now();
}

void show(const bench_results& all, const bench_arguments& given) {
  std::cout << (all.plan.is_async ? async_text : results_text)(all);
  if (given.json_file) write_file(*given.json_file, file_text(all));
  if (!given.plot_file) return;
  std::vector<std::string> left_out;
  try {
    write_file(*given.plot_file, (all.plan.is_async ? async_svg : results_svg)(all, left_out));
  } catch (const plot::bad_chart& problem) {
    std::cout << "No picture: " << problem.what() << "\n";
  }
  for (const std::string& each : left_out) std::cout << "Not in the picture: " << each << "\n";
}

std::string kinds_text(std::span<const measurement_kind> all) {
  text_table table{{"Measurements:", ""}};
  table.end_with_text();
  for (const measurement_kind& each : all) {
    table.add({"  "s + std::string{each.name}, std::string{each.help}});
  }
  return table.text(0);
}

}  // namespace

void bench_command(const bench_arguments& given) {
  bench_results all;
  all.plan = resolve(given);
  if (given.from_file) {
    check_writable(given.plot_file);
    show(read_results(*given.from_file, given.is_async), given);
    return;
  }
  check_writable(given.json_file);
  check_writable(given.plot_file);
  std::vector<std::filesystem::path> folders{given.programs.begin(), given.programs.end()};
  if (folders.empty()) folders.push_back(own_folder(given.is_async));
  ending_watch ending;
  try {
    all.found = find_programs(folders, wanted_by(given));
    measure(all, given, ending);
  } catch (const asked_to_end&) {
    all.ended_in = "the search for programs";
  }
  ending.goes_on_with("the tables");
  show(all, given);
  std::cout.flush();
  if (!std::cout) throw failure("standard output could not be written");
  if (const int signal = asked_to_end_by(); signal != 0 && !all.ended_in.empty()) {
    std::cerr << "filch: " << signal_text(signal) << " ended the measurements in " << all.ended_in << "\n";
    throw program_ended{128 + signal};
  }
  if (const std::size_t failed = failures(all); failed != 0) {
    throw failure(count_text(failed, "measurement") + " failed: the lines below the table say how");
  }
}

namespace {

// What both commands have.
void add_common(CLI::App& bench, bench_arguments& into) {
  bench.add_option("--threads", into.threads, "numbers of threads; default: 1 and all CPUs")->type_name("N,N");
  const std::string rounds =
      "number of rounds; default 7"s +
      (into.is_async ? "" : ", and up to 51 within 10 s per measurement; more if the host disturbs");
  bench.add_option("--rounds", into.rounds, rounds)->type_name("N");
  bench.add_option("--repetitions", into.repetitions, "runs in one process, if programs do not take turns; default 3")
      ->type_name("N");
  bench.add_option("--clock", into.clock, "wall (the default), or cpu for one thread on a busy machine")
      ->type_name("NAME");
  bench.add_option("--limit", into.limit_s, "limit in seconds for one process or one turn; default 60")->type_name("S");
  bench.add_flag("--quick", into.quick, "tiny sizes: a test of the programs");
  bench.add_option("--programs", into.programs, "a folder of programs; may be repeated for several compilers")
      ->type_name("DIR")
      ->allow_extra_args(false);
  bench.add_option("--json", into.json_file, "write every value: .json")->type_name("FILE");
  bench.add_option("--from", into.from_file, "measure nothing: show a file of --json")->type_name("FILE");
}

void add_async(CLI::App& bench, bench_arguments& into) {
  CLI::App* const async =
      bench.add_subcommand("async", "Measure tasks, channels, locks and timers of filch and other runtimes");
  async->group("Commands");
  async->add_flag("--peers", into.peers, "measure the other runtimes that are built, too: tokio, Go, Asio, Java");
  async->add_option("--only", into.names, "measurements: see below; default: all")->type_name("NAME,NAME");
  add_common(*async, into);
  async->add_option("--plot", into.plot_file, "draw the times: .svg")->type_name("FILE");
  async->footer("\n"s + kinds_text(all_async_kinds()) + R"(
Examples:
  filch bench async --quick                          does everything work?
  filch bench async --only spawn-many,ping-pong      two of them
  filch bench async --peers --json async.json        beside every runtime that is built

The programs are targets of a build tree with FILCH_BUILD_BENCH=ON: filch_async (filch alone) and filch_async_peers.)");
  async->callback([&into] { bench_command(into); });
}

}  // namespace

void add_bench(CLI::App& app, bench_words& into) {
  CLI::App* const bench = app.add_subcommand("bench", "Measure forks and loops against serial code and other runtimes");
  bench->group("Commands");
  bench->add_option("measurement", into.forks.names, "measurements: see below; default: all")->type_name("NAME");
  bench->add_flag("--peers", into.forks.peers,
                  "measure the other runtimes that are built, too: oneTBB, OpenMP, rayon, Go, Java, …");
  add_common(*bench, into.forks);
  bench->add_option("--plot", into.forks.plot_file, "draw the ratios: .svg")->type_name("FILE");
  add_async(*bench, into.async);
  bench->footer("\n"s + kinds_text(all_measurement_kinds()) + R"(
Examples:
  filch bench --quick                            does everything work?
  filch bench fib join-tiny                      what a fork costs
  filch bench --peers --json bench.json          beside every runtime that is built
  filch bench async --peers                      asynchronous shapes beside tokio, Go, Asio and Java

The programs are targets of a build tree with FILCH_BUILD_BENCH=ON: filch_workloads (serial code and filch) and
filch_peers (these and the peers whose packages are there).)");
  bench->callback([bench, &into] {
    if (bench->get_subcommands().empty()) bench_command(into.forks);
  });
}

}  // namespace filch::tool
