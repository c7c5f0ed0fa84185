#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filch/sim/what_if.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace filch::inline v0::sim {
namespace {

using act = recorded_tasks::act;

constexpr std::uint32_t k_gone = UINT32_MAX;
constexpr time_ns k_most_work_ns = time_ns{1} << 60;

// Writes tasks act by act; work that follows work is one act.
class writer {
 public:
  explicit writer(recorded_tasks& to) : to_{to} {}

  void put(act what) {
    if (what.what() == act::kind::work && to_.acts.size() != begin() && last().what() == act::kind::work) {
      last() = {act::kind::work, last().value() + what.value()};
    } else if (what.what() != act::kind::work || what.value() != 0) {
      to_.acts.push_back(what);
    }
  }
  // Takes so much off the work that was put last, as far as there is any.
  void spare(time_ns span_ns) {
    if (to_.acts.size() == begin() || last().what() != act::kind::work) return;
    last() = {act::kind::work, std::max<time_ns>(0, last().value() - span_ns)};
  }
  void end_task(std::uint32_t name) {
    to_.begins.push_back(to_.acts.size());
    to_.name_of.push_back(name);
  }

 private:
  [[nodiscard]] std::uint64_t begin() const { return to_.begins.back(); }
  [[nodiscard]] act& last() { return to_.acts.back(); }

  recorded_tasks& to_;
};

recorded_tasks without_acts(const recorded_tasks& tasks) {
  recorded_tasks out;
  out.names.assign(tasks.names.begin(), tasks.names.end());
  out.signals = tasks.signals;
  out.waits_left_out = tasks.waits_left_out;
  out.gaps = tasks.gaps;
  out.acts.reserve(tasks.acts.size());
  out.begins.reserve(tasks.begins.size());
  out.name_of.reserve(tasks.name_of.size());
  return out;
}

// New numbers for those tasks that stay; k_gone for the others.
std::vector<std::uint32_t> renumbered(const std::vector<bool>& is_gone) {
  std::vector<std::uint32_t> out(is_gone.size(), k_gone);
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i != out.size(); ++i) {
    if (!is_gone[i]) out[i] = kept++;
  }
  return out;
}

void take_roots(const recorded_tasks& from, const std::vector<std::uint32_t>& numbers, recorded_tasks& to) {
  for (const auto& root : from.roots) to.roots.push_back({root.at_ns, numbers[root.task], root.gap_ns});
}

bool is_wait(act::kind what) {
  return what == act::kind::join || what == act::kind::await || what == act::kind::wait || what == act::kind::signal;
}

}  // namespace

recorded_tasks scaled(const recorded_tasks& tasks, std::uint32_t name, double factor) {
  if (static_cast<double>(tasks.work_ns()) * factor > static_cast<double>(k_most_work_ns)) {
    throw std::invalid_argument{"the work would take longer than the simulator can count: more than 36 years"};
  }
  recorded_tasks out = tasks;
  for (std::size_t i = 0; i != out.size(); ++i) {
    if (out.name_of[i] != name) continue;
    for (std::uint64_t at = out.begins[i]; at != out.begins[i + 1]; ++at) {
      act& one = out.acts[at];
      if (one.what() != act::kind::work) continue;
      one = {act::kind::work, static_cast<std::int64_t>(std::llround(static_cast<double>(one.value()) * factor))};
    }
  }
  return out;
}

// ---- grain ----------------------------------------------------------------------------------------------------------

namespace {

// Which tasks become one. The last of a group stands for it.
struct groups {
  std::vector<std::uint32_t> last;                  // by task: the task that stands for it, perhaps itself
  std::vector<std::vector<std::uint32_t>> members;  // of groups with more than one
  std::vector<std::uint32_t> group_of;  // by task that stands for others: its place in members; k_gone: alone
};

groups groups_of(const recorded_tasks& tasks, std::uint32_t name, std::uint32_t count) {
  groups out;
  out.last.resize(tasks.size());
  for (std::uint32_t i = 0; i != out.last.size(); ++i) out.last[i] = i;
  out.group_of.assign(tasks.size(), k_gone);
  std::vector<std::uint32_t> open;
  const auto close = [&] {
    if (open.size() > 1) {
      for (const std::uint32_t each : open) out.last[each] = open.back();
      out.group_of[open.back()] = static_cast<std::uint32_t>(out.members.size());
      out.members.push_back(open);
    }
    open.clear();
  };
  for (std::size_t i = 0; i != tasks.size(); ++i) {
    act::kind how{};
    for (const act one : tasks.acts_of(i)) {
      if (is_wait(one.what())) close();
      if (!one.makes_task() || tasks.name_of[one.task()] != name) continue;
      if (!open.empty() && one.what() != how) close();
      how = one.what();
      open.push_back(one.task());
      if (open.size() == count) close();
    }
    close();
  }
  return out;
}

}  // namespace

recorded_tasks coarsened(const recorded_tasks& tasks, std::uint32_t name, std::uint32_t count, time_ns spared_ns) {
  const groups found = groups_of(tasks, name, std::max(count, 1u));
  std::vector<bool> is_gone(tasks.size());
  for (std::uint32_t i = 0; i != found.last.size(); ++i) is_gone[i] = found.last[i] != i;
  const std::vector<std::uint32_t> numbers = renumbered(is_gone);
  recorded_tasks out = without_acts(tasks);
  writer to{out};
  const auto copy = [&](std::uint32_t task) {
    for (const act one : tasks.acts_of(task)) {
      if (one.makes_task() && is_gone[one.task()]) {
        to.spare(spared_ns);
      } else if (one.makes_task() || one.what() == act::kind::await) {
        to.put({one.what(), numbers[found.last[one.task()]]});
      } else {
        to.put(one);
      }
    }
  };
  for (std::uint32_t i = 0; i != tasks.size(); ++i) {
    if (is_gone[i]) continue;
    if (found.group_of[i] == k_gone) {
      copy(i);
    } else {
      for (const std::uint32_t each : found.members[found.group_of[i]]) copy(each);
    }
    to.end_task(tasks.name_of[i]);
  }
  take_roots(tasks, numbers, out);
  return out;
}

// ---- cut-off --------------------------------------------------------------------------------------------------------

namespace {

constexpr time_ns k_unbound_ns = k_never_ns / 2;

// The work of each task with that of its descendants, or k_unbound_ns where one of them gives or awaits a signal.
std::vector<time_ns> family_work_ns(const recorded_tasks& tasks) {
  std::vector<time_ns> out(tasks.size());
  std::vector<std::uint32_t> order;  // parents before their children
  order.reserve(tasks.size());
  for (const auto& root : tasks.roots) order.push_back(root.task);
  for (std::size_t next = 0; next != order.size(); ++next) {
    for (const act one : tasks.acts_of(order[next])) {
      if (one.makes_task()) order.push_back(one.task());
    }
  }
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    time_ns sum_ns = 0;
    for (const act one : tasks.acts_of(*at)) {
      if (one.what() == act::kind::work) sum_ns += one.value();
      if (one.makes_task()) sum_ns += out[one.task()];
      if (one.what() == act::kind::signal || one.what() == act::kind::wait) sum_ns = k_unbound_ns;
      sum_ns = std::min(sum_ns, k_unbound_ns);
    }
    out[*at] = sum_ns;
  }
  return out;
}

}  // namespace

recorded_tasks cut_off(const recorded_tasks& tasks, std::uint32_t name, time_ns least_ns, time_ns spared_ns) {
  const std::vector<time_ns> family_ns = family_work_ns(tasks);
  const auto is_small = [&](std::uint32_t task) {
    return tasks.name_of[task] == name && family_ns[task] < std::min(least_ns, k_unbound_ns);
  };
  std::vector<bool> is_gone(tasks.size(), true);  // reached tasks stay
  std::vector<std::uint32_t> reached;
  const auto reach = [&](std::uint32_t task) {
    is_gone[task] = false;
    reached.push_back(task);
  };
  for (const auto& root : tasks.roots) reach(root.task);
  while (!reached.empty()) {
    const std::uint32_t task = reached.back();
    reached.pop_back();
    for (const act one : tasks.acts_of(task)) {
      if (one.makes_task() && !is_small(one.task())) reach(one.task());
    }
  }
  const std::vector<std::uint32_t> numbers = renumbered(is_gone);
  recorded_tasks out = without_acts(tasks);
  writer to{out};
  for (std::uint32_t i = 0; i != tasks.size(); ++i) {
    if (is_gone[i]) continue;
    for (const act one : tasks.acts_of(i)) {
      const bool names_task = one.makes_task() || one.what() == act::kind::await;
      if (!names_task) {
        to.put(one);
      } else if (!is_gone[one.task()]) {
        to.put({one.what(), numbers[one.task()]});
      } else if (one.makes_task()) {
        to.spare(spared_ns);
        to.put({act::kind::work, family_ns[one.task()]});
      }
    }
    to.end_task(tasks.name_of[i]);
  }
  take_roots(tasks, numbers, out);
  return out;
}

// ---- in words -------------------------------------------------------------------------------------------------------

namespace {

constexpr std::array<std::string_view, 3> k_verbs{"scale", "grain", "cutoff"};

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> nanoseconds_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> k_units{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, ns] : k_units) {
    if (!text.ends_with(unit)) continue;
    if (const auto number = number_of(text.substr(0, text.size() - unit.size()))) return *number * ns;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(std::string_view text, std::string_view allowed) {
  throw std::invalid_argument{"\"" + std::string{text} + "\": allowed is " + std::string{allowed}};
}

std::string value_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace

change change::from(std::string_view text) {
  constexpr std::string_view k_allowed =
      "`scale name=NAME FACTOR`, `grain name=NAME COUNT` or `cutoff name=NAME TIME`, such as `scale name=parse 0.5`";
  const std::size_t first = text.find(' ');
  const std::size_t last = text.rfind(' ');
  if (first == std::string_view::npos || first == last) refuse(text, k_allowed);
  const auto verb = std::ranges::find(k_verbs, text.substr(0, first));
  const std::string_view named = text.substr(first + 1, last - first - 1);
  if (verb == k_verbs.end() || !named.starts_with("name=")) refuse(text, k_allowed);
  const std::string_view said = text.substr(last + 1);
  change out{.what = static_cast<kind>(verb - k_verbs.begin()), .name = std::string{named.substr(5)}};
  const auto number = out.what == kind::cutoff ? nanoseconds_of(said) : number_of(said);
  switch (out.what) {
    case kind::scale:
      if (!number || *number < 0 || *number > 1000) refuse(text, "a factor from 0 to 1000 after `scale name=NAME`");
      break;
    case kind::grain:
      if (!number || *number < 2 || *number > 1e9 || *number != std::floor(*number)) {
        refuse(text, "a whole number from 2 to 1000000000 after `grain name=NAME`");
      }
      break;
    case kind::cutoff:
      if (!number || *number < 1 || *number > 1e15) {
        refuse(text, "a time from 1ns to 1000000s, such as 50us, after `cutoff name=NAME`");
      }
      break;
  }
  out.value = *number;
  return out;
}

std::string change::text() const {
  std::string out{k_verbs[static_cast<std::size_t>(what)]};
  return out.append(" name=")
      .append(name)
      .append(" ")
      .append(value_text(value))
      .append(what == kind::cutoff ? "ns" : "");
}

recorded_tasks change::apply(const recorded_tasks& to, time_ns spared_ns) const {
  const auto found = std::ranges::find(to.names, name);
  if (found == to.names.end()) {
    std::string known;
    for (std::size_t i = 0; i != to.names.size() && i != 20; ++i) {
      known.append(known.empty() ? "" : ", ").append("\"" + to.names[i] + "\"");
    }
    if (to.names.size() > 20) known.append(", …");
    throw std::invalid_argument{"\"" + text() + "\": no task has that name; there are " + known};
  }
  const auto which = static_cast<std::uint32_t>(found - to.names.begin());
  switch (what) {
    case kind::scale:
      return scaled(to, which, value);
    case kind::grain:
      return coarsened(to, which, static_cast<std::uint32_t>(value), spared_ns);
    case kind::cutoff:
      break;
  }
  return cut_off(to, which, static_cast<time_ns>(value), spared_ns);
}

}  // namespace filch::inline v0::sim
