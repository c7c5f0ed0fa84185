#include <filch/base/atomics.hpp>

#include <filch/base/assert.hpp>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace filch::inline v0 {
namespace {

// From this size on an array is a mapping of its own, so that its pages can be given back one by one.
constexpr std::size_t k_mapped_from_bytes = 64 * 1024;

}  // namespace

bool std_atomics::futex_wait_word(const void* word, std::uint32_t expected, time_ns deadline_ns) {
  timespec until{};
  if (deadline_ns != k_never_ns) {
    if (deadline_ns < 0) deadline_ns = 0;  // long past; the system takes no negative time
    until.tv_sec = deadline_ns / k_ns_per_s;
    until.tv_nsec = deadline_ns % k_ns_per_s;
  }
  // WAIT_BITSET takes an absolute time on the monotonic clock: an interrupted wait can be repeated as it is.
  const long result = ::syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                                deadline_ns == k_never_ns ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (result == 0) return true;
  FILCH_ASSERT(errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT, errno);
  return errno != ETIMEDOUT;
}

void std_atomics::futex_wake_word(const void* word, std::uint32_t count) {
  const auto limit = count > static_cast<std::uint32_t>(INT_MAX) ? INT_MAX : static_cast<int>(count);
  ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, limit, nullptr, nullptr, 0);
}

bool std_atomics::prepare_heavy_fence() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool std_atomics::has_heavy_fence() noexcept {
  constexpr long k_needed = MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED;
  const long offered = ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return offered >= 0 && (offered & k_needed) == k_needed;
}

bool std_atomics::fence_all_threads() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void* std_atomics::allocate_bytes(std::size_t bytes, std::size_t alignment) {
  if (bytes < k_mapped_from_bytes) return ::operator new(bytes, std::align_val_t{alignment});
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void std_atomics::free_bytes(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes < k_mapped_from_bytes) {
    ::operator delete(memory, std::align_val_t{alignment});
  } else {
    ::munmap(memory, bytes);
  }
}

void std_atomics::discard_bytes(void* memory, std::size_t bytes) noexcept {
  if (bytes >= k_mapped_from_bytes) ::madvise(memory, bytes, MADV_DONTNEED);
}

}  // namespace filch::inline v0
