// All times between events are exponential, so nothing needs to be scheduled: the next event comes after an exponential
// time with the rate of all that can happen, and what it is, and at which server, is drawn then. So an event costs the
// same with any number of servers.
#include <filch/sim/queueing.hpp>

#include <filch/base/random.hpp>
#include <filch/base/units.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace filch::inline v0::sim {
namespace {

constexpr double k_unit = static_cast<double>(k_ns_per_s);  // one mean service time
constexpr std::size_t k_batches = 20;
constexpr std::uint64_t k_least_tasks = 1'000'000;  // counted, when nothing is said
constexpr double k_least_warm_up = 0.2;             // of the counted tasks
constexpr double k_longest_warm_up = 1e9;
constexpr std::uint64_t k_progress_mask = (std::uint64_t{1} << 16) - 1;

// So many batches, and the 97.5 % quantile of Student's distribution with one degree of freedom less.
struct batching {
  std::size_t batches;
  double student;
};
constexpr std::array<batching, 3> k_batchings{{{20, 2.093}, {10, 2.262}, {5, 2.776}}};

[[noreturn]] void refuse(const char* option, const std::string& value, const char* allowed) {
  throw std::invalid_argument{std::string{option} + " = " + value + ": allowed is " + allowed};
}

void require_valid(const queueing_options& options) {
  theory::require_valid(options.stealing);
  if (options.servers < 2 || options.servers > 1'000'000) {
    refuse("servers", std::to_string(options.servers), "a number from 2 to 1000000");
  }
  if (options.tasks && (*options.tasks < 1000 || *options.tasks > 10'000'000'000)) {
    refuse("tasks", std::to_string(*options.tasks), "a number from 1000 to 10000000000");
  }
  if (options.warm_up && !(*options.warm_up >= 0 && *options.warm_up <= k_longest_warm_up)) {
    refuse("warm_up", std::to_string(*options.warm_up), "a number from 0 to 1000000000");
  }
}

// The time that very many servers take, and on top of it the time that this number takes with one queue, because few
// servers settle more slowly than very many.
double settling_time(const queueing_options& options) {
  return theory::settling_time(options.stealing) +
         theory::shared_queue_settling_time(options.stealing.load, options.servers);
}

// When the tasks of one server came, in the order of service; the first is being served.
class waiting_line {
 public:
  [[nodiscard]] std::size_t size() const { return came_ns_.size() - first_; }
  void push(time_ns came_ns) { came_ns_.push_back(came_ns); }
  time_ns pop_first() {
    const time_ns came_ns = came_ns_[first_++];
    if (first_ == came_ns_.size() || (first_ >= 8 && 2 * first_ >= came_ns_.size())) {
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

// Servers in two groups, the busy ones first, so that one of either can be drawn.
class busy_and_idle {
 public:
  explicit busy_and_idle(std::uint32_t servers) : order_(servers), place_(servers) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::iota(place_.begin(), place_.end(), 0u);
  }

  [[nodiscard]] std::uint32_t busy() const { return busy_; }
  [[nodiscard]] std::uint32_t idle() const { return static_cast<std::uint32_t>(order_.size()) - busy_; }
  [[nodiscard]] std::uint32_t any_busy(random_stream& random) const { return order_[random.below(busy())]; }
  [[nodiscard]] std::uint32_t any_idle(random_stream& random) const { return order_[busy_ + random.below(idle())]; }

  void set_busy(std::uint32_t server) { exchange(server, busy_++); }
  void set_idle(std::uint32_t server) { exchange(server, --busy_); }

 private:
  void exchange(std::uint32_t server, std::uint32_t to) {
    const std::uint32_t other = order_[to];
    std::swap(order_[place_[server]], order_[to]);
    std::swap(place_[server], place_[other]);
  }

  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;  // of each server in order_
  std::uint32_t busy_ = 0;
};

class farm {
 public:
  farm(const queueing_options& options, const queueing_plan& plan)
      : options_{options}, random_{options.seed}, lines_(options.servers), groups_{options.servers}, plan_{plan} {}

  queueing_result run() {
    const double arrivals = options_.stealing.load * options_.servers;
    while (batch_ != k_batches) {
      const double ends = groups_.busy();
      const double probes = groups_.idle() * options_.stealing.probe_rate;
      const double all = arrivals + ends + probes;
      now_ns_ += static_cast<time_ns>(random_.exponential(k_unit / all) + 0.5);  // rounded, or time would run slow
      ++result_.events;
      const double which = random_.unit() * all;
      if (which < arrivals) {
        arrive(static_cast<std::uint32_t>(random_.below(options_.servers)));
      } else if (which < arrivals + ends) {
        end_service(groups_.any_busy(random_));
      } else if (groups_.idle() != 0) {
        steal(groups_.any_idle(random_));
      }
    }
    return summary();
  }

 private:
  void arrive(std::uint32_t at) {
    lines_[at].push(now_ns_);
    if (lines_[at].size() == 1) groups_.set_busy(at);
  }

  void end_service(std::uint32_t at) {
    waiting_line& line = lines_[at];
    count(static_cast<double>(now_ns_ - line.pop_first()) / k_unit);
    if (line.size() != 0) return;
    groups_.set_idle(at);
    if (options_.stealing.on_empty) steal(at);
  }

  // From one other server at random.
  void steal(std::uint32_t thief) {
    const auto other = static_cast<std::uint32_t>(random_.below(options_.servers - 1));
    waiting_line& victim = lines_[other < thief ? other : other + 1];
    if (victim.size() < options_.stealing.threshold) return;
    const std::size_t amount = theory::stolen(options_.stealing.steal, victim.size());
    victim.give_last(amount, lines_[thief]);
    groups_.set_busy(thief);
    if (ended_ < plan_.warm_up_tasks) return;
    ++result_.steals;
    moved_ += amount;
  }

  void count(double sojourn) {
    if ((++ended_ & k_progress_mask) == 0 && options_.progress) options_.progress(ended_);
    if (ended_ <= plan_.warm_up_tasks) return;
    sum_ += sojourn;
    if (++in_batch_ < plan_.tasks / k_batches) return;
    batches_[batch_++] = sum_ / static_cast<double>(in_batch_);
    sum_ = 0;
    in_batch_ = 0;
  }

  // Of the mean of all, with a number of neighbours taken as one batch.
  [[nodiscard]] double half_width(double mean, const batching& how) const {
    const std::size_t together = k_batches / how.batches;
    double squares = 0;
    for (std::size_t i = 0; i != k_batches; i += together) {
      const std::span part = std::span{batches_}.subspan(i, together);
      const double off = std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(together) - mean;
      squares += off * off;
    }
    const auto batches = static_cast<double>(how.batches);
    return how.student * std::sqrt(squares / (batches - 1) / batches);
  }

  queueing_result summary() {
    for (const double one : batches_) result_.mean_sojourn += one / k_batches;
    for (const batching& how : k_batchings) {
      result_.half_width = std::max(result_.half_width, half_width(result_.mean_sojourn, how));
    }
    result_.theory = theory::stealing_response(options_.stealing);
    result_.plan = plan_;
    result_.stolen_per_task = static_cast<double>(moved_) / static_cast<double>(plan_.tasks);
    return result_;
  }

  const queueing_options& options_;
  random_stream random_;
  std::vector<waiting_line> lines_;  // of each server
  busy_and_idle groups_;
  const queueing_plan plan_;
  time_ns now_ns_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t in_batch_ = 0;
  std::size_t batch_ = 0;
  double sum_ = 0;
  std::uint64_t moved_ = 0;
  std::array<double, k_batches> batches_{};
  queueing_result result_;
};

}  // namespace

std::optional<bool> queueing_result::meets_theory() const {
  if (!theory) return std::nullopt;
  return std::abs(mean_sojourn - *theory) <= half_width;
}

queueing_plan plan_queueing(const queueing_options& options) {
  require_valid(options);
  const double per_time = options.stealing.load * options.servers;
  const auto tasks_in = [per_time](double time) { return static_cast<std::uint64_t>(std::ceil(time * per_time)); };
  queueing_plan out{.settling_time = settling_time(options)};
  out.tasks = options.tasks.value_or(std::clamp(tasks_in(2 * out.settling_time), k_least_tasks, k_most_planned_tasks));
  if (options.warm_up) {
    out.warm_up_tasks = tasks_in(*options.warm_up);
  } else {
    const auto least = static_cast<std::uint64_t>(k_least_warm_up * static_cast<double>(out.tasks));
    out.warm_up_tasks = std::min(std::max(least, tasks_in(out.settling_time)), k_most_planned_tasks);
  }
  out.warm_up_time = static_cast<double>(out.warm_up_tasks) / per_time;
  out.counted_time = static_cast<double>(out.tasks) / per_time;
  return out;
}

queueing_result queueing(const queueing_options& options) { return farm{options, plan_queueing(options)}.run(); }

}  // namespace filch::inline v0::sim
