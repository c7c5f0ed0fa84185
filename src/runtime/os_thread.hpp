// A thread of the system with a chosen stack size, whose creation may fail as a value.
#pragma once

#include <filch/topology/cpu_set.hpp>

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <system_error>

namespace filch::inline v0 {

class os_thread {
 public:
  os_thread() = default;
  os_thread(const os_thread&) = delete;
  os_thread& operator=(const os_thread&) = delete;
  ~os_thread();  // must have been joined

  // `stack_bytes` 0: the system's default. The name is cut to the 15 characters that the system keeps.
  [[nodiscard]] std::error_code start(std::string name, std::size_t stack_bytes, std::function<void()> body) noexcept;
  // Binds it to this CPU, if it may run there.
  void bind(topology::cpu_number cpu) noexcept;
  void join();

 private:
  pthread_t handle_{};
  bool is_running_ = false;
};

}  // namespace filch::inline v0
