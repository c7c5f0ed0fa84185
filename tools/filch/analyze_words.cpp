// The options of filch analyze.
#include "analyze_command.hpp"

#include <CLI/CLI.hpp>

namespace filch::tool {

void add_analyze(CLI::App& app, analyze_arguments& into) {
  CLI::App* const analyze =
      app.add_subcommand("analyze", "Say where the time of a recorded run went, and whose fault it is");
  analyze->group("Commands");
  analyze->add_option("recording", into.file, "a .filch file")->required()->type_name("FILE");
  analyze
      ->add_option("--baseline", into.baseline, "a .filch file of the same program: how much its work has grown since")
      ->type_name("FILE");
  analyze
      ->add_option("--report", into.report,
                   "write a page: .html, with the verdicts, and the measured run beside the same tasks simulated")
      ->type_name("FILE");
  analyze->add_option("--picture", into.picture, "write a small picture: .svg, with the workers and their time")
      ->type_name("FILE");
  analyze->add_flag("--json", into.json, "print one JSON object and nothing else");
  analyze->footer(
      "\nExamples:\n  filch run spawning --trace run.filch && filch analyze run.filch\n"
      "  filch analyze run.filch --report run.html\n"
      "  filch analyze run.filch --json\n"
      "  filch analyze on_8.filch --baseline on_1.filch\n\n"
      "Verdicts: serial-phase, oversized-task, too-few-tasks, hot-lock, blocking-call, fine-tasks, blocked-in-kernel,\n"
      "memory-bound, work-inflation (with --baseline), starving-policy, busy-machine; ok when there is none,\n"
      "no-work when no task took any time. A fault is named when it costs 10 % of the workers'\n"
      "time. What nobody looked at is listed last.");
  analyze->callback([&into] { analyze_command(into); });
}

}  // namespace filch::tool
