// Two functions as OpenMP tasks.
#pragma once

namespace filch::bench {

template <class F, class G>
inline void omp_join(const F& first, const G& second) {
#pragma omp task default(shared)
  first();
  second();
#pragma omp taskwait
}

}  // namespace filch::bench
