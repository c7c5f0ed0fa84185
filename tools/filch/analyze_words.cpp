// The options of filch analyze.
#include "analyze_command.hpp"

#include <CLI/CLI.hpp>

namespace filch::tool {

void add_analyze(CLI::App& app, analyze_arguments& into) {
  CLI::App* const analyze =
      app.add_subcommand("analyze", "Show where the time of a recorded run went, and what caused its loss");
  analyze->group("Commands");
  analyze->add_option("recording", into.file, "a .filch file")->required()->type_name("FILE");
  analyze->add_option("--baseline", into.baseline, "a .filch file of the same program, to compare the work with")
      ->type_name("FILE");
  analyze
      ->add_option("--report", into.report,
                   "write an HTML page: .html, with the verdicts, and the same tasks simulated")
      ->type_name("FILE");
  analyze->add_option("--picture", into.picture, "write a small picture of the workers and their time: .svg")
      ->type_name("FILE");
  analyze->add_flag("--json", into.json, "print one JSON object and nothing else");
  analyze->footer(
      "\nExamples:\n  filch run spawning --trace run.filch && filch analyze run.filch\n"
      "  filch analyze run.filch --report run.html\n"
      "  filch analyze run.filch --json\n"
      "  filch analyze on_8.filch --baseline on_1.filch\n\n"
      "Verdicts: serial-phase, oversized-task, too-few-tasks, hot-lock, blocking-call, fine-tasks, blocked-in-kernel,\n"
      "memory-bound, work-inflation (with --baseline), starving-policy, busy-machine; ok when there is none,\n"
      "no-work when no task took any time. A fault is reported when it costs 10 % of the workers'\n"
      "time. The end of the output lists what the analysis could not see.");
  analyze->callback([&into] { analyze_command(into); });
}

}  // namespace filch::tool
