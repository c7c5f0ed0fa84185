#include "share_point.hpp"

#include <utility>

namespace filch::inline v0 {
namespace {

constinit thread_local share_point* point_here = nullptr;
constinit thread_local share_point* point_closed = nullptr;

}  // namespace

// Not inlined, as everything that reads a thread-local near a switch of stacks: the compiler must not keep its address.
[[gnu::noinline]] share_point* share_point_here() noexcept { return point_here; }
[[gnu::noinline]] void set_share_point_here(share_point* held) noexcept { point_here = held; }

// Between these two the caller may have come to another thread.
[[gnu::noinline]] void close_point() noexcept {
  point_closed = point_here;
  if (point_closed != nullptr) point_closed->lock.lock();
}
[[gnu::noinline]] void open_point() noexcept {
  if (share_point* const closed = std::exchange(point_closed, nullptr)) closed->lock.unlock();
}

}  // namespace filch::inline v0
