#include "conditions.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filch/topology/usable_cpus.hpp>
#include <fstream>

namespace filch::tool {
namespace {

double load_average() {
  double value = 0;
  std::ifstream{"/proc/loadavg"} >> value;
  return value;
}

std::string cpu_name() {
  std::ifstream lines{"/proc/cpuinfo"};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(": ") + 2));
  }
  return "unknown CPU";
}

std::string today() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

// Seconds of all CPUs together.
struct cpu_times {
  double used_s;
  double taken_s;  // by the host
};

cpu_times all_cpu_times() {
  const char* const other = std::getenv("FILCH_BENCH_STAT");
  std::ifstream in{other == nullptr ? "/proc/stat" : other};
  std::string word;
  in >> word;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  double irq = 0;
  double soft = 0;
  double taken = 0;
  in >> user >> nice >> system >> idle >> waiting >> irq >> soft >> taken;
  const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {(user + nice + system + irq + soft) / ticks_per_s, taken / ticks_per_s};
}

double seconds_since(time_ns at_ns) {
  return static_cast<double>(std::max<time_ns>(monotonic_now_ns() - at_ns, 1)) * 1e-9;
}

double own_cpu_s() {
  double sum = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    sum += static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  }
  return sum;
}

}  // namespace

host_watch::host_watch() : taken_s_{all_cpu_times().taken_s} {}

double host_watch::share() const {
  const double cpus = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(0.0, (all_cpu_times().taken_s - taken_s_) / (seconds_since(at_ns_) * cpus));
}

condition_watch::condition_watch()
    : load_before_{load_average()}, all_s_{all_cpu_times().used_s}, own_s_{own_cpu_s()} {}

bench_conditions condition_watch::until_now() const {
  const double foreign_s = all_cpu_times().used_s - all_s_ - (own_cpu_s() - own_s_);
  utsname system{};
  ::uname(&system);
  return {.date = today(),
          .cpu = cpu_name(),
          .cpus = topology::usable_cpus().cpus.size(),
          .kernel = system.release,
          .load_before = load_before_,
          .load_after = load_average(),
          .foreign_cpus = std::max(0.0, foreign_s / seconds_since(at_ns_)),
          .host_share = host_.share()};
}

}  // namespace filch::tool
