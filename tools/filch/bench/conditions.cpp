#include "conditions.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
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

double all_cpu_s() {
  std::ifstream in{"/proc/stat"};
  std::string word;
  in >> word;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  double irq = 0;
  double soft = 0;
  in >> user >> nice >> system >> idle >> waiting >> irq >> soft;
  return (user + nice + system + irq + soft) / static_cast<double>(::sysconf(_SC_CLK_TCK));
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

condition_watch::condition_watch() : load_before_{load_average()}, all_s_{all_cpu_s()}, own_s_{own_cpu_s()} {}

bench_conditions condition_watch::until_now() const {
  const double span_s = static_cast<double>(std::max<time_ns>(monotonic_now_ns() - at_ns_, 1)) * 1e-9;
  const double foreign_s = all_cpu_s() - all_s_ - (own_cpu_s() - own_s_);
  utsname system{};
  ::uname(&system);
  return {.date = today(),
          .cpu = cpu_name(),
          .cpus = topology::usable_cpus().cpus.size(),
          .kernel = system.release,
          .load_before = load_before_,
          .load_after = load_average(),
          .foreign_cpus = std::max(0.0, foreign_s / span_s)};
}

}  // namespace filch::tool
