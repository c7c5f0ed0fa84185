#include <filch/coro/switching.hpp>

#include "coro/ticket.hpp"
#include "runtime/core.hpp"
#include "runtime/worker.hpp"

#include <new>
#include <stdexcept>
#include <string>

namespace filch::inline v0::coro {

// Into the own mail, which is looked at when the deque is empty, and in turn with the injector.
void queue_behind_others(coroutine_entry& who) noexcept {
  const worker& me = *worker::current();
  me.home.put_behind(who, me.self);
}

bool queue_behind_others(std::coroutine_handle<> who) noexcept {
  auto* const made = new (std::nothrow) ticket{who};
  if (made == nullptr) return false;
  const worker& me = *worker::current();
  me.home.place(*made, me.self);
  return true;
}

void queue_at(worker_id where, coroutine_entry& who) noexcept { worker::current()->home.put_at(who, where); }

void require_worker(worker_id where) {
  const std::uint32_t workers = *worker::current()->home.chosen.workers;
  if (where.value < workers) return;
  throw std::invalid_argument("filch: on worker " + std::to_string(where.value) + ": allowed is 0 to " +
                              std::to_string(workers - 1));
}

}  // namespace filch::inline v0::coro
