// check::run: the loop over executions, the environment, and the report.
#include "check.hpp"

#include "engine.hpp"
#include "explorer.hpp"

#include <filch/base/assert.hpp>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
#define FILCH_CHECK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FILCH_CHECK_ASAN 1
#endif
#endif
#ifdef FILCH_CHECK_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace filch::check {
namespace {

std::string with_values(std::string text, const assert_value* values, unsigned count) {
  for (unsigned i = 0; i != count; ++i) text += concat({i == 0 ? ": " : ", ", format_value(values[i])});
  return text;
}

// FILCH_ASSERT inside an execution fails the execution.
void fail_execution(const char* condition, const char* names, const assert_value* values, unsigned count,
                    std::source_location where) {
  if (!engine::is_running()) return;
  std::string text = "assertion failed: " + std::string(condition) + " at " + format_where(where);
  if (count != 0) text = with_values(text + " with " + names, values, count);
  engine::get().fail(failure::assertion, std::move(text));
}

class assert_guard {
 public:
  assert_guard() : before_{set_assert_handler(&fail_execution)} {}
  assert_guard(const assert_guard&) = delete;
  assert_guard& operator=(const assert_guard&) = delete;
  ~assert_guard() { set_assert_handler(before_); }

 private:
  assert_handler before_;
};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

// The options as the environment changes them. Whether this run replays is in the mode.
options with_environment(options how) {
  if (const auto weaken = environment("FILCH_CHECK_WEAKEN"); !weaken.empty()) {
    how.weaken += concat({how.weaken.empty() ? "" : ",", weaken});
  }
  if (const auto text = environment("FILCH_SEED"); !text.empty()) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size()) {
      throw std::invalid_argument("FILCH_SEED: \"" + std::string(text) + "\" is not a number from 0 to 2^64 - 1");
    }
    if (auto* r = std::get_if<random>(&how.mode)) r->seed = seed;
    if (auto* p = std::get_if<pct>(&how.mode)) p->seed = seed;
  }
  if (auto path = environment("FILCH_CHECK_REPLAY"); !path.empty()) {
    const auto at = path.find('@');
    const bool is_mine = at == std::string_view::npos || path.substr(0, at) == how.name;
    if (at != std::string_view::npos) path.remove_prefix(at + 1);
    if (is_mine) how.mode = replay{std::string(path)};
  }
  return how;
}

std::string report_of(const result& r, const options& how, const explorer& chooser) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string out = "filch model check";
  if (!how.name.empty()) out += concat({" \"", how.name, "\""});
  out += concat({": ", chooser.describe(), ", ", number(r.executions), " executions, ", number(r.operations),
                 " operations", r.exhausted ? ", all seen" : "", "\n"});
  if (!how.weaken.empty()) {
    out += concat({"  weakened by ", how.weaken, ": ", number(r.weaken_matched), " operations matched, ",
                   number(r.weaken_changed), " changed\n"});
    if (r.weaken_matched == 0) out += "  warning: no operation at that line was executed\n";
  }
  if (r.failed) {
    out += concat({"  failed (", name_of(r.kind), ") in execution ", number(r.iteration), ": ", r.message, "\n"});
  }
  out += r.schedule;
  if (r.failed) {
    out += concat({"  replay: FILCH_CHECK_REPLAY='", how.name, how.name.empty() ? "" : "@", r.path, "' ",
                   program_invocation_short_name, "\n"});
  }
  return out;
}

}  // namespace

result run(const options& wanted, const std::function<void(context&)>& body) {
  const options how = with_environment(wanted);
  const bool is_replay = std::holds_alternative<replay>(how.mode);
  const auto chooser = make_explorer(how);
  engine machine(how, *chooser);
  const assert_guard guard;
  result r;
  // Objects of an abandoned execution are forgotten; A::make and A::destroy have a leak check of their own.
#ifdef FILCH_CHECK_ASAN
  __lsan_disable();
#endif
  for (std::uint64_t iteration = 0; !r.failed && chooser->begin(iteration); ++iteration) {
    machine.execute(body);
    chooser->end(machine.steps());
    ++r.executions;
    r.operations += machine.steps();
    if (machine.failed_as() == failure::none && !is_replay) continue;
    r.failed = machine.failed_as() != failure::none;
    r.kind = machine.failed_as();
    r.message = machine.message();
    r.schedule = machine.format_schedule();
    r.path = encode_path(chooser->choices());
    r.iteration = chooser->number_of(iteration);
  }
#ifdef FILCH_CHECK_ASAN
  __lsan_enable();
#endif
  r.exhausted = chooser->is_exhausted();
  r.weaken_matched = machine.weakened().matched;
  r.weaken_changed = machine.weakened().changed;
  r.report = report_of(r, how, *chooser);
  const bool is_environment_replay = is_replay && !std::holds_alternative<replay>(wanted.mode);
  if ((r.failed && how.print_failure) || is_environment_replay) std::fputs(r.report.c_str(), stderr);
  return r;
}

bool is_running() { return engine::is_running(); }

void fail(const char* message, const assert_value* values, unsigned count) {
  engine::get().fail(failure::assertion, with_values(message, values, count));
}

unsigned choose(unsigned count) { return engine::get().choose(count); }

void note(std::string_view text) { engine::get().note(text); }

void context::thread(std::string_view name, std::function<void()> function) {
  engine::get().spawn(name, std::move(function));
}

void context::join_all(std::source_location where) { engine::get().join_all(where); }

}  // namespace filch::check
