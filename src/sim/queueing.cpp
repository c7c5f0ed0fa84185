#include <filch/sim/queueing.hpp>

#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <filch/sim/event_heap.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace filch::inline v0::sim {
namespace {

constexpr double k_unit = static_cast<double>(k_ns_per_s);  // one mean service time
constexpr std::size_t k_batches = 20;
constexpr double k_student_19 = 2.093;  // 97.5 % of Student's distribution with 19 degrees of freedom

[[noreturn]] void refuse(const char* option, const std::string& value, const char* allowed) {
  throw std::invalid_argument{std::string{option} + " = " + value + ": allowed is " + allowed};
}

void require_valid(const queueing_options& options) {
  theory::require_valid(options.stealing);
  if (options.servers < 2 || options.servers > 1'000'000) {
    refuse("servers", std::to_string(options.servers), "a number from 2 to 1000000");
  }
  if (options.tasks < 1000 || options.tasks > 10'000'000'000) {
    refuse("tasks", std::to_string(options.tasks), "a number from 1000 to 10000000000");
  }
  if (!(options.warm_up >= 0 && options.warm_up <= 10)) {
    refuse("warm_up", std::to_string(options.warm_up), "a number from 0 to 10");
  }
}

// When the tasks of one server came, in the order of service; the first is being served.
class waiting_line {
 public:
  [[nodiscard]] std::size_t size() const { return came_ns_.size() - first_; }
  void push(time_ns came_ns) { came_ns_.push_back(came_ns); }
  time_ns pop_first() {
    const time_ns came_ns = came_ns_[first_++];
    if (first_ >= 64 && 2 * first_ >= came_ns_.size()) {
      came_ns_.erase(came_ns_.begin(), came_ns_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return came_ns;
  }
  // Moves the last `count`, in their order.
  void give_last(std::size_t count, waiting_line& to) {
    to.came_ns_.insert(to.came_ns_.end(), came_ns_.end() - static_cast<std::ptrdiff_t>(count), came_ns_.end());
    came_ns_.resize(came_ns_.size() - count);
  }

 private:
  std::vector<time_ns> came_ns_;
  std::size_t first_ = 0;
};

class farm {
 public:
  explicit farm(const queueing_options& options)
      : options_{options}, random_{options.seed}, servers_(options.servers), left_{warm_up_tasks(options)} {}

  queueing_result run() {
    const std::uint32_t arrivals = options_.servers;
    const double arrival_gap = 1 / (options_.stealing.load * options_.servers);
    pending_.push(after(arrival_gap), arrivals);
    for (std::uint32_t i = 0; i != options_.servers; ++i) become_idle(i);
    while (batch_ != k_batches) {
      const auto next = pending_.take();
      if (next.what != arrivals && servers_[next.what].awaited != next.ticket) continue;
      now_ns_ = next.at_ns;
      ++result_.events;
      if (next.what == arrivals) {
        pending_.push(after(arrival_gap), arrivals);
        arrive(static_cast<std::uint32_t>(random_.below(options_.servers)));
      } else if (servers_[next.what].line.size() != 0) {
        end_service(next.what);
      } else {
        probe(next.what);
      }
    }
    return summary();
  }

 private:
  struct server {
    waiting_line line;
    ticket awaited = k_no_ticket;  // the end of its service, or its next probe
  };

  static std::uint64_t warm_up_tasks(const queueing_options& options) {
    return static_cast<std::uint64_t>(options.warm_up * static_cast<double>(options.tasks));
  }

  time_ns after(double mean) { return now_ns_ + static_cast<time_ns>(random_.exponential(mean * k_unit)); }

  void serve(std::uint32_t at) { servers_[at].awaited = pending_.push(after(1), at); }

  void become_idle(std::uint32_t at) {
    servers_[at].awaited = k_no_ticket;
    const double rate = options_.stealing.probe_rate;
    if (rate > 0) servers_[at].awaited = pending_.push(after(1 / rate), at);
  }

  void arrive(std::uint32_t at) {
    servers_[at].line.push(now_ns_);
    if (servers_[at].line.size() == 1) serve(at);
  }

  void end_service(std::uint32_t at) {
    waiting_line& line = servers_[at].line;
    count(static_cast<double>(now_ns_ - line.pop_first()) / k_unit);
    if (line.size() == 0 && options_.stealing.on_empty) steal(at);
    if (line.size() != 0) {
      serve(at);
    } else {
      become_idle(at);
    }
  }

  void probe(std::uint32_t at) {
    steal(at);
    if (servers_[at].line.size() != 0) {
      serve(at);
    } else {
      become_idle(at);
    }
  }

  // From one other server at random.
  void steal(std::uint32_t thief) {
    const auto other = static_cast<std::uint32_t>(random_.below(options_.servers - 1));
    waiting_line& victim = servers_[other < thief ? other : other + 1].line;
    if (victim.size() < options_.stealing.threshold) return;
    const std::size_t amount = theory::stolen(options_.stealing.steal, victim.size());
    victim.give_last(amount, servers_[thief].line);
    if (left_ != 0) return;
    ++result_.steals;
    moved_ += amount;
  }

  void count(double sojourn) {
    if (left_ != 0) {
      --left_;
      return;
    }
    sum_ += sojourn;
    if (++in_batch_ < options_.tasks / k_batches) return;
    batches_[batch_++] = sum_ / static_cast<double>(in_batch_);
    sum_ = 0;
    in_batch_ = 0;
  }

  queueing_result summary() {
    double mean = 0;
    for (const double one : batches_) mean += one / k_batches;
    double squares = 0;
    for (const double one : batches_) squares += (one - mean) * (one - mean);
    result_.mean_sojourn = mean;
    result_.half_width = k_student_19 * std::sqrt(squares / (k_batches - 1) / k_batches);
    result_.theory = theory::stealing_response(options_.stealing);
    result_.stolen_per_task = static_cast<double>(moved_) / static_cast<double>(options_.tasks);
    return result_;
  }

  const queueing_options& options_;
  random_stream random_;
  std::vector<server> servers_;
  event_heap<std::uint32_t> pending_;  // of servers, and of arrivals under the number of servers
  time_ns now_ns_ = 0;
  std::uint64_t left_;  // tasks of the warm-up
  std::uint64_t in_batch_ = 0;
  std::size_t batch_ = 0;
  double sum_ = 0;
  std::uint64_t moved_ = 0;
  std::array<double, k_batches> batches_{};
  queueing_result result_;
};

}  // namespace

queueing_result queueing(const queueing_options& options) {
  require_valid(options);
  return farm{options}.run();
}

}  // namespace filch::inline v0::sim
