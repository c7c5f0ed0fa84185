// Implicit seq_cst does not exist in a kernel.
// expect: load
#include <filch/base/atomics.hpp>

int read(const filch::std_atomics::atomic<int>& word) {
#ifdef FILCH_VALID
  return word.load(std::memory_order_relaxed);  // statistic
#else
  return word.load();
#endif
}
