// The program filch_micro: Google Benchmark's main, with the compiler and its flags in the context.
#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  benchmark::AddCustomContext("compiler", FILCH_BENCH_COMPILER);
  benchmark::AddCustomContext("flags", FILCH_BENCH_FLAGS);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
