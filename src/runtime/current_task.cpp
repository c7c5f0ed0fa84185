#include "current_task.hpp"

#include "base/escape.hpp"

namespace filch::inline v0 {

std::string current_task::describe() const {
  const std::uint64_t number = number_.load(std::memory_order_relaxed);  // statistic
  if (number == task_id::none().value) return "no task";
  const char* const name = name_.load(std::memory_order_relaxed);  // statistic
  std::string text = "task ";
  text += std::to_string(number);
  if (name != nullptr) text.append(" (").append(escape::shown(name)).append(")");
  return text;
}

}  // namespace filch::inline v0
