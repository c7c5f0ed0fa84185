#include "plan.hpp"

namespace filch::tool {
namespace {

template <class Task, class Function>
void visit(Task& task, const Function& function) {
  function(task);
  for (auto& child : task.children) visit(child, function);
}

}  // namespace

std::size_t plan::number_tasks() {
  std::size_t next = 0;
  for (planned_task& root : roots) visit(root, [&](planned_task& task) { task.number = next++; });
  return next;
}

std::vector<const planned_task*> plan::tasks() const {
  std::vector<const planned_task*> all;
  for (const planned_task& root : roots) visit(root, [&](const planned_task& task) { all.push_back(&task); });
  return all;
}

time_ns plan::work_ns() const {
  time_ns sum = 0;
  for (const planned_task& root : roots) visit(root, [&](const planned_task& task) { sum += task.cpu_ns; });
  return sum;
}

std::vector<std::size_t> plan::load(std::uint32_t workers) const {
  std::vector<std::size_t> counts(workers);
  for (const planned_task& root : roots) {
    if (root.home.is_some()) ++counts[root.home.value];
  }
  return counts;
}

std::string numbered(std::string_view what, std::uint64_t number) {
  std::string out{what};
  return out.append(std::to_string(number));
}

time_ns scaled_ns(double seconds, double time_scale) {
  return static_cast<time_ns>(seconds * time_scale * static_cast<double>(k_ns_per_s));
}

}  // namespace filch::tool
