#include "crew.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace filch::inline v0 {

crew::crew(std::string name, std::size_t stack_bytes, std::function<void(std::uint32_t)> body)
    : name_{std::move(name)}, stack_bytes_{stack_bytes}, body_{std::move(body)} {}

crew::~crew() { stop(); }

std::error_code crew::start(std::uint32_t count, const topology::cpu_set& cpus, topology::cpu_number last) {
  const auto after = static_cast<std::size_t>(std::ranges::upper_bound(cpus, last) - cpus.begin());
  const std::size_t step = std::max<std::size_t>(cpus.size() / std::max(count, 1u), 1);
  const std::lock_guard lock{mutex_};
  for (std::uint32_t i = 0; i != count; ++i) {
    if (const std::error_code refused = start_one()) return refused;
    if (i < cpus.size()) threads_.back().bind(cpus[(after + i * step) % cpus.size()]);
  }
  return {};
}

std::error_code crew::start_one() noexcept {
  try {
    const auto number = static_cast<std::uint32_t>(threads_.size());
    std::string name = name_ + "-" + std::to_string(number);
    std::function<void()> body = [this, number] { body_(number); };
    const std::error_code refused = threads_.emplace_back().start(std::move(name), stack_bytes_, std::move(body));
    if (refused) threads_.pop_back();
    else ++arriving_;
    return refused;
  } catch (const std::bad_alloc&) {
    return std::make_error_code(std::errc::not_enough_memory);
  }
}

std::uint32_t crew::thread_count() const {
  const std::lock_guard lock{mutex_};
  return static_cast<std::uint32_t>(threads_.size());
}

void crew::set_bounds(std::uint32_t workers, std::uint32_t threads) {
  const std::lock_guard lock{mutex_};
  unclaimed_.reserve(workers);
  bound_ = threads;
}

void crew::give(slot& to, worker& given) {
  to.given = &given;
  to.ready.notify_one();
}

crew::slot* crew::next_waiting() {
  slot* const chosen = waiting_;
  if (chosen != nullptr) waiting_ = chosen->next;
  return chosen;
}

crew::slot* crew::next_returner() {
  slot* const first = first_returner_;
  if (first == nullptr) return nullptr;
  first_returner_ = first->next;
  returner_count_.fetch_sub(1, std::memory_order_relaxed);  // ordered by [R8]
  return first;
}

worker* crew::wait_for_worker() {
  std::unique_lock lock{mutex_};
  if (arriving_ != 0) --arriving_;
  if (!unclaimed_.empty()) {
    worker* const given = unclaimed_.back();
    unclaimed_.pop_back();
    return given;
  }
  if (is_stopping_) return nullptr;
  slot mine;
  mine.next = waiting_;
  waiting_ = &mine;
  mine.ready.wait(lock, [&] { return mine.given != nullptr || mine.is_over; });
  return mine.given;
}

bool crew::lend(worker& given, stand_in how) noexcept {
  const std::lock_guard lock{mutex_};
  slot* chosen = next_returner();
  if (chosen == nullptr) chosen = next_waiting();
  if (chosen != nullptr) {
    give(*chosen, given);
    return true;
  }
  if (arriving_ <= unclaimed_.size()) {
    constexpr std::size_t k_beyond = 256;  // guess
    if (threads_.size() >= bound_ + (how == stand_in::beyond_bound ? k_beyond : 0)) return false;
    if (start_one()) return false;
  }
  unclaimed_.push_back(&given);
  return true;
}

worker& crew::take_back(const std::function<void()>& announce) {
  std::unique_lock lock{mutex_};
  slot mine;
  (first_returner_ == nullptr ? first_returner_ : last_returner_->next) = &mine;
  last_returner_ = &mine;
  returner_count_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R8]
  lock.unlock();
  // [R8] seq_cst fence: "wait in line, then look for sleepers" here against "announce the sleep, then look at the line"
  // in a worker. kept: `announce` and the worker's announce_sleep have fences of their own; this one says what is
  // relied on.
  std_atomics::fence(std::memory_order_seq_cst);
  announce();
  lock.lock();
  mine.ready.wait(lock, [&] { return mine.given != nullptr; });
  return *mine.given;
}

bool crew::hand_over(worker& own) {
  const std::lock_guard lock{mutex_};
  slot* const first = next_returner();
  if (first == nullptr) return false;
  ++arriving_;
  give(*first, own);
  return true;
}

void crew::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
    while (slot* const each = next_waiting()) {
      each->is_over = true;
      each->ready.notify_one();
    }
  }
  // No thread is started any more: the caller has seen all work done.
  for (os_thread& each : threads_) each.join();
}

}  // namespace filch::inline v0
