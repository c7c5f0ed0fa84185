#include <filch/sync/short_lock.hpp>

#include <thread>

namespace filch::inline v0::sync {

void give_way() noexcept { std::this_thread::yield(); }

}  // namespace filch::inline v0::sync
