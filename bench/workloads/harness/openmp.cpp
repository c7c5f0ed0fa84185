#include <omp.h>

#include "program.hpp"

namespace filch::bench {

#if defined(__clang__)
constinit const std::string_view k_runtime = "OpenMP (libomp)";
#else
constinit const std::string_view k_runtime = "OpenMP (libgomp)";
#endif

void with_threads(unsigned threads, bool is_inside, const std::function<void()>& body) {
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(threads));
  if (!is_inside) return body();
#pragma omp parallel
#pragma omp single
  body();
}

}  // namespace filch::bench
