// The options, help texts and examples of calibrate, predict and validate.
#include <CLI/CLI.hpp>
#include <filch/policy/options.hpp>
#include <string>
#include <string_view>

#include "../text.hpp"
#include "commands.hpp"

namespace filch::tool {
namespace {

template <class T>
std::string names_text() {
  std::string out;
  for (const std::string_view each : policy::names<T>::all) out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

// --json, --json FILE
void add_json(CLI::App& to, std::vector<std::string>& into) {
  to.add_option("--json", into, "write one JSON object to a file (.json); without a name print it and nothing else")
      ->type_name("[FILE]")
      ->expected(0, 1);
}

void add_calibrate(CLI::App& app, calibrate_arguments& into) {
  CLI::App* const calibrate =
      app.add_subcommand("calibrate", "Measure the costs of spawns, steals and wake-ups on this machine");
  calibrate->group("Commands");
  calibrate->add_option("-o,--out", into.out_file, "write a machine file for the simulator: .json")->type_name("FILE");
  calibrate->add_option("--rounds", into.rounds, "number of rounds, 7 or more; default 7")->type_name("N");
  calibrate->add_flag("--json", into.json, "print one JSON object and nothing else");
  calibrate->footer(
      "\nA round takes about a second. Medians and quartiles are over the rounds; a busy machine gives a warning.\n"
      "\nExamples:\n  filch calibrate -o here.json\n  filch sim bursts --machine here.json\n"
      "  filch predict run.filch --machine here.json");
  calibrate->callback([&into] { calibrate_command(into); });
}

void add_predict(CLI::App& app, predict_arguments& into) {
  CLI::App* const predict =
      app.add_subcommand("predict", "Predict a recorded run with other workers, policies and code");
  predict->group("Commands");
  predict->add_option("recording", into.recording, "a .filch file, preferably of a run with one worker")
      ->required()
      ->type_name("FILE");
  predict->add_option("--workers", into.workers, "numbers of workers: 1,2,8 or 1..64; default 1..64")->type_name("N,…");
  predict
      ->add_option("--machine", into.machine,
                   "costs of steals and wake-ups: a name of filch sim or a file; default two-core-vm")
      ->type_name("NAME");
  predict->add_option("--victims", into.victims, "which victim a thief visits: "s + names_text<policy::victims>())
      ->type_name("NAME");
  predict->add_option("--steal", into.steal, "how many tasks a thief takes: "s + names_text<policy::steal>())
      ->type_name("NAME");
  predict
      ->add_option("--order", into.order, "which of its own tasks a worker runs first: "s + names_text<policy::order>())
      ->type_name("NAME");
  predict
      ->add_option("--idle", into.idle,
                   "how long to search before sleep: "s + names_text<policy::idle>() + ", or fields")
      ->type_name("NAME");
  predict->add_option("--wake", into.wake, "which worker new work wakes: "s + names_text<policy::wake>())
      ->type_name("NAME");
  predict
      ->add_option(
          "--what-if", into.what_if,
          "change the program first: \"scale name=parse 0.5\", \"grain name=leaf 8\", \"cutoff name=leaf 50us\"; "
          "may be repeated")
      ->type_name("CHANGE")
      ->allow_extra_args(false);
  predict
      ->add_option("--inflation", into.inflation,
                   "factors by which work takes longer with more workers: 2=1.1,8=1.6; interpolated between them")
      ->type_name("N=X,…");
  predict
      ->add_option("--measured", into.measured,
                   "another recording of the same program, for comparison; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  predict
      ->add_option("--rank-at", into.rank_at,
                   "rank names by their gain with this number of workers; default: the greatest")
      ->type_name("N");
  predict->add_option("--seed", into.seed, "the first seed; default 1")->type_name("N");
  predict
      ->add_option("--seeds", into.seeds, "number of seeds; default 10, fewer for recordings of more than 200000 tasks")
      ->type_name("N");
  add_json(*predict, into.json);
  predict->add_option("--plot", into.plot_file, "draw the speed-ups: .svg")->type_name("FILE");
  predict->add_option("--report", into.report_file, "write an HTML page with the recording and the speed-ups: .html")
      ->type_name("FILE");
  predict->footer(
      "\nThe recorded tasks run again in simulation, with the policies of the runtime. 1..64 means about sixteen "
      "numbers of\n"
      "them; 1,2,3 means just these.\n"
      "\nExamples:\n  filch run spawning --workers 1 --trace run.filch\n"
      "  filch predict run.filch --workers 1..16\n"
      "  filch predict run.filch --workers 8 --victims nearest --steal half --machine two-socket-64\n"
      "  filch predict run.filch --what-if \"scale name=T1 0.5\" --plot speed.svg");
  predict->callback([&into] { predict_command(into); });
}

void add_validate(CLI::App& app, validate_arguments& into) {
  CLI::App* const validate =
      app.add_subcommand("validate", "Record kernels on one worker, predict, measure, and show the errors");
  validate->group("Commands");
  validate
      ->add_option("kernel", into.kernels,
                   "some of: fib, nqueens, uts-T1, uts-T3, mergesort, matmul, mandelbrot, tree-sum")
      ->type_name("KERNEL");
  validate->add_option("--workers", into.workers, "numbers of workers; default 1, 2 and the number of CPUs")
      ->type_name("N,…");
  validate->add_option("--rounds", into.rounds, "number of rounds of recordings and runs, 3 or more; default 7")
      ->type_name("N");
  validate->add_option("--machine", into.machine, "a machine file; default: calibrates this machine first")
      ->type_name("NAME");
  validate->add_flag("--quick", into.quick,
                     "small kernels and three rounds: a test of the command, not of the predictions");
  add_json(*validate, into.json);
  validate->footer(
      "\nA prediction uses recordings with one worker and the machine file, never the run that it is "
      "compared\n"
      "with. Kernels bound by memory are listed apart; their measured inflation of work is an input.\n"
      "\nExamples:\n  filch validate\n  filch validate fib nqueens --workers 1,2 --json errors.json");
  validate->callback([&into] { validate_command(into); });
}

}  // namespace

void add_prediction(CLI::App& app, prediction_words& into) {
  add_calibrate(app, into.calibrate);
  add_predict(app, into.predict);
  add_validate(app, into.validate);
}

}  // namespace filch::tool
