#include "lesson_world.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <utility>

namespace filch::inline v0::sim::lesson {

std::string fixed(double value, int digits) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return {text, end.ptr};
}

world::world(const world_options& options, lesson_random& random, std::ostream& out)
    : options_{options}, random_{random}, out_{out}, workers_(options.workers) {
  for (std::uint32_t w = 0; w != options.workers; ++w) schedule(w, 0);
}

void world::add_process(std::function<double()> step) {
  process_ = std::move(step);
  schedule(options_.workers, 0);
}

// Doubles from 0 on have the order of their bits, so the heap's whole numbers hold them as they are.
void world::schedule(std::uint32_t process, double delay_s) {
  pending_.push(std::bit_cast<std::int64_t>(now_s_ + delay_s), process);
}

void world::run_until(double end_s) {
  while (!pending_.is_empty()) {
    const double next_s = std::bit_cast<double>(pending_.top().at_ns);
    if (next_s > end_s) break;
    now_s_ = next_s;
    const std::uint32_t process = pending_.take().what;
    if (process != options_.workers) {
      go_on(process);
    } else if (const double delay_s = process_(); delay_s >= 0) {
      schedule(process, delay_s);
    }
  }
}

// ---- workers --------------------------------------------------------------------------------------------------------

void world::go_on(std::uint32_t w) {
  constexpr double k_poll_s = 0.1;
  lesson_worker& self = workers_[w];
  if (self.at == state::halfway) {
    have_children(w);
    self.at = state::ending;
    schedule(w, self.running.duration_s / 2);
    return;
  }
  if (self.at == state::ending) complete(w);
  self.at = state::looking;
  if (find_task(w)) {
    execute(w);
  } else {
    schedule(w, k_poll_s);
  }
}

bool world::find_task(std::uint32_t w) {
  lesson_worker& self = workers_[w];
  if (self.tasks.empty()) return steal(w);
  self.running = std::move(self.tasks.back());
  self.tasks.pop_back();
  return true;
}

void world::order_victims(std::uint32_t thief) {
  victims_.clear();
  for (std::uint32_t w = 0; w != options_.workers; ++w) {
    if (w != thief) victims_.push_back(w);
  }
  if (options_.how == thieves::random) {
    random_.shuffle(std::span{victims_});
  } else {
    const auto key = [this](std::uint32_t w) { return std::pair{SIZE_MAX - workers_[w].tasks.size(), w}; };
    std::ranges::sort(victims_, {}, key);
  }
}

bool world::steal(std::uint32_t thief) {
  order_victims(thief);
  for (const std::uint32_t v : victims_) {
    auto& tasks = workers_[v].tasks;
    if (tasks.empty()) continue;
    lesson_worker& self = workers_[thief];
    self.running = std::move(tasks.front());
    tasks.pop_front();
    ++self.stolen;
    if (options_.prints) {
      line(thief) << "Stole " << self.running.name << " from Worker " << v;
      if (options_.how == thieves::adaptive) out_ << " (target queue: " << tasks.size() << ')';
      out_ << '\n';
    }
    return true;
  }
  return false;
}

void world::execute(std::uint32_t w) {
  lesson_worker& self = workers_[w];
  self.is_busy = true;
  ++self.executed;
  if (options_.prints) {
    line(w) << "Executing " << self.running.name;
    if (!options_.spawns) out_ << " (queue size: " << self.tasks.size() << ')';
    out_ << '\n';
  }
  self.at = options_.spawns ? state::halfway : state::ending;
  schedule(w, options_.spawns ? self.running.duration_s / 2 : self.running.duration_s);
}

void world::have_children(std::uint32_t w) {
  constexpr double k_probability = 0.3;
  if (random_.random() >= k_probability) return;
  lesson_worker& self = workers_[w];
  const std::int64_t children = random_.randint(1, 3);
  for (std::int64_t i = 0; i != children; ++i) {
    lesson_task child{self.running.name + '.' + std::to_string(i), random_.uniform(0.3, 1.0)};
    if (options_.prints) line(w) << "Spawned " << child.name << '\n';
    self.tasks.push_back(std::move(child));
  }
}

void world::complete(std::uint32_t w) {
  lesson_worker& self = workers_[w];
  if (options_.prints) line(w) << "Completed " << self.running.name << '\n';
  self.is_busy = false;
  last_completion_s_ = now_s_;
}

// ---- the scheduler --------------------------------------------------------------------------------------------------

void world::submit(double duration_s) {
  lesson_task task{std::string{"T"}.append(std::to_string(++submitted_)), duration_s};
  const std::uint32_t chosen = random_.below(options_.workers);
  if (options_.prints) line() << "Submitted " << task.name << " to Worker " << chosen << '\n';
  place(chosen, std::move(task));
}

bool world::is_idle() const {
  return std::ranges::all_of(workers_, [](const lesson_worker& w) { return w.tasks.empty() && !w.is_busy; });
}

std::uint64_t world::executed() const {
  std::uint64_t sum = 0;
  for (const lesson_worker& w : workers_) sum += w.executed;
  return sum;
}

std::uint64_t world::stolen() const {
  std::uint64_t sum = 0;
  for (const lesson_worker& w : workers_) sum += w.stolen;
  return sum;
}

std::ostream& world::line() { return out_ << '[' << fixed(now_s_, 1) << "] "; }

std::ostream& world::line(std::uint32_t worker) { return line() << "Worker " << worker << ": "; }

void world::print_statistics() const {
  const auto of = static_cast<double>(std::max<std::uint64_t>(executed(), 1));
  out_ << "\n=== Statistics ===\nTotal tasks executed: " << executed() << "\nTotal tasks stolen: " << stolen()
       << "\nSteal rate: " << fixed(static_cast<double>(100 * stolen()) / of, 1) << "%\n";
  for (std::size_t i = 0; i != workers_.size(); ++i) {
    const lesson_worker& w = workers_[i];
    out_ << "Worker " << i << ": executed=" << w.executed << ", stolen=" << w.stolen << ", queue=" << w.tasks.size()
         << '\n';
  }
}

}  // namespace filch::inline v0::sim::lesson
