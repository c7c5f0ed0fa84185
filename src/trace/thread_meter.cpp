#include "trace/thread_meter.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace filch::inline v0::trace {
namespace {

// The thread had no processor for so long: worth a look why.
constexpr time_ns k_worth_a_look_ns = 10 * k_ns_per_us;  // guess

class errno_kept {
 public:
  errno_kept() = default;
  errno_kept(const errno_kept&) = delete;
  errno_kept& operator=(const errno_kept&) = delete;
  ~errno_kept() { errno = before_; }

 private:
  const int before_ = errno;
};

std::uint64_t cpu_time_ns() {
  timespec used{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * static_cast<std::uint64_t>(k_ns_per_s) +
         static_cast<std::uint64_t>(used.tv_nsec);
}

// "time on a processor, time waiting for one, times it got one"; none: the kernel keeps no such file.
std::optional<std::uint64_t> run_queue_ns() {
  const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[96];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  if (size <= 0) return std::nullopt;
  const char* const end = text + size;
  const char* const blank = static_cast<const char*>(std::memchr(text, ' ', static_cast<std::size_t>(size)));
  if (blank == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  if (std::from_chars(blank + 1, end, value).ec != std::errc{}) return std::nullopt;
  return value;
}

// Counts in the program itself, not in the kernel: what a system allows by default.
int open_counter(std::uint64_t which, int leader) {
  perf_event_attr how;
  std::memset(&how, 0, sizeof how);
  how.size = sizeof how;
  how.type = PERF_TYPE_HARDWARE;
  how.config = which;
  how.exclude_kernel = 1;
  how.exclude_hv = 1;
  how.read_format = PERF_FORMAT_GROUP;
  return static_cast<int>(::syscall(SYS_perf_event_open, &how, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

constexpr std::size_t k_first_counter = static_cast<std::size_t>(thread_resource::cycles);

}  // namespace

[[gnu::noinline]] thread_meter& thread_meter::of_this_thread() noexcept {
  static thread_local thread_meter mine;
  return mine;
}

thread_meter::~thread_meter() { close_counters(); }

void thread_meter::close_counters() noexcept {
  for (int& each : counters_) {
    if (each >= 0) ::close(each);
    each = -1;
  }
}

// A counter that is not there leaves its place empty; without the first there is none.
void thread_meter::open_counters() noexcept {
  constexpr std::uint64_t k_which[k_counters] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                                 PERF_COUNT_HW_CACHE_MISSES};
  for (std::size_t i = 0; i != k_counters; ++i) {
    if (i == 0 || counters_[0] >= 0) counters_[i] = open_counter(k_which[i], i == 0 ? -1 : counters_[0]);
    looked_at_.at[k_first_counter + i] = counters_[i] >= 0 ? 1 : 0;
  }
}

std::uint64_t thread_meter::begin(const void* reader, time_ns now_ns) noexcept {
  const errno_kept before;
  reader_ = reader;
  read_ns_ = now_ns;
  const auto thread = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  // Another number: this is the copy of a thread in a child of fork(), and the counters are those of its parent.
  if (thread != thread_) {
    thread_ = thread;
    close_counters();
    open_counters();
  }
  looked_at_[thread_resource::cpu_ns] = 1;
  looked_at_[thread_resource::run_queue_ns] = run_queue_ns() ? 1 : 0;
  looked_at_[thread_resource::voluntary] = 1;
  looked_at_[thread_resource::involuntary] = 1;
  read_[thread_resource::cpu_ns] = cpu_time_ns();
  read_switches(read_);
  read_counters(read_);
  keep();
  return thread;
}

void thread_meter::read_switches(thread_amounts& into) noexcept {
  rusage used{};
  if (::getrusage(RUSAGE_THREAD, &used) == 0) {
    into[thread_resource::voluntary] = static_cast<std::uint64_t>(used.ru_nvcsw);
    into[thread_resource::involuntary] = static_cast<std::uint64_t>(used.ru_nivcsw);
  }
  if (looked_at_[thread_resource::run_queue_ns] == 0) return;
  if (const auto waited_ns = run_queue_ns()) into[thread_resource::run_queue_ns] = *waited_ns;
}

void thread_meter::read_counters(thread_amounts& into) noexcept {
  if (counters_[0] < 0) return;
  std::uint64_t values[1 + k_counters];  // how many, and one for each that is open
  if (::read(counters_[0], values, sizeof values) <= 0) return;
  std::size_t next = 1;
  for (std::size_t i = 0; i != k_counters && next <= values[0]; ++i) {
    if (counters_[i] >= 0) into.at[k_first_counter + i] = values[next++];
  }
}

thread_amounts thread_meter::read(time_ns now_ns) noexcept {
  const errno_kept before;
  read_ns_ = now_ns;
  read_[thread_resource::cpu_ns] = cpu_time_ns();
  const auto on_cpu_ns = static_cast<time_ns>(read_[thread_resource::cpu_ns] - kept_[thread_resource::cpu_ns]);
  if (now_ns - kept_ns_ - on_cpu_ns >= k_worth_a_look_ns) read_switches(read_);
  read_counters(read_);
  thread_amounts out;
  for (std::size_t i = 0; i != k_thread_resources; ++i) out.at[i] = read_.at[i] - kept_.at[i];
  return out;
}

void thread_meter::keep() noexcept {
  kept_ns_ = read_ns_;
  kept_ = read_;
}

}  // namespace filch::inline v0::trace
