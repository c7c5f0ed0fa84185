#include <filch/share/local_work.hpp>

#include <new>
#include <utility>

namespace filch::inline v0 {

namespace detail {

constinit thread_local local_work* running_local_work = nullptr;

}  // namespace detail

free_blocks::~free_blocks() {
  for (free_block* each : {first, reserve}) {
    while (each != nullptr) ::operator delete(std::exchange(each, each->next));
  }
}

}  // namespace filch::inline v0
