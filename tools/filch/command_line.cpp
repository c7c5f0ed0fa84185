#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <filch/policy/names.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "analyze_command.hpp"
#include "bench/bench_command.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "predict/commands.hpp"
#include "simulate/commands.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

template <class T>
std::string names_text() {
  std::string out;
  for (const std::string_view each : policy::names<T>::all) out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

std::string workloads_text() {
  text_table table{{"Workloads:", ""}};
  table.end_with_text();
  for (const workload& each : all_workloads()) {
    const std::string also = each.alias.empty() ? "" : " (also: "s + std::string{each.alias} + ")";
    table.add({"  "s + std::string{each.name}, std::string{each.help} + also});
  }
  return table.text(0);
}

const char* const k_examples = R"(Examples:
  filch                                          the tour: a program with a fault, its analysis, and a prediction
  filch run adaptive                             12 of 15 tasks begin on worker 0; the others steal
  filch run adaptive --victims random --log      the same with another policy and a log of events
  filch run granularity --workers 2              the cost of small and of large tasks
  filch run counter                              trivial tasks per second, with two kinds of deques
  filch run fib                                  a join at every call: the cost of a fork
  filch bench fib                                the same, measured in rounds against serial code
  filch sim bursts                               a simulated scenario with three ways to choose a victim
  filch compare adaptive --seeds 50              policies over many seeds, with a statistical test
  filch topology                                 the machine, and the CPUs that filch may use
  filch policies                                 every name that the options take
  filch record -- ./program 10                   record a program that uses filch
  filch run demo --trace demo.filch              record a run …
  filch report demo.filch demo.html              … look at it in a browser …
  filch analyze demo.filch                       … find out where its time went …
  filch trace info demo.filch                    … see what it holds …
  filch predict demo.filch --workers 1..16       … predict it with more workers …
  filch trace convert demo.filch demo.pftrace    … and see it in Perfetto's viewer

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a run got stuck in a deadlock of joins,
4 a simulated run was cut off at a limit of tasks or events.
In a checkout, ./filch builds the command first, and ./filch test runs all tests.)";

const char* const k_run_examples = R"(
Examples:
  filch run basic --log                          every event, in the format of the lesson
  filch run spawning --seed 7                    another seed: other durations and other children
  filch run adaptive --steal half --repeat 10    ten times; shows the spread
  filch run demo --round-robin                   the same jobs, in all queues in turn: little to steal
  filch run granularity --json                   output for programs
  filch run nqueens --size 10 --workers 2        a kernel, compared with its serial code
  filch run uts --tree T3                        a tree whose shape cannot be known beforehand
  filch run basic --time-scale 1                 in the scenario's own time: a second takes a second
  filch run joining --join=continuation --seed 5  coroutines that wait for their children, on any number of workers
  filch run joining --join=blocking --workers 1 --seed 5      threads that wait: a deadlock (exit code 3)

Tasks burn their duration in CPU time of their thread, so a task costs the same when threads share a CPU.
The seed decides durations and children, but not which thread is faster, so two runs differ in their steals.)";

// The arguments of every command.
struct words_said {
  run_arguments run;
  topology_arguments topology;
  policies_arguments policies;
  convert_arguments convert;
  info_arguments info;
  gantt_arguments gantt;
  report_arguments report;
  analyze_arguments analyze;
  record_arguments record;
  bench_words bench;
  simulation_words simulation;
  prediction_words prediction;
};

void add_run(CLI::App& app, run_arguments& into) {
  CLI::App* const run = app.add_subcommand("run", "Run a workload on real threads, with any policy");
  run->group("Commands");
  run->add_option("workload", into.workload, "the workload: see below")->type_name("WORKLOAD");
  run->add_option("--workers", into.workers, "threads that run tasks; default: the scenario's own number")
      ->type_name("N");
  run->add_option("--victims", into.victims, "which victim a thief visits: "s + names_text<victims>())
      ->type_name("NAME");
  run->add_option("--steal", into.steal, "how many tasks a thief takes: "s + names_text<steal>())->type_name("NAME");
  run->add_option("--order", into.order, "which end of its own queue a worker takes from: "s + names_text<order>())
      ->type_name("NAME");
  run->add_option("--idle", into.idle,
                  "how long to search before sleep: "s + names_text<idle>() + ", or fields: see filch policies")
      ->type_name("NAME");
  run->add_option("--wake", into.wake, "which worker a submission wakes: "s + names_text<wake>())->type_name("NAME");
  run->add_option("--placement", into.placement,
                  "where tasks begin, in place of the scenario's choice: "s + names_text<placement>())
      ->type_name("NAME");
  run->add_option("--deques", into.deques, "the workers' queues: "s + names_text<deques>())->type_name("NAME");
  run->add_flag("--pin", into.pin,
                "bind each worker to a CPU: --pin (spread), or --pin=NAME: "s + names_text<pinning>());
  run->add_option("--seed", into.seed, "seed of all random choices; default 1")->type_name("N");
  run->add_option("--repeat", into.repeat, "number of runs; shows the first in full, then the spread")->type_name("N");
  run->add_option("--time-scale", into.time_scale, "real seconds per second of the scenario; default 0.01")
      ->type_name("X");
  run->add_option("--size", into.size, "the size of a kernel; its line below says what is counted")->type_name("N");
  run->add_option("--tree", into.tree, "uts only: T1 (geometric, the default) or T3 (binomial)")->type_name("NAME");
  run->add_option(
         "--join", into.join,
         "joining only: tasks are coroutines whose joins suspend them (continuation) or their thread (blocking)")
      ->type_name("NAME");
  run->add_option("--trace", into.trace_file, "write the last recording: .json (Chrome), .filch or .pftrace (Perfetto)")
      ->type_name("FILE");
  run->add_option("--report", into.report_file, "write the last recording as an HTML page: .html")->type_name("FILE");
  run->add_flag("--gantt", into.gantt, "draw what each worker did, in characters");
  run->add_flag("--log", into.log, "print every submission, steal, start and end, in seconds of the scenario");
  run->add_flag("--json", into.json, "print one JSON object and nothing else");
  run->add_flag("--round-robin", into.round_robin, "demo only: put the jobs into all queues in turn");
  run->footer("\n"s + workloads_text() + k_run_examples);
  run->callback([&into] { run_command(into); });
}

void add_topology(CLI::App& app, topology_arguments& into) {
  CLI::App* const topology = app.add_subcommand("topology", "Show the machine as filch sees it, and the usable CPUs");
  topology->group("Commands");
  topology->add_option("--file", into.file, "show the machine of a file: filch's JSON or hwloc's XML")
      ->type_name("FILE");
  topology->add_flag("--json", into.json, "print one JSON object and nothing else");
  topology->footer("\nExamples:\n  filch topology\n  filch topology --json\n  filch topology --file machine.json");
  topology->callback([&into] { topology_command(into); });
}

void add_policies(CLI::App& app, policies_arguments& into) {
  CLI::App* const policies = app.add_subcommand("policies", "List every policy with one line about it");
  policies->group("Commands");
  policies->add_flag("--json", into.json, "print one JSON object and nothing else");
  policies->footer("\nExamples:\n  filch policies\n  filch policies --json");
  policies->callback([&into] { policies_command(into); });
}

void add_gantt(CLI::App& trace, gantt_arguments& into) {
  CLI::App* const gantt = trace.add_subcommand("gantt", "Draw what each worker did, in characters");
  gantt->group("Commands");
  gantt->add_option("recording", into.file, "a .filch file")->required()->type_name("FILE");
  gantt->add_option("--width", into.width, "columns, 40 to 1000; default: the terminal's, else 100")
      ->type_name("N")
      ->check(CLI::Range(40, 1000));
  gantt->footer(
      "\nExamples:\n  filch trace gantt demo.filch\n  filch trace gantt demo.filch --width 160\n\n"
      "Colours only on a terminal; none when NO_COLOR is set.");
  gantt->callback([&into] { gantt_command(into); });
}

void add_trace(CLI::App& app, convert_arguments& convert_into, info_arguments& info_into, gantt_arguments& gantt_into) {
  CLI::App* const trace = app.add_subcommand("trace", "Show, draw and convert recordings");
  trace->group("Commands");
  trace->footer("\nExamples:\n  filch trace info demo.filch\n  filch trace convert demo.filch demo.pftrace");
  CLI::App* const convert = trace->add_subcommand("convert", "Write a .filch recording as .json or .pftrace");
  convert->group("Commands");
  convert->add_option("recording", convert_into.from, "a .filch file")->required()->type_name("FILE");
  convert->add_option("output", convert_into.to, "the new file: .json, .pftrace or .filch")
      ->required()
      ->type_name("FILE");
  convert->add_flag("--failed-steals", convert_into.failed_steals, "also show failed looks at victims");
  convert->footer(
      "\nExamples:\n  filch trace convert demo.filch demo.json\n"
      "  filch trace convert demo.filch demo.pftrace --failed-steals");
  convert->callback([&convert_into] { convert_command(convert_into); });
  CLI::App* const info = trace->add_subcommand("info", "Describe the content of a .filch recording");
  info->group("Commands");
  info->add_option("recording", info_into.file, "a .filch file")->required()->type_name("FILE");
  info->add_flag("--json", info_into.json, "print one JSON object and nothing else");
  info->footer("\nExamples:\n  filch trace info demo.filch\n  filch trace info demo.filch --json");
  info->callback([&info_into] { info_command(info_into); });
  add_gantt(*trace, gantt_into);
  trace->callback([trace] {
    if (trace->get_subcommands().empty()) throw bad_usage("trace needs a command: convert, info, gantt");
  });
}

void add_report(CLI::App& app, report_arguments& into) {
  CLI::App* const report = app.add_subcommand("report", "Write a .filch recording as one HTML page");
  report->group("Commands");
  report->add_option("recording", into.from, "a .filch file")->required()->type_name("FILE");
  report->add_option("page", into.to, "the new page: .html")->required()->type_name("FILE");
  report->add_option("--beside", into.beside, "a second .filch file, on the same axis of time")->type_name("FILE");
  report->footer(
      "\nExamples:\n  filch run adaptive --trace adaptive.filch\n  filch report adaptive.filch adaptive.html\n"
      "  filch run adaptive --report adaptive.html      both commands at once\n"
      "  filch report measured.filch both.html --beside simulated.filch");
  report->callback([&into] { report_command(into); });
}

void add_record(CLI::App& app, record_arguments& into) {
  CLI::App* const record = app.add_subcommand("record", "Run a program that uses filch, and record it");
  record->group("Commands");
  record->add_option("-o,--output", into.file, "the recording; %p stands for the process number; default run.filch")
      ->type_name("FILE");
  record
      ->add_option("--detail", into.detail,
                   "which forks become tasks of the recording: beat (those open at a heartbeat, the default), every, "
                   "stolen (those that another worker takes)")
      ->type_name("NAME");
  record->add_option("--beat", into.beat_us, "microseconds between two heartbeats, 1 to 1000000; default 100")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  record->add_option("program", into.words, "the program and its arguments, after --")->type_name("PROGRAM");
  record->footer(
      "\nExamples:\n  filch record -- ./program 10\n  filch record -o sort.filch -- ./program --size 1000\n"
      "  filch record --detail every -- ./program 5\n  FILCH_TRACE=run.filch ./program 10     without the "
      "command"
      "\n  FILCH_WORKERS=1 filch record -- ./program 10       a recording for filch predict"
      "\n\nThe exit code is the program's. A second runtime of the program writes run.2.filch, and so on.");
  record->callback([&into] { record_command(into); });
}

// The innermost subcommand that was recognised.
const CLI::App& reached(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : reached(*chosen.front());
}

// "trace info: "; nothing for filch itself, whose name stands before every message.
std::string place_of(const CLI::App& app) {
  std::string place;
  for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent()) {
    place = at->get_name() + (place.empty() ? "" : " ") + place;
  }
  return place.empty() ? place : place + ": ";
}

// The error for a word that no option or command accepts.
std::string unexpected_text(const CLI::App& app, const std::string& word) {
  const CLI::App& at = reached(app);
  std::vector<std::string> known;
  const bool is_option = word.starts_with("-");
  if (is_option) {
    for (const CLI::Option* each : at.get_options()) {
      if (!each->get_lnames().empty()) known.push_back("--"s + each->get_lnames().front());
    }
  } else {
    for (const CLI::App* each : at.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(each->get_name());
    }
  }
  if (known.empty()) return place_of(at) + "\"" + word + "\" is an extra word; --help shows what is allowed";
  const std::vector<std::string_view> valid{known.begin(), known.end()};
  return policy::unknown_name(place_of(at) + (is_option ? "option" : "command"), word.substr(0, word.find('=')), valid);
}

}  // namespace

void run_command_line(int count, const char* const* words) {
  if (count <= 1) {
    tour_command();
    return;
  }
  if (count == 2 && words[1] == "help"s) {
    const char* const asked[] = {words[0], "--help"};
    run_command_line(2, asked);
    return;
  }
  words_said said;
  CLI::App app{"filch: a work-stealing runtime, its simulator and its analysis", "filch"};
  app.set_version_flag("--version", "filch " FILCH_VERSION, "Print the version and exit");
  app.footer(std::string{"\n"} + k_examples);
  app.get_formatter()->column_width(26);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  add_run(app, said.run);
  add_simulation(app, said.simulation);
  add_prediction(app, said.prediction);
  add_bench(app, said.bench);
  add_topology(app, said.topology);
  add_policies(app, said.policies);
  add_trace(app, said.convert, said.info, said.gantt);
  add_report(app, said.report);
  add_analyze(app, said.analyze);
  add_record(app, said.record);
  try {
    app.parse(count, words);
  } catch (const CLI::Success& asked) {
    app.exit(asked, std::cout, std::cerr);
  } catch (const CLI::ExtrasError&) {
    throw bad_usage(unexpected_text(app, app.remaining(true).front()));
  } catch (const CLI::ParseError& problem) {
    throw bad_usage(place_of(reached(app)) + problem.what());
  }
}

}  // namespace filch::tool
