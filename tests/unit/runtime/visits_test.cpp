// Visits to workers inside long functions: they take latent work and disturb no system call; or there are none where
// the options say so.
//
// Method: of two workers the second is kept busy while the first forks a function; so no thief has requested it, and it
// stays latent. Then the second one goes idle, and the first is inside a long function that does not fork: only a
// visitor can take the fork from it.
#include <support/spin_until.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using filch::join;
using filch_test::spin_until;

// While it lives, signals are counted; a call that one meets is not restarted. One at a time.
class counting_handler {
 public:
  counting_handler() {
    arrived = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { ++arrived; };
    ::sigemptyset(&action.sa_mask);
    EXPECT_EQ(::sigaction(SIGURG, &action, &before_), 0);
  }
  counting_handler(const counting_handler&) = delete;
  counting_handler& operator=(const counting_handler&) = delete;
  ~counting_handler() { EXPECT_EQ(::sigaction(SIGURG, &before_, nullptr), 0); }

  [[nodiscard]] static int count() { return arrived.load(); }

 private:
  static inline std::atomic<int> arrived{0};
  struct sigaction before_{};
};

// The first of two functions calls `step` until the second was taken by the other worker, at most so often. Was it?
bool fork_beside(filch::runtime& rt, int steps, const std::function<void()>& step) {
  std::atomic<bool> is_busy{false};
  std::atomic<bool> may_end{false};
  auto other = rt.submit_to(filch::worker_id{1}, [&] {
    is_busy = true;
    EXPECT_TRUE(spin_until([&] { return may_end.load(); }));
  });
  EXPECT_TRUE(spin_until([&] { return is_busy.load(); }));
  bool was_taken = false;
  rt.submit_to(filch::worker_id{0}, [&] {
      for (int i = 0; i != 20; ++i) join([] {}, [] {});  // they answer earlier requests
      std::atomic<bool> is_taken{false};
      std::atomic<bool> is_over{false};
      join(
          [&] {
            may_end = true;
            for (int i = 0; i != steps && !is_taken.load(); ++i) step();
            was_taken = is_taken.load();
            is_over = true;
          },
          [&] {
            if (!is_over.load()) is_taken = true;
          });
    }).get();
  other.get();
  return was_taken;
}

constexpr int k_until_taken = 30'000;  // steps of two milliseconds
constexpr int k_a_while = 20;          // … in which a thread would be visited

void sleep_a_step() { std::this_thread::sleep_for(std::chrono::milliseconds{2}); }

void expect_visits(filch::runtime& rt) { EXPECT_TRUE(fork_beside(rt, k_until_taken, sleep_a_step)); }
void expect_no_visits(filch::runtime& rt) {
  for (int i = 0; i != 5; ++i) EXPECT_FALSE(fork_beside(rt, k_a_while, sleep_a_step));
}

class visits : public testing::Test {
 protected:
  ~visits() override { set(before_ ? before_->c_str() : nullptr); }

  static void set(const char* value) {
    EXPECT_EQ(value != nullptr ? ::setenv("FILCH_INTERRUPTS", value, 1) : ::unsetenv("FILCH_INTERRUPTS"), 0);
  }

 private:
  const std::optional<std::string> before_ = std::getenv("FILCH_INTERRUPTS") != nullptr
                                                 ? std::optional<std::string>{std::getenv("FILCH_INTERRUPTS")}
                                                 : std::nullopt;
};

TEST_F(visits, take_work_from_a_worker_that_is_blocked_in_the_kernel) {
  filch::runtime rt{{.workers = 2}};
  for (int i = 0; i != 10; ++i) expect_visits(rt);
}

TEST_F(visits, take_work_from_a_worker_that_computes) {
  filch::runtime rt{{.workers = 2}};
  for (int i = 0; i != 10; ++i) {
    EXPECT_TRUE(fork_beside(rt, k_until_taken, [] {
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{2};
      while (std::chrono::steady_clock::now() < until) {}
    }));
  }
}

// The second function runs while the exception of the first is handled.
TEST_F(visits, reach_a_function_that_runs_behind_an_exception) {
  filch::runtime rt{{.workers = 2}};
  for (int i = 0; i != 5; ++i) {
    std::atomic<bool> was_taken{false};
    const auto forks = [&] {
      join([&] { EXPECT_TRUE(spin_until([&] { return was_taken.load(); })); }, [&] { was_taken = true; });
    };
    EXPECT_THROW(rt.run([&] { join([] { throw 1; }, forks); }), int);
  }
}

TEST_F(visits, are_not_made_where_the_options_say_so) {
  filch::runtime rt{{.workers = 2, .interrupts = false}};
  expect_no_visits(rt);
}

TEST_F(visits, are_not_made_where_the_environment_says_so) {
  set("off");
  filch::runtime rt{{.workers = 2}};
  expect_no_visits(rt);
}

TEST_F(visits, are_made_where_the_environment_says_so_or_nothing) {
  for (const char* const value : {"on", static_cast<const char*>(nullptr)}) {
    set(value);
    filch::runtime rt{{.workers = 2}};
    expect_visits(rt);
  }
}

TEST_F(visits, of_the_options_come_before_those_of_the_environment) {
  set("off");
  filch::runtime with{{.workers = 2, .interrupts = true}};
  expect_visits(with);
  set("on");
  filch::runtime without{{.workers = 2, .interrupts = false}};
  expect_no_visits(without);
}

TEST_F(visits, are_on_or_off_in_the_environment_and_nothing_else) {
  for (const char* const value : {"", "no", "OFF", "1"}) {
    set(value);
    try {
      filch::runtime rt{{.workers = 1}};
      ADD_FAILURE() << "\"" << value << "\" was taken";
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("FILCH_INTERRUPTS = \"" + std::string{value} + "\": allowed is \"on\" or \"off\""),
                std::string::npos)
          << text;
    }
  }
}

// ---- system calls ---------------------------------------------------------------------------------------------------

constexpr long k_wait_ns = 2'000'000;
constexpr int k_wait_ms = 2;

struct pipe_ends {
  int ends[2] = {-1, -1};

  pipe_ends() { EXPECT_EQ(::pipe(ends), 0); }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
};

// Each waits in the kernel for some milliseconds. False: it came back early, or with less than it was to do.
struct blocking_call {
  const char* name;
  bool (*is_whole)();
};

bool sleeps() {
  const timespec span{.tv_sec = 0, .tv_nsec = k_wait_ns};
  return ::nanosleep(&span, nullptr) == 0;
}
bool polls() {
  const pipe_ends empty;
  pollfd waited{.fd = empty.ends[0], .events = POLLIN, .revents = 0};
  return ::poll(&waited, 1, k_wait_ms) == 0;
}
bool selects() {
  const pipe_ends empty;
  fd_set waited;
  FD_ZERO(&waited);
  FD_SET(empty.ends[0], &waited);
  timeval span{.tv_sec = 0, .tv_usec = k_wait_ns / 1000};
  return ::select(empty.ends[0] + 1, &waited, nullptr, nullptr, &span) == 0;
}
bool waits_for_epoll() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event found{};
  const bool is_whole = ::epoll_wait(epoll, &found, 1, k_wait_ms) == 0;
  ::close(epoll);
  return is_whole;
}
bool receives() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const timeval span{.tv_sec = 0, .tv_usec = k_wait_ns / 1000};
  EXPECT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span), 0);
  char byte = 0;
  const bool is_whole = ::recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN;
  ::close(ends[0]);
  ::close(ends[1]);
  return is_whole;
}
bool waits_for_a_semaphore() {
  sem_t never;
  EXPECT_EQ(::sem_init(&never, 0, 0), 0);
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += k_wait_ns;
  if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
  const bool is_whole = ::sem_timedwait(&never, &until) == -1 && errno == ETIMEDOUT;
  ::sem_destroy(&never);
  return is_whole;
}
// More than fits at once: another thread reads it, slowly at first.
bool writes() {
  const pipe_ends full;
  constexpr std::size_t k_bytes = std::size_t{1} << 20;
  const std::vector<char> all(k_bytes);
  std::thread reader{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{k_wait_ms});
    std::array<char, 65536> part;
    for (std::size_t left = k_bytes; left != 0;) {
      const ssize_t got = ::read(full.ends[0], part.data(), std::min(part.size(), left));
      if (got <= 0) break;
      left -= static_cast<std::size_t>(got);
    }
  }};
  std::size_t done = 0;
  bool is_whole = true;
  while (done != k_bytes) {
    const ssize_t written = ::write(full.ends[1], all.data() + done, k_bytes - done);
    is_whole = is_whole && written == static_cast<ssize_t>(k_bytes);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  reader.join();
  return is_whole;
}

class system_call : public testing::TestWithParam<blocking_call> {};

// Forks are open beside the call, and another worker has nothing to do: it takes them.
TEST_P(system_call, beside_open_forks_is_not_disturbed) {
  filch::runtime rt{{.workers = 2}};
  const counting_handler handler;
  int disturbed = 0;
  for (int i = 0; i != 20; ++i) {
    const auto call = [&] { disturbed += GetParam().is_whole() ? 0 : 1; };
    EXPECT_TRUE(fork_beside(rt, k_until_taken, call));
  }
  EXPECT_EQ(disturbed, 0);
  EXPECT_EQ(handler.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(all, system_call,
                         testing::Values(blocking_call{"nanosleep", &sleeps}, blocking_call{"poll", &polls},
                                         blocking_call{"select", &selects},
                                         blocking_call{"epoll_wait", &waits_for_epoll},
                                         blocking_call{"recv", &receives},
                                         blocking_call{"sem_timedwait", &waits_for_a_semaphore},
                                         blocking_call{"write", &writes}),
                         [](const auto& given) { return given.param.name; });

}  // namespace
