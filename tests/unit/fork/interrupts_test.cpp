// Signals to workers inside long functions: sent, or not sent where interrupts are off.
//
// Method: of two workers the second is kept busy while the first forks a function; so nobody has asked for it, and it
// stays latent. Then the second one goes idle, and the first is inside a long function that does not fork: only a
// signal can make it give the fork away. Counted are all signals that arrive, in front of the library's own handler.
#include <support/spin_until.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

using filch::join;
using filch_test::spin_until;

// While it lives, signals are counted before the handler that was there gets them. One at a time.
class counting_handler {
 public:
  counting_handler() {
    arrived = 0;
    struct sigaction action{};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    EXPECT_EQ(::sigaction(SIGURG, nullptr, &before), 0);
    EXPECT_EQ(::sigaction(SIGURG, &action, nullptr), 0);
  }
  counting_handler(const counting_handler&) = delete;
  counting_handler& operator=(const counting_handler&) = delete;
  ~counting_handler() { EXPECT_EQ(::sigaction(SIGURG, &before, nullptr), 0); }

  [[nodiscard]] static int count() { return arrived.load(); }

 private:
  static void handle(int number, siginfo_t* info, void* context) {
    ++arrived;
    if ((before.sa_flags & SA_SIGINFO) != 0) before.sa_sigaction(number, info, context);
  }

  static inline std::atomic<int> arrived{0};
  static inline struct sigaction before{};
};

struct seen {
  bool was_taken;      // by the other worker, while the first function ran
  bool was_cut_short;  // did a sleep of the first function return early?
};

// The first function sleeps until the second was taken, but at most so many times.
seen fork_and_sleep(filch::runtime& rt, int sleeps) {
  std::atomic<bool> is_busy{false};
  std::atomic<bool> may_end{false};
  auto other = rt.submit_to(filch::worker_id{1}, [&] {
    is_busy = true;
    EXPECT_TRUE(spin_until([&] { return may_end.load(); }));
  });
  EXPECT_TRUE(spin_until([&] { return is_busy.load(); }));
  seen result{};
  rt.submit_to(filch::worker_id{0}, [&] {
      for (int i = 0; i != 20; ++i) join([] {}, [] {});  // they answer whoever has asked before
      std::atomic<bool> is_taken{false};
      std::atomic<bool> is_over{false};
      join(
          [&] {
            may_end = true;
            for (int i = 0; i != sleeps && !is_taken.load(); ++i) {
              const timespec span{.tv_sec = 0, .tv_nsec = 2'000'000};
              if (::nanosleep(&span, nullptr) != 0 && errno == EINTR) result.was_cut_short = true;
            }
            result.was_taken = is_taken.load();
            is_over = true;
          },
          [&] {
            if (!is_over.load()) is_taken = true;
          });
    }).get();
  other.get();
  return result;
}

// The library installs its handler when it first needs it, in front of what is there: so that comes first.
void install_handler_of_library() {
  filch::runtime rt{{.workers = 2, .interrupts = true}};
  EXPECT_TRUE(fork_and_sleep(rt, 30'000).was_taken);
}

constexpr int k_a_while = 20;  // sleeps, in which a thread would be interrupted

void expect_signals(filch::runtime& rt) {
  const counting_handler handler;
  EXPECT_TRUE(fork_and_sleep(rt, 30'000).was_taken);
  EXPECT_GT(handler.count(), 0);
}

void expect_no_signals(filch::runtime& rt) {
  const counting_handler handler;
  for (int i = 0; i != 5; ++i) {
    const seen result = fork_and_sleep(rt, k_a_while);
    EXPECT_FALSE(result.was_taken);
    EXPECT_FALSE(result.was_cut_short);
  }
  EXPECT_EQ(handler.count(), 0);
}

class interrupts : public testing::Test {
 protected:
  interrupts() { install_handler_of_library(); }
  ~interrupts() override { set(before_ ? before_->c_str() : nullptr); }

  static void set(const char* value) {
    EXPECT_EQ(value != nullptr ? ::setenv("FILCH_INTERRUPTS", value, 1) : ::unsetenv("FILCH_INTERRUPTS"), 0);
  }

 private:
  const std::optional<std::string> before_ = std::getenv("FILCH_INTERRUPTS") != nullptr
                                                 ? std::optional<std::string>{std::getenv("FILCH_INTERRUPTS")}
                                                 : std::nullopt;
};

TEST_F(interrupts, reach_a_worker_inside_a_long_function) {
  filch::runtime rt{{.workers = 2, .interrupts = true}};
  expect_signals(rt);
}

// The second function runs while the exception of the first is handled.
TEST_F(interrupts, reach_a_function_that_runs_behind_an_exception) {
  filch::runtime rt{{.workers = 2, .interrupts = true}};
  for (int i = 0; i != 5; ++i) {
    std::atomic<bool> was_taken{false};
    const auto forks = [&] {
      filch::join([&] { EXPECT_TRUE(filch_test::spin_until([&] { return was_taken.load(); })); },
                  [&] { was_taken = true; });
    };
    EXPECT_THROW(rt.run([&] { filch::join([] { throw 1; }, forks); }), int);
  }
}

TEST_F(interrupts, are_not_sent_where_the_options_say_so) {
  filch::runtime rt{{.workers = 2, .interrupts = false}};
  expect_no_signals(rt);
}

TEST_F(interrupts, are_not_sent_where_the_environment_says_so) {
  set("off");
  filch::runtime rt{{.workers = 2}};
  expect_no_signals(rt);
}

TEST_F(interrupts, are_sent_where_the_environment_says_so_or_nothing) {
  for (const char* const value : {"on", static_cast<const char*>(nullptr)}) {
    set(value);
    filch::runtime rt{{.workers = 2}};
    expect_signals(rt);
  }
}

TEST_F(interrupts, of_the_options_come_before_those_of_the_environment) {
  set("off");
  filch::runtime with{{.workers = 2, .interrupts = true}};
  expect_signals(with);
  set("on");
  filch::runtime without{{.workers = 2, .interrupts = false}};
  expect_no_signals(without);
}

TEST_F(interrupts, are_on_or_off_in_the_environment_and_nothing_else) {
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

}  // namespace
