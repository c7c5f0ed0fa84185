#include <filch/sync/detail/stop_listener.hpp>

#include <memory>
#include <new>

namespace filch::inline v0::sync {

void stop_listener::listen(const std::stop_token& stop, call what) {
  ::new (static_cast<void*>(storage_)) std::stop_callback<call>(stop, what);
  listens_ = true;
}

void stop_listener::drop_callback() noexcept {
  listens_ = false;
  std::destroy_at(std::launder(reinterpret_cast<std::stop_callback<call>*>(storage_)));
}

}  // namespace filch::inline v0::sync
