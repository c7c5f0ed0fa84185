#include <filch/topology/pin_thread.hpp>

#include <cerrno>
#include <memory>
#include <new>
#include <sched.h>

namespace filch::inline v0::topology {

namespace {

struct mask_deleter {
  void operator()(cpu_set_t* mask) const noexcept { CPU_FREE(mask); }
};
// A kernel mask of any size; the fixed one of the C library ends at CPU 1023.
using kernel_mask = std::unique_ptr<cpu_set_t, mask_deleter>;

template <class Cpus>
std::error_code set_affinity(pthread_t which, const Cpus& cpus, cpu_number largest) noexcept {
  if (largest >= k_max_cpus) return std::make_error_code(std::errc::invalid_argument);
  const kernel_mask mask{CPU_ALLOC(largest + 1)};
  if (!mask) return std::make_error_code(std::errc::not_enough_memory);
  const std::size_t bytes = CPU_ALLOC_SIZE(largest + 1);
  CPU_ZERO_S(bytes, mask.get());
  for (const cpu_number cpu : cpus) CPU_SET_S(cpu, bytes, mask.get());
  return {::pthread_setaffinity_np(which, bytes, mask.get()), std::generic_category()};
}

}  // namespace

std::error_code pin_thread(cpu_number cpu) noexcept { return pin_thread(::pthread_self(), cpu); }

std::error_code pin_thread(const cpu_set& cpus) noexcept {
  if (cpus.empty()) return std::make_error_code(std::errc::invalid_argument);
  return set_affinity(::pthread_self(), cpus, cpus.back());
}

std::error_code pin_thread(pthread_t which, cpu_number cpu) noexcept {
  const cpu_number one[] = {cpu};
  return set_affinity(which, one, cpu);
}

std::optional<cpu_set> thread_affinity() {
  // The kernel refuses a mask shorter than its own with EINVAL, so try longer ones.
  for (cpu_number limit = 1024; limit <= k_max_cpus; limit *= 2) {
    const kernel_mask mask{CPU_ALLOC(limit)};
    if (!mask) return std::nullopt;
    const std::size_t bytes = CPU_ALLOC_SIZE(limit);
    CPU_ZERO_S(bytes, mask.get());
    if (::sched_getaffinity(0, bytes, mask.get()) != 0) {
      if (errno == EINVAL) continue;
      return std::nullopt;
    }
    std::vector<cpu_number> cpus;
    for (cpu_number cpu = 0; cpu != limit; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, mask.get())) cpus.push_back(cpu);
    }
    return cpu_set{std::move(cpus)};
  }
  return std::nullopt;
}

std::optional<cpu_number> current_cpu() noexcept {
  const int cpu = ::sched_getcpu();
  if (cpu < 0) return std::nullopt;
  return static_cast<cpu_number>(cpu);
}

away_from::away_from(const cpu_set& crowded) noexcept {
  try {
    std::optional<cpu_set> allowed = thread_affinity();
    if (!allowed) return;
    std::vector<cpu_number> left;
    for (const cpu_number cpu : *allowed) {
      if (!crowded.contains(cpu)) left.push_back(cpu);
    }
    if (left.size() == allowed->size()) return;
    cpu_set narrow{std::move(left)};
    if (pin_thread(narrow)) return;
    before_ = *std::move(allowed);
    narrow_ = std::move(narrow);
  } catch (const std::bad_alloc&) {
    // It stays where it is.
  }
}

away_from::~away_from() {
  try {
    if (narrow_ && thread_affinity() == narrow_) (void)pin_thread(before_);  // it was allowed before
  } catch (const std::bad_alloc&) {
    (void)pin_thread(before_);
  }
}

}  // namespace filch::inline v0::topology
