#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>

#include "coro/ticket.hpp"
#include "runtime/port.hpp"

#include <new>
#include <stdexcept>
#include <string>

namespace filch::inline v0::coro {

void queue_behind_others(coroutine_entry& who) noexcept { port::put_behind(who); }

bool queue_behind_others(std::coroutine_handle<> who) noexcept {
  auto* const made = new (std::nothrow) ticket{who};
  if (made == nullptr) return false;
  port::place_here(*made);
  return true;
}

void queue_at(worker_id where, coroutine_entry& who) noexcept { port::put_at(who, where); }

bool is_at(const runtime& there, const promise_base& who) {
  if (&port::home_of(there) == &port::here()) return true;
  if (!who.is_spawned) {
    throw usage_error(
        "filch: on(runtime): this coroutine is awaited by another, or waited for by a stack, which would go "
        "along. Await filch::spawn(there, work()) instead");
  }
  return false;
}

// The task counts as unfinished in both runtimes until it has arrived, so neither of them can end meanwhile.
void queue_at(const runtime& there, coroutine_entry& who) { port::move_to(port::home_of(there), who); }

void arrive(const promise_base& who) noexcept { static_cast<spawned&>(*who.context).arrive(); }

void require_worker(worker_id where) {
  const std::uint32_t workers = port::facts_of(port::here()).workers;
  if (where.value < workers) return;
  throw std::invalid_argument("filch: on worker " + std::to_string(where.value) + ": allowed is 0 to " +
                              std::to_string(workers - 1));
}

}  // namespace filch::inline v0::coro
