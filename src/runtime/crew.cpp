#include "crew.hpp"

#include <filch/base/assert.hpp>

#include <utility>

namespace filch::inline v0 {

crew::crew(std::string name, std::size_t stack_bytes, std::function<void(std::uint32_t)> body)
    : name_{std::move(name)}, stack_bytes_{stack_bytes}, body_{std::move(body)} {}

crew::~crew() { stop(); }

std::error_code crew::start(std::uint32_t count) {
  const std::lock_guard lock{mutex_};
  for (std::uint32_t i = 0; i != count; ++i) {
    if (const std::error_code refused = start_one()) return refused;
  }
  return {};
}

std::error_code crew::start_one() {
  const auto number = static_cast<std::uint32_t>(threads_.size());
  os_thread& thread = threads_.emplace_back();
  const std::error_code refused =
      thread.start(name_ + "-" + std::to_string(number), stack_bytes_, [this, number] { body_(number); });
  if (refused) threads_.pop_back();
  return refused;
}

std::uint32_t crew::thread_count() const {
  const std::lock_guard lock{mutex_};
  return static_cast<std::uint32_t>(threads_.size());
}

void crew::set_bound(std::uint32_t threads) {
  const std::lock_guard lock{mutex_};
  bound_ = threads;
}

void crew::give(seat& to, worker& given) {
  to.given = &given;
  to.ready.notify_one();
}

worker* crew::wait_for_worker() {
  std::unique_lock lock{mutex_};
  if (!unclaimed_.empty()) {
    worker* const given = unclaimed_.front();
    unclaimed_.pop_front();
    return given;
  }
  if (is_stopping_) return nullptr;
  seat mine;
  waiting_.push_back(&mine);
  mine.ready.wait(lock, [&] { return mine.given != nullptr || is_stopping_; });
  if (mine.given == nullptr) std::erase(waiting_, &mine);
  return mine.given;
}

bool crew::lend(worker& given) {
  const std::lock_guard lock{mutex_};
  if (!waiting_.empty()) {
    seat* const chosen = waiting_.back();
    waiting_.pop_back();
    give(*chosen, given);
    return true;
  }
  if (threads_.size() >= bound_ || start_one()) return false;
  unclaimed_.push_back(&given);
  return true;
}

worker& crew::take_back(const std::function<void()>& announce) {
  std::unique_lock lock{mutex_};
  seat mine;
  returners_.push_back(&mine);
  returner_count_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R4]
  lock.unlock();
  // [R4] seq_cst fence: "ask, then look for sleepers" here against "announce the sleep, then look for who asks" in a
  // worker. kept: `announce` and the worker's announce_sleep have fences of their own; this one says what is relied on.
  std_atomics::fence(std::memory_order_seq_cst);
  announce();
  lock.lock();
  mine.ready.wait(lock, [&] { return mine.given != nullptr; });
  return *mine.given;
}

bool crew::hand_over(worker& own) {
  const std::lock_guard lock{mutex_};
  if (returners_.empty()) return false;
  seat* const first = returners_.front();
  returners_.pop_front();
  returner_count_.fetch_sub(1, std::memory_order_relaxed);  // ordered by [R4]
  give(*first, own);
  return true;
}

void crew::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
    for (seat* each : waiting_) each->ready.notify_one();
  }
  // No thread is started any more: the caller has seen all work done.
  for (os_thread& each : threads_) each.join();
}

}  // namespace filch::inline v0
