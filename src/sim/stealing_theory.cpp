// The mean field of servers that steal: differential equations for the fractions of servers with at least j tasks,
// followed to their steady state.
#include <filch/sim/theory.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace filch::inline v0::sim::theory {
namespace {

constexpr std::size_t k_most_levels = 1 << 14;
constexpr std::size_t k_most_sweeps = 2'000'000'000;  // levels times rounds
constexpr double k_settled = 1e-3;                    // so near to the steady state, as a part of its tasks

[[noreturn]] void refuse(const char* option, const std::string& value, const char* allowed) {
  throw std::invalid_argument{std::string{option} + " = " + value + ": allowed is " + allowed};
}

// tail[j]: servers with at least j tasks.
class tails {
 public:
  // Begins with the steady state of servers that do not steal, or with servers that are all empty.
  enum class begin : std::uint8_t { without_stealing, empty };

  explicit tails(const stealing& how, begin from = begin::without_stealing)
      : how_{how},
        step_{0.5 / (1 + how_.load + (how_.on_empty ? 1 : 0) + how_.probe_rate)},
        tail_(64, 0.0),
        change_(64, 0.0) {
    tail_[0] = 1;
    if (from == begin::empty) return;
    for (std::size_t j = 1; j != tail_.size(); ++j) tail_[j] = tail_[j - 1] * how.load;
  }

  // False: no steady state within the bounds.
  bool settle() {
    for (;;) {
      const double largest = advance();
      if (tail_.back() > 1e-11) {
        if (!add_levels()) return false;
      } else if (largest < 1e-12) {
        return true;
      }
      if (spent_ > k_most_sweeps) return false;
    }
  }

  // The time until there are `tasks` tasks; nothing: not within the bounds.
  std::optional<double> time_until(double tasks) {
    for (double time = 0; spent_ <= k_most_sweeps; time += step_) {
      if (mean_tasks() >= tasks) return time;
      (void)advance();
      if (tail_.back() > 1e-11 && !add_levels()) return std::nullopt;
    }
    return std::nullopt;
  }

  [[nodiscard]] double mean_tasks() const {
    double sum = 0;
    for (std::size_t j = tail_.size() - 1; j != 0; --j) sum += tail_[j];  // the small ones first
    return sum;
  }

 private:
  // One step of time. The largest change of a level, by unit of time.
  double advance() {
    double largest = 0;
    for (std::size_t j = 1; j != tail_.size(); ++j) {
      change_[j] = change_of(j);
      largest = std::max(largest, std::abs(change_[j]));
    }
    for (std::size_t j = 1; j != tail_.size(); ++j) tail_[j] = std::clamp(tail_[j] + step_ * change_[j], 0.0, 1.0);
    spent_ += tail_.size();
    return largest;
  }

  bool add_levels() {
    if (tail_.size() == k_most_levels) return false;
    tail_.resize(2 * tail_.size(), 0.0);
    change_.resize(tail_.size(), 0.0);
    return true;
  }

  [[nodiscard]] double at(std::size_t j) const { return j < tail_.size() ? tail_[j] : 0; }
  // Victims with at least j tasks that give.
  [[nodiscard]] double giving(std::size_t j) const { return at(std::max<std::size_t>(how_.threshold, j)); }

  [[nodiscard]] double change_of(std::size_t j) const {
    const double looks = (how_.on_empty ? at(1) - at(2) : 0) + how_.probe_rate * (1 - at(1));
    return how_.load * (at(j - 1) - at(j)) - (at(j) - at(j + 1)) + looks * change_by_look(j);
  }

  // Thieves that get at least j, less victims that had at least j and have no longer.
  [[nodiscard]] double change_by_look(std::size_t j) const {
    if (how_.steal.is_half()) return giving(2 * j) + giving(2 * j - 1) - giving(j);
    const std::size_t count = how_.steal.count();
    const double thieves = j <= count ? giving(j + 1) : 0;
    const double victims = j >= 2 ? giving(j) - giving(j + count) : 0;
    return thieves - victims;
  }

  const stealing& how_;
  const double step_;
  std::size_t spent_ = 0;
  std::vector<double> tail_;
  std::vector<double> change_;
};

}  // namespace

void require_valid(const stealing& how) {
  if (!(how.load > 0 && how.load < 1)) refuse("load", std::to_string(how.load), "a number above 0 and below 1");
  if (!how.steal.is_half() && how.steal.count() == 0) refuse("steal", to_string(how.steal), "one, half, or fixed:N");
  if (how.threshold < 2 || how.threshold > 1000) {
    refuse("threshold", std::to_string(how.threshold), "a number from 2 to 1000");
  }
  if (!(how.probe_rate >= 0 && how.probe_rate <= 1000)) {
    refuse("probe_rate", std::to_string(how.probe_rate), "a number from 0 to 1000");
  }
}

std::size_t stolen(policy::steal how, std::size_t tasks) {
  if (tasks == 0) return 0;
  return how.is_half() ? tasks / 2 : std::min<std::size_t>(how.count(), tasks - 1);
}

std::optional<double> stealing_response(const stealing& how) {
  require_valid(how);
  tails state{how};
  if (!state.settle()) return std::nullopt;
  return state.mean_tasks() / how.load;  // Little
}

double settling_time(const stealing& how) {
  require_valid(how);
  const double alone = shared_queue_settling_time(how.load, 1);
  tails steady{how};
  if (!steady.settle()) return alone;
  tails empty{how, tails::begin::empty};
  return std::min(alone, empty.time_until((1 - k_settled) * steady.mean_tasks()).value_or(alone));
}

}  // namespace filch::inline v0::sim::theory
