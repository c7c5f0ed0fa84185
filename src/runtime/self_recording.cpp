#include "self_recording.hpp"

#include "base/escape.hpp"
#include "trace/spill.hpp"

#include <filch/topology/usable_cpus.hpp>
#include <filch/trace/recording.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace filch::inline v0 {
namespace {

// The sessions that are open. Never destroyed: exit() may come while runtimes still run.
struct open_sessions {
  std::mutex mutex;
  // Guarded by mutex.
  std::vector<trace::session*> all;
  std::uint64_t made = 0;
  std::terminate_handler terminate_before = nullptr;
};
open_sessions& sessions() {
  static open_sessions* const the_ones = new open_sessions;
  return *the_ones;
}

void tell_of(const trace::spill_summary& said) {
  if (said.error.empty()) return;
  std::fprintf(stderr, "filch: the recording %s ends early: %s\n", escape::shown(said.file).c_str(),
               escape::shown(said.error).c_str());
}

void finish_all() {
  open_sessions& open = sessions();
  const std::lock_guard lock{open.mutex};
  for (trace::session* const each : open.all) tell_of(each->finish());
}

[[noreturn]] void finish_all_and_terminate() {
  open_sessions& open = sessions();
  std::terminate_handler before = nullptr;
  {
    std::unique_lock lock{open.mutex, std::try_to_lock};
    if (lock.owns_lock()) {
      for (trace::session* const each : open.all) each->finish_in_emergency();
    }
    before = open.terminate_before;
  }
  if (before != nullptr) before();
  std::abort();
}

// The number of this session, from 1.
std::uint64_t next_number() {
  open_sessions& open = sessions();
  const std::lock_guard lock{open.mutex};
  if (open.made == 0) {
    open.terminate_before = std::set_terminate(&finish_all_and_terminate);
    (void)std::atexit(&finish_all);
  }
  return ++open.made;
}

std::string file_name(std::string_view pattern, std::uint64_t number) {
  std::string out;
  for (std::size_t i = 0; i != pattern.size(); ++i) {
    const char next = i + 1 != pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '%' && next == 'p') out += std::to_string(::getpid()), ++i;
    else if (pattern[i] == '%' && next == '%') out += '%', ++i;
    else out += pattern[i];
  }
  return number == 1 ? out : trace::with_number(out, number);
}

trace::fork_detail detail_from_environment() {
  const char* const text = std::getenv("FILCH_TRACE_DETAIL");
  if (text == nullptr) return trace::fork_detail::beat;
  const std::string value{text};
  if (value == "stolen") return trace::fork_detail::stolen;
  if (value == "beat") return trace::fork_detail::beat;
  if (value == "every") return trace::fork_detail::every;
  throw std::invalid_argument("FILCH_TRACE_DETAIL = \"" + value + "\": allowed is \"stolen\", \"beat\" or \"every\"");
}

time_ns beat_from_environment() {
  const char* const text = std::getenv("FILCH_TRACE_BEAT_US");
  if (text == nullptr) return trace::session_options::k_default_beat_ns;
  char* end = nullptr;
  const long long us = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || us < 1 || us > 1'000'000) {
    throw std::invalid_argument("FILCH_TRACE_BEAT_US = \"" + std::string{text} +
                                "\": allowed is a whole number of microseconds from 1 to 1000000");
  }
  return us * k_ns_per_us;
}

bool thread_usage_from_environment() {
  const char* const text = std::getenv("FILCH_TRACE_THREADS");
  if (text == nullptr) return true;
  const std::string value{text};
  if (value == "on") return true;
  if (value == "off") return false;
  throw std::invalid_argument("FILCH_TRACE_THREADS = \"" + value + "\": allowed is \"on\" or \"off\"");
}

// The words that the program was called with.
std::string command_line() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  std::ostringstream all;
  all << file.rdbuf();
  std::string words = std::move(all).str();
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

std::vector<std::pair<std::string, std::string>> extra_of(const std::string& runtime) {
  std::vector<std::pair<std::string, std::string>> out;
  const char* const run = std::getenv("FILCH_TRACE_RUN");
  if (run != nullptr && *run != '\0') out.emplace_back(trace::k_run_key, run);
  out.emplace_back("program", command_line());
  out.emplace_back("runtime", runtime);
  out.emplace_back("process", std::to_string(::getpid()));
  out.emplace_back("processors", std::to_string(topology::usable_cpus().count));
  return out;
}

}  // namespace

void end_recording::operator()(trace::session* session) const noexcept {
  try {
    tell_of(session->finish());
    open_sessions& open = sessions();
    const std::lock_guard lock{open.mutex};
    std::erase(open.all, session);
  } catch (...) {
    // No memory for what is left: the file ends before it.
  }
  delete session;
}

owned_session record_if_asked(const options& chosen, std::uint32_t workers, const std::string& policy) {
  const char* const asked = std::getenv("FILCH_TRACE");
  if (asked == nullptr || *asked == '\0') return nullptr;
  trace::session_options how{.workers = workers,
                             .about = {.workers = workers,
                                       .seed = chosen.seed,
                                       .source = "threads",
                                       .policy = policy,
                                       .extra = extra_of(chosen.name)},
                             .forks = detail_from_environment(),
                             .beat_ns = beat_from_environment(),
                             .thread_usage = thread_usage_from_environment()};
  how.spill = file_name(asked, next_number());
  try {
    owned_session made{new trace::session{std::move(how)}};
    open_sessions& open = sessions();
    const std::lock_guard lock{open.mutex};
    open.all.push_back(made.get());
    made->start();
    return made;
  } catch (const std::runtime_error& problem) {
    std::fprintf(stderr, "filch: FILCH_TRACE = \"%s\": %s. Nothing is recorded.\n", escape::shown(asked).c_str(),
                 escape::shown(problem.what()).c_str());
    return nullptr;
  }
}

}  // namespace filch::inline v0
