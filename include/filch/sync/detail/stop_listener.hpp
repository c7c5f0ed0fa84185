// A function that is called when somebody asks to stop: a std::stop_callback that is made when it is needed, not
// before.
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

  // Once. Calls at once if it was asked before; otherwise on the thread that asks.
  void listen(const std::stop_token& stop, call what);
  // The call does not come any more; if it is under way on another thread, it has ended when this returns.
  void drop() noexcept {
    if (listens_) [[unlikely]]
      drop_callback();
  }

 private:
  void drop_callback() noexcept;

  bool listens_ = false;
  alignas(std::stop_callback<call>) std::byte place_[sizeof(std::stop_callback<call>)];
};

}  // namespace filch::inline v0::sync
