#include <filch/policy/options.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace filch::inline v0::policy {
namespace {

constexpr std::uint32_t k_most_workers = 1u << 20;

class problem_list {
 public:
  void unless(bool fine, std::string_view field, std::string value, std::string allowed) {
    if (!fine) problems_.push_back({std::string{field}, std::move(value), std::move(allowed)});
  }

  template <named E>
  void unless_known(E value) {
    if (is_known(value)) return;
    std::string allowed = "one of";
    for (const std::string_view name : names<E>::all) allowed.append(" ").append(name);
    unless(false, names<E>::option, std::to_string(static_cast<unsigned>(value)), std::move(allowed));
  }

  [[nodiscard]] std::vector<problem> take() { return std::move(problems_); }

 private:
  std::vector<problem> problems_;
};

std::string real_text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

void check_idle(const idle& idle, problem_list& list) {
  list.unless(idle.initial_ns >= 0, "idle.initial_ns", std::to_string(idle.initial_ns), "a time from 0 on");
  list.unless(idle.factor >= 1 && std::isfinite(idle.factor), "idle.factor", real_text(idle.factor),
              "a number from 1 on");
  list.unless(idle.cap_ns >= idle.initial_ns, "idle.cap_ns", std::to_string(idle.cap_ns),
              "a time from idle.initial_ns = " + std::to_string(idle.initial_ns) + " on");
  list.unless(idle.initial_ns != 0 || idle.cap_ns == 0, "idle.initial_ns", "0",
              "a time from 1 on, because 0 does not grow to idle.cap_ns = " + std::to_string(idle.cap_ns));
  list.unless(idle.linger_ns >= 0, "idle.linger_ns", std::to_string(idle.linger_ns), "a time from 0 on");
  list.unless(idle.cycles != 0, "idle.cycles", "0", "a number from 1 on");
  list.unless(idle.cycles != idle::k_forever || idle.initial_ns != 0, "idle.cycles", "forever",
              "a number from 1 on, because a worker that never parks must wait: idle.initial_ns = 0");
}

}  // namespace

std::string to_string(const problem& what) { return what.field + " = " + what.value + ": allowed is " + what.allowed; }

std::vector<problem> validate(const search_options& options, std::uint32_t workers) {
  problem_list list;
  list.unless(workers >= 1 && workers <= k_most_workers, "workers", std::to_string(workers),
              "a number from 1 to " + std::to_string(k_most_workers));
  list.unless_known(options.victims);
  list.unless(options.steal.is_half() || options.steal.count() != 0, "steal", to_string(options.steal),
              "one, half, or fixed:N with N from 1 on");
  list.unless_known(options.order);
  check_idle(options.idle, list);
  list.unless_known(options.wake);
  if (options.placement.how() == placement::kind::given && workers != 0) {
    list.unless(options.placement.worker().value < workers, "placement", to_string(options.placement),
                "a worker from 0 to " + std::to_string(workers - 1));
  }
  list.unless(options.fairness_interval != 0, "fairness_interval", "0", "a number from 1 on");
  list.unless(options.starvation_interval != 1, "starvation_interval", "1",
              "0 for never, or a number from 2 on, because 1 would leave the high band nothing");
  return list.take();
}

void require_valid(const search_options& options, std::uint32_t workers) {
  std::string message;
  for (const problem& what : validate(options, workers)) {
    if (!message.empty()) message.append("\n");
    message.append(to_string(what));
  }
  if (!message.empty()) throw std::invalid_argument(message);
}

std::string describe(const search_options& options) {
  std::string line;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!line.empty()) line.append(" ");
    line.append(name).append("=").append(value);
  };
  add("victims", to_string(options.victims));
  add("steal", to_string(options.steal));
  add("order", to_string(options.order));
  add("idle", to_string(options.idle));
  add("wake", to_string(options.wake));
  add("placement", to_string(options.placement));
  add("fairness", std::to_string(options.fairness_interval));
  add("starvation", std::to_string(options.starvation_interval));
  add("retry_lost", options.retry_lost ? "yes" : "no");
  return line;
}

}  // namespace filch::inline v0::policy
