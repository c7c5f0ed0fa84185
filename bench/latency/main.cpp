// The program filch_latency.
//
//   filch_latency --list              the names of all measurements
//   filch_latency --about             one JSON line: the compiler and its flags
//   filch_latency <name> <amount>     one JSON line: what was measured
#include "program.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

namespace {

int usage() {
  std::fputs("usage: filch_latency --list | --about | <name> <amount, a whole number from 1 on>\n", stderr);
  return 2;
}

int run(const filch_bench::measurement& what, std::uint64_t amount) {
  const char* before = "{";
  for (const auto& [name, value] : what.run(amount)) {
    std::printf("%s\"%s\": %.3f", before, name.c_str(), value);
    before = ", ";
  }
  std::puts("}");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<filch_bench::measurement> all;
  filch_bench::add_responsiveness(all);
  filch_bench::add_throughput(all);
  filch_bench::add_tracing(all);

  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& each : all) std::puts(each.name.c_str());
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--about") == 0) {
    std::printf("{\"compiler\": \"%s\", \"flags\": \"%s\"}\n", FILCH_BENCH_COMPILER, FILCH_BENCH_FLAGS);
    return 0;
  }
  if (argc != 3) return usage();
  std::uint64_t amount = 0;
  const char* const end = argv[2] + std::strlen(argv[2]);
  if (std::from_chars(argv[2], end, amount).ptr != end || amount == 0) return usage();
  for (const auto& each : all) {
    if (each.name == argv[1]) return run(each, amount);
  }
  std::fprintf(stderr, "filch_latency: no measurement is called \"%s\"; --list shows all\n", argv[1]);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "filch_latency: %s\n", error.what());
  return 1;
}
