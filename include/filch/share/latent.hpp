// Latent work: a fork that costs nearly nothing until a thief requests it.
//
// A fork compares the address of a frame, which lies on the caller's stack, with one word, and links it into the list
// of that stack; nothing shared is written. A join that finds its frame still latent unlinks it and calls the child: no
// read-modify-write, no fence. When a thief requests work, the next fork or join promotes the stack's *oldest* latent
// frame: it offers it in its worker's transfer cell. A thief takes it from there with one exchange, the owner takes it
// back with one compare-exchange. A join whose child was taken suspends its stack, and the thread that ends the child
// resumes it.
//
// A fork compares with the stack's fork limit: normally the lowest address at which a frame still has enough stack
// below it, and above every address when the next fork shall promote something. So one comparison finds both a request
// and the end of the stack. A thread that takes no part has a stack that stands for "none", with a limit above every
// address: the same comparison finds that, too. A join compares with the stack's join limit: the address of the last
// frame that was seen, since its join has more to do, and 0 when the next join shall promote something. A request
// chooses one of the two (policy::join_answers).
//
// The fast path is fork_latent() and join_latent(); the slow paths lie in src/share/slow_paths.cpp.
//
// Who may call what: the code that runs on the stack; `is_share_requested` and `has_latent_work` any thread, as a hint.
// Another thread may visit the stack between any two instructions of fork_latent() and join_latent(), and promote a
// frame: see share/visit.hpp.
//
// Invariants
//   I1  The frames of a stack form a list, and only the newest is unlinked. A fork links its frame to the older one
//       only; a search for the oldest links them the other way, too: these frames were *seen*. The seen ones are a
//       prefix of the list, those that others could take a prefix of these: so the newest was seen if and only if it is
//       `last_seen`. That one does not lie below the join limit. A frame that lies below it was never seen, and its
//       join is done. One that does not may still be fresh: newer frames usually have lower addresses, but those of one
//       function lie as the compiler likes, and those in a coroutine on the heap (src/share/frame_list.hpp).
//   I2  When a join must wait, every older frame of its stack was offered: a suspended stack hides no work.
//   I3  A frame is touched by its own stack only, or by a visitor; but for its child's function and result, which
//       belong to the thread that runs it.
//   I4  No thread needs to take an offer: its join takes it back. A lost request costs parallelism, never progress.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/machine_code.hpp>
#include <filch/base/thread_local_word.hpp>
#include <filch/share/claimed_range.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/visit.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace filch::inline v0 {

class offered_task;
struct latent_frame;

// What frames of one type have in common.
struct latent_kind {
  void (*run_child)(latent_frame&) noexcept;
  const char* (*label)(const latent_frame&) noexcept;  // what the child is called in recordings
  // Not null: it is a range_frame (share/range_frame.hpp), and this runs a part of it. Returns its exception.
  std::exception_ptr (*run_part)(latent_frame&, index_range) noexcept = nullptr;
};

struct latent_frame {
  latent_frame* older;
  const latent_kind* kind;
  latent_frame* newer;  // meaningful if it was seen and is not the last of those
  offered_task* offer;  // meaningful if it was seen; null: it was neither offered nor recorded
};

// The latent work of one stack.
struct latent_stack {
  static constexpr std::uintptr_t k_fork_requested = UINTPTR_MAX;
  static constexpr std::uintptr_t k_heartbeat = UINTPTR_MAX - 1;  // no work is requested, but forks are to be recorded
  static constexpr std::uintptr_t k_none = UINTPTR_MAX;           // low_mark of the stack that stands for none
  static constexpr std::uintptr_t k_join_requested = 0;
  static constexpr std::uintptr_t k_no_join_limit = UINTPTR_MAX;

  constexpr latent_stack() = default;
  constexpr latent_stack(std::uintptr_t limit, std::uintptr_t low) : fork_limit{limit}, low_mark{low} {}

  std_atomics::atomic<latent_frame*> newest{&bottom};
  // A join whose frame does not lie below takes the slow path; any thread may request.
  std_atomics::atomic<std::uintptr_t> join_limit{k_no_join_limit};
  // A fork whose frame lies below takes the slow path; any thread may raise it.
  std_atomics::atomic<std::uintptr_t> fork_limit{0};
  std::uintptr_t low_mark = 0;  // the fork limit while nothing is requested
  std::uint32_t stays = 0;      // not 0: a join that waits keeps its thread
  bool is_private = false;      // no requests come: its worker is the only one, and nothing is recorded
  bool shows_loops = false;     // its loops divide themselves: one worker records its forks
  std::uint32_t loops = 0;      // how many parallel loops have begun on it
  std_atomics::atomic<latent_frame*> last_seen{&bottom};
  std_atomics::atomic<latent_frame*> last_shared{&bottom};    // the last that others could take
  std_atomics::atomic<latent_frame*> last_recorded{&bottom};  // the last of those that are in a recording or shared
  latent_frame bottom{nullptr, nullptr, nullptr, nullptr};
  // Of the coroutines that run on it, for symmetric_transfer.hpp.
  std::uintptr_t transfer_mark = 0;   // below it a transfer leaves the next one over
  std::coroutine_handle<> left_over;  // resumes when the stack is back where the first was resumed
  // The lowest address of the stack. A frame below it lies on a fiber that the program has made and runs here; of the
  // end of that nothing is known.
  std::uintptr_t lowest = 0;
};

// Is it the stack that stands for none? Nothing is ever linked there.
[[nodiscard]] inline bool is_none(const latent_stack& stack) { return stack.low_mark == latent_stack::k_none; }
// Does so little lie below a frame at this address that the next one may not fit? True for none.
[[nodiscard]] inline bool is_used_up(const latent_stack& stack, std::uintptr_t frame) {
  return frame < stack.low_mark && frame >= stack.lowest;
}
// Throws stack_exhausted if a frame of the caller's would have little stack left below it. Does nothing on a thread
// that takes no part.
[[gnu::cold]] void require_stack_left();
[[gnu::cold]] [[noreturn]] void throw_stack_exhausted();
// Shall the next join promote something?
[[nodiscard]] inline bool is_join_requested(const latent_stack& stack) {
  return stack.join_limit.load(std::memory_order_relaxed) == latent_stack::k_join_requested;  // statistic
}
namespace detail {
[[nodiscard]] inline bool is_limit_raised(const latent_stack& stack) {
  return stack.fork_limit.load(std::memory_order_relaxed) >= latent_stack::k_heartbeat ||
         is_join_requested(stack);  // statistic
}
}  // namespace detail
// Shall this stack promote something, or show its forks? A loop that can be divided looks from time to time.
[[nodiscard]] inline bool is_share_requested(const latent_stack& stack) {
  return detail::is_limit_raised(stack) || stack.shows_loops;
}
// Are there frames that could be offered?
[[nodiscard]] inline bool has_latent_work(const latent_stack& stack) {
  // statistic: a hint for others, exact for the stack itself
  return stack.newest.load(std::memory_order_relaxed) != stack.last_shared.load(std::memory_order_relaxed);
}

namespace detail {

// Stands for none, on every thread that does not take part.
extern constinit latent_stack no_latent_stack;

// The stack that the calling thread runs on. Read by latent_stack_here().
FILCH_THREAD_LOCAL_WORD(latent_stack*, running_latent_stack, "filch_v0_running_latent_stack", &no_latent_stack)

// Links `made`, and promotes the oldest latent frame if work is requested and nothing is offered. False: there is no
// stack to link it to. Throws stack_exhausted if there is too little left of the stack.
[[gnu::cold, gnu::noinline]] [[nodiscard]] bool fork_slow_path(latent_stack& stack, latent_frame& made);
// The same for a loop between two blocks: promotes or records older forks if there are any. True: a new one would be
// welcome; one that is not worth a wake-up only to workers that are awake.
[[gnu::cold, gnu::noinline]] [[nodiscard]] bool loop_slow_path(latent_stack& stack, bool is_worth_waking) noexcept;
// The frame, just unlinked, does not lie below the join limit. If it was offered, takes it back, or waits until its
// thief has finished it. Answers a request, but not while an exception leaves the functions one after the other: what
// is on its way to an end is not handed out. True: the caller runs the child.
enum class leaving : bool { normally, by_exception };
[[gnu::cold, gnu::noinline]] [[nodiscard]] bool join_slow_path(latent_stack& stack, latent_frame& frame,
                                                               leaving how) noexcept;

// Which part of something that all workers share is the calling worker's: from 0 for the first to 1 for the last.
[[gnu::cold]] [[nodiscard]] double home_part() noexcept;
// Is there a worker without work that does not sleep?
[[gnu::cold]] [[nodiscard]] bool is_thief_awake() noexcept;
// Is the exception that is handled now stack_exhausted?
[[gnu::cold]] [[nodiscard]] bool is_stack_exhausted() noexcept;

// While it lives, the child of a frame that join_slow_path() has given back runs: as a task of its own, if it was
// recorded.
class recorded_child {
 public:
  [[gnu::cold]] explicit recorded_child(const latent_frame& frame) noexcept;
  [[gnu::cold]] explicit recorded_child(task_id number) noexcept;
  recorded_child(const recorded_child&) = delete;
  recorded_child& operator=(const recorded_child&) = delete;
  [[gnu::cold]] ~recorded_child();

 private:
  task_record task_;  // without a number: it was not recorded
};

// The calling thread's; no_latent_stack if it takes no part. After a join the caller may be on another thread: the
// compiler must not keep the address of a thread-local from before, so it is not told that this is one.
[[nodiscard]] inline latent_stack& latent_stack_here() noexcept { return *detail::read_running_latent_stack(); }

}  // namespace detail

// The calling thread's; null if it takes no part.
[[nodiscard]] inline latent_stack* current_latent_stack() noexcept {
  latent_stack& here = detail::latent_stack_here();
  return is_none(here) ? nullptr : &here;
}

// Links `frame`, whose child another thread may run from now on. False: the frame lies below the fork limit, and was
// not linked; fork_slow_path() knows more.
[[nodiscard]] inline bool fork_latent(latent_stack& stack, latent_frame& frame, const latent_kind& kind) {
  frame.older = stack.newest.load(std::memory_order_relaxed);  // owner-only
  frame.kind = &kind;
  if (detail::is_address_below(&frame, stack.fork_limit)) [[unlikely]]
    return false;
  detail::link_newest(stack.newest, &frame);
  return true;
}

// What join_latent() found.
struct joined_frame {
  latent_stack* stack;
  latent_frame* frame;
  bool needs_slow_path;  // false: the caller runs the child
};

// Unlinks `newest`, the newest frame of the running stack. The stack is looked up again, and the frame's address
// computed again, so that nothing needs a register while the first function runs.
[[nodiscard]] inline joined_frame join_latent(latent_frame& newest) noexcept {
  latent_stack& stack = detail::latent_stack_here();
  detail::unlink_newest(stack.newest, newest.older);
  latent_frame* const frame = detail::address_again(newest);
  return {&stack, frame, detail::is_address_not_below(frame, stack.join_limit)};
}

}  // namespace filch::inline v0
