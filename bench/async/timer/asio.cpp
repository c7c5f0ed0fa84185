// Timers that all run at the same time; and timers that are set and never fire.
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>

#include "../harness/asio.hpp"

namespace filch::bench {
namespace {

void sleep_once(std::atomic<std::uint64_t>& asleep, std::chrono::microseconds span, countdown& awake) {
  asio::post(measured_pool(), [&asleep, span, &awake] {
    const auto timer = std::make_shared<asio::steady_timer>(measured_pool(), span);
    timer->async_wait([timer, &awake](const asio::error_code& problem) { awake.finish(problem ? 0 : 1); });
    asleep.fetch_add(1, std::memory_order_relaxed);
  });
}

// Sets a timer, lets others run, and cancels it. A timer is for one thread at a time, so all that is a strand.
class churning : public std::enable_shared_from_this<churning> {
 public:
  churning(countdown& counter, std::uint64_t times) : counter_{counter}, times_{times} {}

  void begin() {
    asio::post(timer_.get_executor(), [self = shared_from_this()] { self->go_on(); });
  }

 private:
  void go_on() {
    if (done_ == times_) {
      counter_.finish(cancelled_);
      return;
    }
    timer_.expires_after(std::chrono::hours{1});
    timer_.async_wait([self = shared_from_this()](const asio::error_code& problem) {
      self->cancelled_ += problem == asio::error::operation_aborted ? 1u : 0u;
      ++self->done_;
      self->go_on();
    });
    asio::post(timer_.get_executor(), [self = shared_from_this()] { self->timer_.cancel(); });
  }

  countdown& counter_;
  const std::uint64_t times_;
  std::uint64_t done_ = 0;
  std::uint64_t cancelled_ = 0;
  asio::steady_timer timer_{asio::make_strand(measured_pool())};
};

const added k_sleepers{sleepers_shape(sleep_once)};
const added k_timer_churn{shape("timer_churn", [](std::uint64_t timers) {
  countdown counter{k_tasks};
  for (std::uint64_t i = 0; i != k_tasks; ++i) std::make_shared<churning>(counter, timers / k_tasks)->begin();
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
