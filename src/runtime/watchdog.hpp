// The watchdog: a thread of its own that reports tasks which hold a worker too long, and prints a dump on SIGUSR2. It
// exists only if one of the two is enabled, and sleeps in between.
#pragma once

#include "os_thread.hpp"

#include <filch/base/units.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace filch::inline v0 {

class watchdog {
 public:
  struct duties {
    std::optional<time_ns> every_ns{};  // how often `look` is called
    std::function<void()> look{};
    bool on_sigusr2 = false;
    std::function<void()> on_signal{};
  };

  // Throws std::system_error when the thread or its event cannot be made.
  watchdog(std::string name, duties what);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

 private:
  void run() noexcept;

  const duties duties_;
  int event_ = -1;  // written by the signal handler and by the destructor
  os_thread thread_;
};

}  // namespace filch::inline v0
