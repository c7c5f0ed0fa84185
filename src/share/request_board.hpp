// How the owner of one share point gets requests: which stack runs there, whether its next fork or its next join
// shall answer, and whether a request was deferred.
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "frame_list.hpp"
#include "request_cell.hpp"

#include <filch/base/atomics.hpp>
#include <filch/policy/demand.hpp>
#include <filch/share/latent.hpp>

#include <cstdint>

namespace filch::inline v0 {

class request_board {
 public:
  // `can_visit`: an owner that does not answer is visited, so that requests may go to joins.
  explicit request_board(bool can_visit) : can_visit_{can_visit} {}
  request_board(const request_board&) = delete;
  request_board& operator=(const request_board&) = delete;

  // ---- the owner ----
  // This stack runs from now on, or none, on the calling thread.
  void set_running(latent_stack* stack, std::int32_t thread_number) {
    thread_number_.store(thread_number, std::memory_order_relaxed);  // statistic
    // [L6] release store: publishes the stack → [L7].
    running_.store(stack, std::memory_order_release);
  }
  // A join has got a request, and has offered something or had nothing to offer.
  void note_answer(bool has_offered) {
    const policy::join_answers before{answers_.load(std::memory_order_relaxed)};  // statistic
    const policy::join_answers after = before.after(has_offered);
    if (after != before) answers_.store(after.count(), std::memory_order_relaxed);  // statistic
  }

  // ---- requests ----
  // The stack that runs shall promote a frame at its next fork or join.
  void request(const policy::demand& rules) {
    if (latent_stack* const stack = running()) request(*stack, rules);
  }
  // The same of a stack that runs here.
  void request(latent_stack& stack, const policy::demand& rules) {
    const policy::join_answers answers{answers_.load(std::memory_order_relaxed)};  // statistic
    if (answers.request(can_visit_, has_latent_work(stack), rules) == policy::join_answers::target::join) {
      post_request(stack.join_limit, latent_stack::k_join_requested);
    } else {
      post_request(stack.fork_limit, latent_stack::k_fork_requested);
    }
  }
  [[nodiscard]] bool do_joins_answer() const {
    return policy::join_answers{answers_.load(std::memory_order_relaxed)}.do_answer();  // statistic
  }
  // A join shall answer here, and no fork would. Of what is forked meanwhile, only the monitor thread hears.
  [[nodiscard]] bool awaits_join() const {
    const latent_stack* const stack = running();
    return stack != nullptr && is_join_requested(*stack) &&
           stack->fork_limit.load(std::memory_order_relaxed) < latent_stack::k_heartbeat;  // statistic
  }
  // No join comes: forks shall answer again.
  void return_to_forks() {
    answers_.store(0, std::memory_order_relaxed);  // statistic
    if (latent_stack* const stack = running()) post_request(stack->fork_limit, latent_stack::k_fork_requested);
  }

  // ---- deferred requests ----
  // A worker sleeps and would have requested. The caller sees to it that a worker that lingers, or the monitor thread,
  // knows (share_host::announce_deferred).
  void defer() { deferred_.defer(); }
  [[nodiscard]] bool has_deferred() const { return deferred_.is_deferred(); }
  // True: nothing is deferred any more, and the caller makes the request.
  [[nodiscard]] bool take_deferred() { return deferred_.take(); }

  // ---- what runs ----
  // The stack that runs shall record its open frames at its next fork, and divide its loop.
  enum class hearing : std::uint8_t {
    nothing,  // no frame is open that was not recorded
    told,     // it will hear of it
    unheard,  // it was told before, and has not forked since
  };
  hearing beat() {
    latent_stack* const stack = running();
    if (stack == nullptr) return hearing::nothing;
    // statistic: a hint
    const bool is_all_recorded =
        stack->newest.load(std::memory_order_relaxed) == stack->last_recorded.load(std::memory_order_relaxed);
    std::uintptr_t limit = stack->fork_limit.load(std::memory_order_relaxed);  // statistic
    if (limit >= latent_stack::k_heartbeat) return is_all_recorded ? hearing::nothing : hearing::unheard;
    // Also where nothing is open: a loop over a list, a partition or a merge forks only when work is requested.
    // statistic: a request for work is more important
    (void)stack->fork_limit.compare_exchange(limit, latent_stack::k_heartbeat, std::memory_order_relaxed,
                                             std::memory_order_relaxed);
    return is_all_recorded ? hearing::nothing : hearing::told;
  }
  [[nodiscard]] latent_stack* running() const {
    // [L7] acquire load: the stack is complete ← [L6].
    return running_.load(std::memory_order_acquire);
  }
  // With the point locked: no visitor finds a stack here any more.
  void leave() {
    running_.store(nullptr, std::memory_order_relaxed);  // ordered by [V2]
  }
  // The owner's thread, as the system numbers it; 0: there was none yet. A signal to the wrong thread does nothing.
  [[nodiscard]] std::int32_t thread_number() const {
    return thread_number_.load(std::memory_order_relaxed);  // statistic
  }

 private:
  const bool can_visit_;
  std_atomics::atomic<latent_stack*> running_{nullptr};
  std_atomics::atomic<std::int32_t> thread_number_{0};
  deferred_request<> deferred_;
  std_atomics::atomic<std::uint32_t> answers_{0};  // of joins lately
};

}  // namespace filch::inline v0
