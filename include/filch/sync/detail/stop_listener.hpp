// A std::stop_callback that is constructed on demand.
#pragma once

#include <cstddef>
#include <stop_token>

namespace filch::inline v0::sync {

class stop_listener {
 public:
  struct call {
    void (*function)(void* with) noexcept;
    void* with;
    void operator()() const noexcept { function(with); }
  };

  stop_listener() noexcept {}
  stop_listener(const stop_listener&) = delete;
  stop_listener& operator=(const stop_listener&) = delete;
  ~stop_listener() { drop(); }

  // Call it once. If a stop was requested before, `what` runs at once; otherwise on the requesting thread.
  void listen(const std::stop_token& stop, call what);
  // Afterwards `what` is not called any more. Waits for a concurrent call to return.
  void drop() noexcept {
    if (listens_) [[unlikely]]
      drop_callback();
  }

 private:
  void drop_callback() noexcept;

  bool listens_ = false;
  alignas(std::stop_callback<call>) std::byte storage_[sizeof(std::stop_callback<call>)];
};

}  // namespace filch::inline v0::sync
