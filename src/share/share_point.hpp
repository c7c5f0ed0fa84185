// Where the latent work of one worker, or of one external thread, is requested and offered.
//
// Who may call what: `owner.hpp`, `thief.hpp` and `visitor.hpp` have the verbs of each role; the words below are atomic
// or guarded by `lock`. README.md in include/filch/share is the protocol.
#pragma once

#include "offer_place.hpp"
#include "request_board.hpp"
#include "share_host.hpp"
#include "shared_pace.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/ids.hpp>
#include <filch/policy/demand.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/local_work.hpp>
#include <filch/share/visit.hpp>

#include <cstdint>

namespace filch::inline v0 {

struct alignas(k_no_sharing_bytes) share_point {
  // A worker's has its coroutines and records its forks; an external thread's has neither. `task_number_`: of the task
  // that runs, for recordings.
  share_point(share_host& host_, const policy::demand& rules_, bool can_visit,
              const std_atomics::atomic<std::uint64_t>& task_number_, local_work* coroutines_ = nullptr,
              fork_recorder* recorder_ = nullptr)
      : host{host_},
        rules{rules_},
        task_number{task_number_},
        coroutines{coroutines_},
        recorder{recorder_},
        requests{can_visit} {}
  share_point(const share_point&) = delete;
  share_point& operator=(const share_point&) = delete;

  // Immutable.
  share_host& host;
  const policy::demand& rules;
  const std_atomics::atomic<std::uint64_t>& task_number;
  local_work* const coroutines;
  fork_recorder* const recorder;

  detail::point_lock<> lock;  // of the offers made here, and of the list of the stack that runs
  offer_place offers;
  request_board requests;
  shared_throttle throttle;
  shared_visit_pace visits;
};

// ---- any thread, as hints -------------------------------------------------------------------------------------------

// Are there forks, or children of coroutines, that a request could get?
[[nodiscard]] inline bool withholds_forks(const share_point& of) {
  const latent_stack* const stack = of.requests.running();
  return (stack != nullptr && has_latent_work(*stack)) || (of.coroutines != nullptr && has_pending(*of.coroutines));
}
// Is there work, while nothing is offered?
[[nodiscard]] inline bool withholds(const share_point& of) {
  if (of.offers.is_filled()) return false;
  return withholds_forks(of) || (of.coroutines != nullptr && of.coroutines->ready.size() != 0);
}
// Do coroutines wait here, or are they offered? No other worker may run them, while the child of a fork is run by its
// owner if no thief comes.
[[nodiscard]] inline bool has_coroutines(const share_point& of) {
  if (of.coroutines == nullptr) return false;
  return of.offers.holds_coroutine() || of.coroutines->ready.size() != 0 || has_pending(*of.coroutines);
}
[[nodiscard]] inline bool has_offer_worth_taking(const share_point& of) {
  return of.offers.is_filled() && of.offers.is_worth_taking(of.throttle.value(), of.rules);
}
// The number of tasks, and parts of coroutines, that have begun here.
[[nodiscard]] inline std::uint64_t begun_at(const share_point& of) {
  return of.coroutines != nullptr ? of.coroutines->begun.load(std::memory_order_relaxed) : 0;  // statistic
}

// ---- the calling thread's -------------------------------------------------------------------------------------------

// Null: the thread has no worker and is in no external section; all that it forks it runs.
[[nodiscard]] share_point* share_point_here() noexcept;
void set_share_point_here(share_point* held) noexcept;

// Between the two no visitor comes to the share point of the calling thread, if it has one, or to the stack that runs:
// around everything that changes the list of latent frames other than by fork_latent() and join_latent(), and around a
// switch of stacks, behind which the thread opens what it has closed. Does not nest.
void close_point() noexcept;
void open_point() noexcept;

class closed_point {
 public:
  closed_point() noexcept { close_point(); }
  closed_point(const closed_point&) = delete;
  closed_point& operator=(const closed_point&) = delete;
  ~closed_point() { open_point(); }
};

}  // namespace filch::inline v0
