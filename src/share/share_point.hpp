// Where latent work of one worker or external thread is offered, and how others ask for it.
//
// Who may call what: the thread that holds the share point, unless a function says otherwise. A thread that does not fork or
// join for long, or is blocked, is visited: another one locks the share point and offers what lies there (runtime/visit.hpp).
#pragma once

#include "transfer_cell.hpp"
#include "request_cell.hpp"
#include "runtime/visit_pace.hpp"
#include "runtime/work_stack.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/share/range_frame.hpp>
#include <filch/share/local_work.hpp>
#include <filch/share/latent.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/runtime/task.hpp>
#include <filch/share/visit.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace filch::inline v0 {

class share_point;

// A latent frame that was offered, or a part of one that is a range. Two references: the frame's and the cell's.
class offered_task final : public task_base {
 public:
  offered_task(latent_frame& of, share_point& at, task_id parent_)
      : task_base{2}, parent{parent_}, point{&at}, children{1}, frame_{&of} {
    ignores_shutdown = true;
  }

  const task_id parent;
  // Where it was offered: its stack may have changed its worker since.
  share_point* const point;
  child_counter children;
  // Of a part.
  index_range part{0, 0};
  offered_task* older_part = nullptr;
  bool is_recorded = false;  // it is only in a recording, and in no cell
  std::exception_ptr error;  // written before `children` is counted down

  // The frame that it is a part of; null: it is the frame's child.
  [[nodiscard]] detail::range_frame* range() const {
    return frame_->kind->run_part != nullptr ? static_cast<detail::range_frame*>(frame_) : nullptr;
  }

 private:
  void run() noexcept override;
  void abandon() noexcept override {}

  latent_frame* const frame_;
};

// Memory for one offer.
class offer_memory {
 public:
  offer_memory() = default;
  offer_memory(const offer_memory&) = delete;
  offer_memory& operator=(const offer_memory&) = delete;
  ~offer_memory() { ::operator delete(bytes_); }

  // Ahead of take(). False: there is none.
  [[nodiscard]] bool prepare() noexcept {
    if (bytes_ == nullptr) bytes_ = ::operator new(sizeof(offered_task), std::nothrow);
    return bytes_ != nullptr;
  }
  // For a new offered_task; null: there is none.
  [[nodiscard]] void* take() noexcept { return prepare() ? std::exchange(bytes_, nullptr) : nullptr; }

 private:
  static_assert(alignof(offered_task) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  void* bytes_ = nullptr;
};

// The running task resumes behind its children, or this one child, which others have run: for the record.
void trace_join() noexcept;
void trace_join(task_id child) noexcept;

// How often somebody may be woken for what a share point offers. A wake-up costs the one who offers a few microseconds: a
// program whose children are over sooner is left alone for a while, longer and longer; a child that was worth it halves
// that, a large one ends it.
class wake_throttle {
 public:
  // Any thread. What it returns is a hint, so all here is a statistic.
  [[nodiscard]] bool may_wake(time_ns now_ns) const { return now_ns >= not_before_ns(); }
  // Any thread.
  [[nodiscard]] time_ns not_before_ns() const {
    return not_before_ns_.load(std::memory_order_relaxed);  // statistic
  }
  // Nearly all were over too soon lately.
  [[nodiscard]] bool is_throttled() const { return streak() >= k_throttled_streak; }
  // So many were over too soon, at most k_longest_streak; half as many behind each that was not, none behind a large
  // one.
  [[nodiscard]] std::uint32_t streak() const {
    return streak_.load(std::memory_order_relaxed);  // statistic
  }
  // A child that was offered is over, or was taken back, after so long.
  void note(time_ns lasted_ns, time_ns now_ns) {
    const bool was_tiny = lasted_ns < k_tiny_ns;
    if (!was_tiny && streak_.load(std::memory_order_relaxed) == 0) return;  // statistic
    const std::uint32_t before = streak_.load(std::memory_order_relaxed);   // statistic
    const std::uint32_t left = lasted_ns < k_large_ns ? before / 2 : 0;
    const std::uint32_t streak = was_tiny ? std::min(before + 1, k_longest_streak) : left;
    streak_.store(streak, std::memory_order_relaxed);                                                 // statistic
    not_before_ns_.store(was_tiny ? now_ns + (k_pause_ns << streak) : 0, std::memory_order_relaxed);  // statistic
  }

 private:
  static constexpr time_ns k_tiny_ns = 5 * k_ns_per_us;  // guess: what a wake-up costs
  // guess: a tiny one with all its data in another cache takes less
  static constexpr time_ns k_large_ns = 50 * k_ns_per_us;
  static constexpr time_ns k_pause_ns = k_ns_per_us;
  static constexpr std::uint32_t k_longest_streak = 6;
  static constexpr std::uint32_t k_throttled_streak = 3;

  std_atomics::atomic<std::uint32_t> streak_{0};
  std_atomics::atomic<time_ns> not_before_ns_{0};
};

class alignas(k_no_sharing_bytes) share_point {
 public:
  // A worker's has its list of children, too. `asks_joins`: who does not answer is visited, so that joins may be asked.
  explicit share_point(bool asks_joins, local_work* of = nullptr) : work_{of}, asks_joins_{asks_joins} {}
  share_point(const share_point&) = delete;
  share_point& operator=(const share_point&) = delete;

  detail::point_lock<> lock;  // of the offers made here, and of the list of the stack that runs
  transfer_cell<queue_entry> cell;
  wake_throttle pace;
  visit_pace visits;
  // Of a thread that holds no worker: its task, for recordings.
  std_atomics::atomic<std::uint64_t> task_number{task_id::none().value};

  static constexpr time_ns k_aged_ns = 3 * k_ns_per_us;  // guess

  // Any thread: is there an offer that is worth a theft? Where children are tiny only one that has lain there for a
  // while is: its owner takes the others back soon.
  [[nodiscard]] bool has_aged_offer() const {
    return cell.has_offer() && (!pace.is_throttled() || is_aged(monotonic_now_ns()));
  }
  [[nodiscard]] bool is_aged(time_ns now_ns) const { return now_ns - offered_ns() >= k_aged_ns; }
  // When the newest offer was made and announced.
  [[nodiscard]] time_ns offered_ns() const {
    return offered_ns_.load(std::memory_order_relaxed);  // statistic
  }
  void note_offer() {
    offered_ns_.store(monotonic_now_ns(), std::memory_order_relaxed);  // statistic
  }

  // Any thread: as ask(), by one who is about to sleep. If the pace forbids it, one who lingers or the monitor thread asks
  // later.
  void request_before_sleep(time_ns now_ns) {
    if (pace.may_wake(now_ns)) (void)ask();
    else owe();
  }
  // Any thread: somebody sleeps and would have asked.
  // Whoever owes sees to it that one who lingers or the monitor thread knows (core::announce_deferred).
  void owe() { owed_.owe(); }
  [[nodiscard]] bool has_deferred() const { return owed_.has_deferred(); }
  // Any thread: makes good what was deferred if the pace allows it. True: it has asked.
  bool pay(time_ns now_ns) { return pace.may_wake(now_ns) && flush_deferred_at_once(); }
  // Any thread: the same, whatever the pace says.
  bool flush_deferred_at_once() {
    if (!owed_.pay()) return false;
    (void)ask();
    return true;
  }

  // Any thread: who runs here shall offer something at its next fork or join. True: it has something to offer, but
  // nothing is offered.
  bool ask() {
    // statistic
    if (work_ != nullptr && work_->wanted.load(std::memory_order_relaxed) != request_kind::work) {
      work_->wanted.store(request_kind::work, std::memory_order_relaxed);  // statistic
    }
    if (latent_stack* const stack = running()) ask(*stack);
    return withholds();
  }
  // Any thread: the same of a stack that runs here. Once a fork has answered, the processor knows its branch and every
  // fork costs a cycle more; that of a join is free. So joins are asked where they can answer, which is where a fork is
  // open already, or joins have answered before, and where who forks and does not join can be visited.
  void ask(latent_stack& stack) {
    if (answers_at_joins() || (asks_joins_ && has_latent_work(stack))) {
      post_request(stack.join_limit, latent_stack::k_join_requested);
    } else {
      post_request(stack.fork_limit, latent_stack::k_fork_requested);
    }
  }
  // Any thread.
  [[nodiscard]] bool answers_at_joins() const {
    return answers_.load(std::memory_order_relaxed) != 0;  // statistic
  }
  // A join was asked, and has offered something or had nothing to offer.
  void note_answer(bool has_offered) {
    const std::uint32_t before = answers_.load(std::memory_order_relaxed);  // statistic
    const std::uint32_t after = has_offered ? std::min(before + 1, k_most_answers) : before - std::min(before, 1u);
    if (after != before) answers_.store(after, std::memory_order_relaxed);  // statistic
  }
  // Any thread: a join shall answer here, and no fork would. Of what is forked meanwhile, only the monitor thread hears.
  [[nodiscard]] bool awaits_join() const {
    const latent_stack* const stack = running();
    // statistic
    return stack != nullptr && is_asked(*stack) &&
           stack->fork_limit.load(std::memory_order_relaxed) < latent_stack::k_heartbeat;
  }
  // Any thread: forks shall answer again.
  void give_up_joins() {
    answers_.store(0, std::memory_order_relaxed);  // statistic
    if (latent_stack* const stack = running()) post_request(stack->fork_limit, latent_stack::k_fork_requested);
  }
  // Any thread: the stack that runs here shall note its open frames at its next fork, and divide its loop.
  enum class hearing : std::uint8_t {
    nothing,  // no frame is open that was not noted
    told,     // it will hear of it
    unheard,  // it was told before, and has not forked since
  };
  hearing beat() {
    latent_stack* const stack = running();
    if (stack == nullptr) return hearing::nothing;
    // statistic: a hint
    const bool is_all_recorded =
        stack->newest.load(std::memory_order_relaxed) == stack->last_recorded.load(std::memory_order_relaxed);
    std::uintptr_t fork_limit = stack->fork_limit.load(std::memory_order_relaxed);  // statistic
    if (fork_limit >= latent_stack::k_heartbeat) return is_all_recorded ? hearing::nothing : hearing::unheard;
    // Also where nothing is open: a loop over a list, a partition or a merge forks only when it is asked.
    // statistic: one who wants work is more important
    (void)stack->fork_limit.compare_exchange(fork_limit, latent_stack::k_heartbeat, std::memory_order_relaxed,
                                             std::memory_order_relaxed);
    return is_all_recorded ? hearing::nothing : hearing::told;
  }
  // Any thread: as the result of ask().
  [[nodiscard]] bool withholds() const {
    if (cell.has_offer()) return false;
    return withholds_forks() || (work_ != nullptr && work_->ready.size() != 0);
  }
  // Any thread: the same, but for coroutines that are ready when what runs here suspends or ends.
  [[nodiscard]] bool withholds_forks() const {
    const latent_stack* const stack = running();
    return (stack != nullptr && has_latent_work(*stack)) || (work_ != nullptr && has_pending(*work_));
  }
  // Any thread: coroutines wait here or are offered. Nobody else may run them, while the child of a fork is run by its
  // owner if no thief comes.
  [[nodiscard]] bool has_coroutines() const {
    if (work_ == nullptr) return false;
    const bool is_offered = cell.has_offer() && offers_coroutine_.load(std::memory_order_relaxed);  // hint
    return is_offered || work_->ready.size() != 0 || has_pending(*work_);
  }
  // Any thread: so many tasks, or parts of coroutines, have begun here.
  [[nodiscard]] std::uint64_t stretches() const {
    return work_ != nullptr ? work_->stretches.load(std::memory_order_relaxed) : 0;  // statistic
  }
  // Any thread: the thread that holds the share point, as the system numbers it; 0: nobody yet.
  [[nodiscard]] std::int32_t thread_number() const {
    return thread_number_.load(std::memory_order_relaxed);  // statistic: a signal to the wrong thread does nothing
  }

  // The calling thread holds the share point from now on, and this is the stack that runs, or none. Requests that the one
  // before may have got are made good by looking once. The share point is closed, or nobody has held it.
  void listen(latent_stack* running, bool may_have_missed);
  // The calling thread does not hold the share point any more.
  void leave();

  // Offers the oldest latent frame of `stack`, if there is one and the cell is free; of a range one half, or all that
  // is left. With the share point closed.
  using share = detail::range_frame::share;
  bool promote_oldest(latent_stack& stack, runtime::core& home, task_id parent, share how = share::half) noexcept;
  // Any thread: the same for who runs here, or a child of a coroutine, or a coroutine that are ready. True: something
  // is offered now. If nothing was found the request stands: the next fork or join answers.
  bool visit(runtime::core& home) noexcept;

 private:
  [[nodiscard]] latent_stack* running() const {
    // [L7] acquire load: the stack is complete ← [L6].
    return running_.load(std::memory_order_acquire);
  }
  [[nodiscard]] offered_task* make_offer(latent_stack& stack, latent_frame* newest, runtime::core& home, task_id parent,
                                         offer_memory& memory) noexcept;
  [[nodiscard]] queue_entry* take_frame(runtime::core& home, offer_memory& memory) noexcept;
  [[nodiscard]] queue_entry* take_coroutine() noexcept;
  void put_out(queue_entry& made) noexcept;

  local_work* const work_;
  const bool asks_joins_;
  std_atomics::atomic<latent_stack*> running_{nullptr};
  std_atomics::atomic<std::int32_t> thread_number_{0};
  deferred_request<> owed_;
  std_atomics::atomic<time_ns> offered_ns_{0};
  std_atomics::atomic<bool> offers_coroutine_{false};  // what lies in the cell
  std_atomics::atomic<std::uint32_t> answers_{0};      // of joins lately
  // guess: at the end of a recursion some joins in a row have nothing to offer
  static constexpr std::uint32_t k_most_answers = 16;
};

// Between the two no visitor comes to the share point of the calling thread, if it has one, or to the stack that runs: around
// everything that changes the list of latent frames other than by fork_latent() and join_latent(), and around a switch
// of stacks, behind which the thread opens what it has closed. Does not nest.
void close_point() noexcept;
void open_point() noexcept;

class closed_point {
 public:
  closed_point() noexcept { close_point(); }
  closed_point(const closed_point&) = delete;
  closed_point& operator=(const closed_point&) = delete;
  ~closed_point() { open_point(); }
};

// How often a thief asks: one that got tiny tasks asks less and less often, so that it does not make its victim publish
// at every fork.
class request_pace {
 public:
  [[nodiscard]] bool may_ask(time_ns now_ns) {
    if (taken_at_ns_ != 0) {
      judge(now_ns - taken_at_ns_ < k_tiny_ns, now_ns);
      taken_at_ns_ = 0;
    }
    return now_ns >= not_before_ns_;
  }
  // What it has taken is done, and was tiny or not.
  void judge(bool was_tiny, time_ns now_ns) {
    pause_ns_ = was_tiny ? std::min(pause_ns_ * 2, k_max_pause_ns) : k_min_pause_ns;
    not_before_ns_ = was_tiny ? now_ns + pause_ns_ : 0;
  }
  // It has taken something. True: the victim should put the next offer out ahead of time.
  [[nodiscard]] bool take(time_ns now_ns) {
    taken_at_ns_ = now_ns;
    return pause_ns_ == k_min_pause_ns;
  }

 private:
  static constexpr time_ns k_tiny_ns = 2 * k_ns_per_us;
  static constexpr time_ns k_min_pause_ns = 500;
  static constexpr time_ns k_max_pause_ns = 50 * k_ns_per_us;

  time_ns pause_ns_ = k_min_pause_ns;
  time_ns not_before_ns_ = 0;
  time_ns taken_at_ns_ = 0;
};

}  // namespace filch::inline v0
