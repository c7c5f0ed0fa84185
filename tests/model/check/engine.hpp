// One execution at a time: threads as fibers, the scheduler, sleeping, locks and memory blocks. The policy of
// atomics.hpp calls it; tests do not.
//
// Every operation that another thread can notice is a scheduling point: the next thread is chosen before it. Plain
// reads and writes, construction, destruction and acquire or release fences are not: they change only what the thread
// itself knows, and a race on them is found by clocks in whichever order they run.
#pragma once

#include "check.hpp"
#include "explorer.hpp"
#include "memory.hpp"
#include "order.hpp"
#include "trace.hpp"

#include <filch/base/units.hpp>
#include <stack/fiber.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace filch::check {

class engine final : public memory_host {
 public:
  engine(const options& how, explorer& chooser);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  ~engine();

  // The engine whose execution is running; using a modelled object outside one fails an assertion.
  static engine& get();
  static bool is_running() { return running_ != nullptr; }

  // Runs one execution. Afterwards failed_as() says how it ended.
  void execute(const std::function<void(context&)>& body);
  [[nodiscard]] failure failed_as() const { return failure_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] const weakening& weakened() const { return weaken_; }
  [[nodiscard]] std::string format_schedule() const;

  // Threads.
  void spawn(std::string_view name, std::function<void()> function);
  void join_all(const std::source_location& where);

  // Atomics.
  location_id create(const void* address, std::uint64_t value, unsigned bytes, value_kind shown_as,
                     const std::source_location& where);
  void kill(const void* address, location_id id, const std::source_location& where);
  std::uint64_t load(const void* address, location_id id, std::memory_order order, const std::source_location& where);
  void store(const void* address, location_id id, std::uint64_t value, std::memory_order order,
             const std::source_location& where);
  std::uint64_t update(const void* address, location_id id, update_kind what, std::uint64_t operand,
                       std::memory_order order, const std::source_location& where);
  bool compare_exchange(const void* address, location_id id, std::uint64_t& expected, std::uint64_t desired,
                        std::memory_order success, std::memory_order failure, const std::source_location& where);
  void fence(std::memory_order order, const std::source_location& where);
  void light_fence(std::memory_order order, const std::source_location& where);
  // Every thread executes the fence, wherever it is; unless it is seq_cst, only the one that runs.
  void heavy_fence(std::memory_order order, const std::source_location& where);
  void pause(const std::source_location& where);

  // Plain data.
  location_id create_plain(const void* address, const std::source_location& where);
  void kill_plain(const void* address, location_id id, const std::source_location& where);
  void read_plain(const void* address, location_id id, const std::source_location& where);
  void write_plain(const void* address, location_id id, const std::source_location& where);

  // Memory blocks. `release` says that the block may be freed: the bytes stay until the execution ends.
  void* allocate(std::size_t bytes, std::size_t alignment, const std::source_location& where);
  void require_allocated(const void* block, const std::source_location& where);
  void release(void* block, const std::source_location& where);
  void poison(const void* first, std::size_t bytes, const std::source_location& where);

  // Sleeping.
  bool futex_wait(const void* address, location_id id, std::uint32_t expected, time_ns deadline_ns,
                  const std::source_location& where);
  void futex_wake(const void* address, location_id id, std::uint32_t count, const std::source_location& where);

  // Locks.
  std::uint32_t create_mutex(const void* address);
  void kill_mutex(const void* address, std::uint32_t id, const std::source_location& where);
  bool lock(const void* address, std::uint32_t id, bool may_wait, const std::source_location& where);
  void unlock(const void* address, std::uint32_t id, const std::source_location& where);

  // Names, notes, choices of the test.
  void set_name(const void* address, const char* name, std::uint32_t index, bool is_array);
  void note(std::string_view text);
  unsigned choose(unsigned count);

  unsigned choose_value(unsigned count) override { return chooser_.choose_value(count); }
  [[noreturn]] void fail(failure kind, std::string message) override;
  [[nodiscard]] std::string thread_name(unsigned thread) const override { return threads_[thread]->name; }

 private:
  enum class state : std::uint8_t { ready, finished, sleeping, sleeping_with_deadline, locking, joining };

  // A thread of the checked program.
  struct strand {
    fiber runs{256 * 1024};
    std::string name;
    std::function<void()> function;
    state now = state::finished;
    bool is_unstarted = false;  // has not reached its first operation
    bool is_timed_out = false;
    const void* waits_for = nullptr;
    std::source_location waits_at{};
    std::uint64_t gave_way_at = 0;  // the number of writes when it last gave way, + 1; 0: it did not
    unsigned idle_operations = 0;   // in a row without a write or a store seen for the first time
    unsigned passed_over = 0;       // how often others gave way since it last ran
  };
  struct block {
    std::byte* memory;
    std::size_t bytes;
    std::size_t alignment;
    bool is_freed;
    std::uint8_t owner;
    std::source_location made_at, freed_at;
  };
  struct lock_state {
    const void* address;
    bool is_alive, is_held;
    std::uint8_t holder;
    view_ref published;
  };

  static void run_thread(void* index, fiber& left);
  void run_body(unsigned index);

  // The scheduler (scheduler.cpp).
  void step(const std::source_location& where, bool is_yielding = false);
  void block_until_ready(state as, const void* what, const std::source_location& where);
  void finish_thread();
  void continue_with(unsigned next, bool last);
  [[nodiscard]] unsigned pick(bool is_current_ready, bool is_yielding);
  [[nodiscard]] std::uint64_t permitted(const thread_choice& among) const;
  void charge(const thread_choice& among, unsigned chosen);
  // Whether running it can lead to anything new: it did not give way, or something was written since.
  [[nodiscard]] bool is_fresh(const strand& t) const { return t.gave_way_at == 0 || writes_ >= t.gave_way_at; }
  bool rescue_by_timeout();
  [[noreturn]] void report_deadlock();
  void wrote() { ++writes_; }

  void record(event_kind kind, const std::source_location& where, std::uint32_t location = 0, order_bits order = 0,
              const outcome& what = {});
  void after(const outcome& what);
  void reset();
  void release_blocks();
  void end_of_body();
  lock_state& find_lock(const void* address, std::uint32_t id, const std::source_location& where);

  static engine* running_;

  const options& how_;
  explorer& chooser_;
  weakening weaken_;
  memory memory_{*this};
  fiber main_;
  std::vector<std::unique_ptr<strand>> threads_;  // the first thread_count_ are of this execution
  unsigned thread_count_ = 0;
  unsigned current_ = 0;
  std::source_location destroying_at_{};  // of the A::destroy that is running its object's destructor

  std::uint64_t steps_ = 0;
  std::uint64_t writes_ = 0;
  unsigned preemptions_ = 0;
  unsigned spins_ = 0;
  unsigned spurious_wakeups_ = 0;
  unsigned early_timeouts_ = 0;
  failure failure_ = failure::none;
  std::string message_;
  const std::function<void(context&)>* body_ = nullptr;

  std::vector<block> blocks_;
  std::vector<lock_state> locks_;
  std::vector<event> events_;
  std::vector<std::string> notes_;
};

}  // namespace filch::check
