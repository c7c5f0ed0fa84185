#include "core.hpp"

#include "share/visiting.hpp"

#include <filch/base/assert.hpp>
#include <filch/runtime/tracking.hpp>
#include <filch/topology/load_machine.hpp>
#include <filch/topology/pin_thread.hpp>
#include <filch/topology/placement.hpp>

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace filch::inline v0 {
namespace {

// Counts the forks that lie between the first process and this one.
constinit std::atomic<std::uint32_t> forks{0};

}  // namespace

std::uint32_t fork_generation() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    forks.fetch_add(1, std::memory_order_relaxed);  // hint: the child has one thread
  });
  FILCH_ASSERT(registered == 0, registered);
  return forks.load(std::memory_order_relaxed);  // hint
}

namespace {

// The runtime whose thread this is, also while it holds no worker because its task blocks.
constinit thread_local const runtime::core* home_of_thread = nullptr;

// exit() destroys what is local to its thread first, and what is static behind that.
constinit thread_local bool is_thread_ending = false;
struct notes_end_of_thread {
  ~notes_end_of_thread() { is_thread_ending = true; }
};

std::optional<time_ns> watchdog_from_environment() {
  const char* const text = std::getenv("FILCH_WATCHDOG_MS");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const long long ms = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || ms < 1 || ms > 86'400'000) {
    throw std::invalid_argument("FILCH_WATCHDOG_MS = \"" + std::string{text} +
                                "\": allowed is a whole number of milliseconds from 1 to 86400000");
  }
  return ms * k_ns_per_ms;
}

std::optional<bool> switch_from_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string value{text};
  if (value != "on" && value != "off") {
    throw std::invalid_argument(std::string{variable} + " = \"" + value + "\": allowed is \"on\" or \"off\"");
  }
  return value == "on";
}

#ifdef NDEBUG
constexpr bool k_is_debug_build = false;
#else
constexpr bool k_is_debug_build = true;
#endif

}  // namespace

// ---- beginning ------------------------------------------------------------------------------------------------------

runtime::core::core(options given)
    : chosen{std::move(given)},
      fork_generation_{fork_generation()},
      wake_random_{random_stream{chosen.seed}.split(UINT32_MAX)},
      placement_random_{random_stream{chosen.seed}.split(std::uint64_t{UINT32_MAX} + 1)} {
  usable_ = chosen.workers ? topology::usable_cpus({.environment = [](const char*) { return std::nullopt; }})
                           : topology::usable_cpus();
  why_so_many = chosen.workers ? "options::workers" : usable_.why();
  const std::uint32_t wanted = chosen.workers.value_or(usable_.count);
  require_valid(chosen, wanted);
  if (!chosen.watchdog_ns) chosen.watchdog_ns = watchdog_from_environment();
  measures_tasks = chosen.watchdog_ns.has_value();
  if (!chosen.track_tasks) chosen.track_tasks = switch_from_environment("FILCH_TRACK_TASKS").value_or(k_is_debug_build);
  search_options = chosen.search();

  const auto bound = chosen.injector_bound.value_or(queue::injector<>::k_unbounded);
  injectors_.reset(new queue::injector<>[policy::k_priorities] {
    queue::injector<>{bound}, queue::injector<>{bound}, queue::injector<> { bound }
  });
  chosen.stack_bytes = std::min(chosen.stack_bytes, fiber::k_most_bytes);
  const bool may_interrupt = chosen.interrupts.value_or(switch_from_environment("FILCH_INTERRUPTS").value_or(true));
  const bool may_visit = may_interrupt && std_atomics::has_heavy_fence();
  if (may_visit) (void)prepare_visits_if_cheap();  // before there are threads; else the monitor thread does it
  monitor_.emplace(*this, chosen.name + "-monitor", may_visit);
  stacks_.emplace(chosen.stack_bytes, std::size_t{2} * wanted, k_latent_header);
  crew_.emplace(chosen.name, chosen.thread_stack_bytes, [this](std::uint32_t number) { thread_main(number); });
  start_crew(wanted);
  try {
    choose_machine();
    if (chosen.trace == nullptr) {
      own_session_ = record_if_asked(chosen, *chosen.workers, policy::describe(search_options));
      chosen.trace = own_session_.get();
    }
    idle_.emplace(*chosen.workers);
    placement_.emplace(search_options.placement, *chosen.workers);
    for (std::uint32_t i = 0; i != *chosen.workers; ++i) workers.emplace_back(*this, worker_id{i});
    if (chosen.trace != nullptr && chosen.trace->forks() != trace::fork_detail::stolen) {
      beat_.emplace(*this, *chosen.trace, may_interrupt);
    }
    if (chosen.watchdog_ns || chosen.dump_on_sigusr2) {
      watchdog_.emplace(
          chosen.name,
          watchdog::duties{.every_ns = chosen.watchdog_ns ? std::optional{std::max<time_ns>(*chosen.watchdog_ns / 4, 1)}
                                                          : std::nullopt,
                           .look = [this] { report_long_tasks(); },
                           .on_sigusr2 = chosen.dump_on_sigusr2,
                           .on_signal = [this] { report(dump()); }});
    }
  } catch (...) {
    crew_->stop();
    throw;
  }
  has_cpu_each = workers.size() <= usable_.cpus.size();
  keeps_apart = chosen.pinning == pinning::apart && workers.size() > 1 && has_cpu_each;
  tracks_tasks = *chosen.track_tasks;
  if (tracks_tasks) detail::tracking_runtimes.fetch_add(1, std::memory_order_relaxed);  // hint
  for (worker& each : workers) {
    FILCH_ASSERT(crew_->lend(each, stand_in::within_bound), "a thread was started for each worker");
  }
}

// Starts as many threads as possible; each later worker has one.
void runtime::core::start_crew(std::uint32_t wanted) {
  // The system places new threads where it likes, two on one CPU beside an idle one, and the second may not run for
  // milliseconds.
  if (chosen.pinning == pinning::apart && wanted > 1 && wanted <= usable_.cpus.size())
    unbound_ = topology::thread_affinity();
  const std::error_code refused =
      crew_->start(wanted, unbound_ ? usable_.cpus : topology::cpu_set{}, topology::current_cpu().value_or(0));
  const std::uint32_t started = crew_->thread_count();
  if (started == 0)
    throw std::system_error(refused, "filch: not one of " + std::to_string(wanted) +
                                         " threads started (the limits are ulimit -u, ulimit -v, and pids.max of the "
                                         "control group)");
  if (started != wanted) {
    const auto& placed = search_options.placement;
    if (placed.how() == placement::kind::given && placed.worker().value >= started) {
      search_options.placement = placement::injector;  // that worker does not exist
    }
    why_so_many += "; only " + std::to_string(started) + " of " + std::to_string(wanted) + " threads could be started";
  }
  chosen.workers = started;
  crew_->set_bounds(started, started + chosen.max_spare_threads);
}

void runtime::core::choose_machine() {
  const std::uint32_t count = *chosen.workers;
  if (!chosen.machine && !binds_workers() && chosen.victims != victims::nearest && chosen.wake != wake::nearest) {
    distances_ = topology::distance_table::uniform(count);  // nobody asks for distances: starting stays quick
    return;
  }
  if (!chosen.machine) chosen.machine = topology::load_machine();
  const bool is_this_machine = binds_workers();
  const auto how = chosen.pinning == pinning::compact ? topology::placement::compact : topology::placement::spread;
  cpu_of_worker_ =
      topology::assign_workers(*chosen.machine, is_this_machine ? usable_.cpus : chosen.machine->cpus(), count, how);
  distances_ = topology::distance_table{*chosen.machine, cpu_of_worker_};
}

// The first loop of a thread.
void runtime::core::start_thread() noexcept {
  const worker& held = *worker::current();
  if (held.home.chosen.on_thread_start) held.home.chosen.on_thread_start(held.self);
  worker::run();
}

void runtime::core::unbind_thread() const noexcept {
  if (!unbound_) return;
  const auto failed = topology::pin_thread(*unbound_);
  if (failed && topology::thread_affinity() != unbound_) {  // else it was never bound: the system refuses both
    report("filch: a thread stays bound to the CPU where it began: " + failed.message() + "\n");
  }
}

// As late as this: until here the system makes it wait, for other threads and for memory, and resumes with it where it
// likes.
void runtime::core::start_bound_thread() noexcept {
  worker& held = *worker::current();
  held.home.unbind_thread();
  held.note_cpu();
  start_thread();
}

void runtime::core::thread_main(std::uint32_t number) noexcept {
  home_of_thread = this;
  thread_local const notes_end_of_thread at_end;
  (void)at_end;
  void (*begin)() noexcept = nullptr;
  while (worker* const given = crew_->wait_for_worker()) {
    worker::set_current(given);
    if (binds_workers()) {
      if (const auto failed = topology::pin_thread(cpu_of_worker_[given->self.value])) {
        report("filch: worker " + std::to_string(given->self.value) + " is not pinned: " + failed.message() + "\n");
      }
    }
    if (begin != nullptr) begin = &worker::run;
    else begin = unbound_ && number < *chosen.workers ? &start_bound_thread : &start_thread;
    run_on_work_stack(*stacks_, begin);
  }
}

runtime::core::~core() {
  if (is_own_thread()) {
    report(
        "filch: a runtime is being destroyed by a task that runs on one of its own workers, which would wait for "
        "itself for ever. Destroy it on another thread.\n");
    std::abort();
  }
  (void)shutdown(k_never_ns);
  if (tracks_tasks) detail::tracking_runtimes.fetch_sub(1, std::memory_order_relaxed);  // hint
}

// ---- submitting -----------------------------------------------------------------------------------------------------

void runtime::core::require_open() const {
  if (is_forked_child()) {
    throw usage_error(
        "filch: this runtime was made before fork(): its threads exist only in the parent. Make a new "
        "runtime in the child");
  }
  if (!is_accepting()) throw_shut_down();
}

// While what is there is being done, the tasks themselves are ready submitting: until they end, nothing stops.
bool runtime::core::is_accepting() const { return life_now() == life::open || is_own_thread(); }

void runtime::core::throw_shut_down() {
  throw usage_error("filch: a task was submitted to a runtime that has been shut down");
}

// A task that was counted as made does not come to be.
void runtime::core::take_back_outside(task_id made) {
  if (chosen.trace != nullptr) chosen.trace->outside().cancel(made);
  outside_books_.add_finished();
  note_idle();
}

// Counts and numbers a task that comes from outside. False: it comes too late, and is taken back.
bool runtime::core::admit_outside(task_id& made, const char* name) {
  made = task_id{outside_books_.add_made()};
  // [R9] seq_cst fence: "count it, then look whether we are open" here against "close, then look at the counts" in
  // shutdown() ↔ [R7]. It forbids that a task is taken in by a runtime that has seen everything done.
  std_atomics::fence(std::memory_order_seq_cst);
  if (!is_accepting()) {
    take_back_outside(made);
    return false;
  }
  if (chosen.trace != nullptr && chosen.trace->outside().is_enabled()) trace_outside_spawn(made, name);
  return true;
}

void runtime::core::trace_outside_spawn(task_id made, const char* name) noexcept {
  auto number = trace::name_id::none();
  try {
    if (name != nullptr) number = chosen.trace->names().intern_label(name);
  } catch (const std::bad_alloc&) {
    // Without memory for names, tasks go on without them.
  }
  chosen.trace->outside().spawn(made, task_id::none(), number);
}

void runtime::core::number_task(task_base& made, worker* from) {
  // The high bits say who made it, so that no two makers need to agree.
  if (from != nullptr) {
    made.id = task_id{(std::uint64_t{from->self.value} + 1) << 44 | from->books.made()};
    from->counters.add(trace::count::spawned);
    const task_record* const parent = from->current_task;
    if (from->trace->is_enabled()) {
      from->trace->spawn(made.id, parent != nullptr ? parent->id : task_id::none(), from->traced_name(made));
    }
  } else if (!admit_outside(made.id, made.name != nullptr ? made.name : made.label())) {
    made.release();
    throw_shut_down();
  }
  if (made.band != policy::priority::normal) {
    bands_in_use_.store(true, std::memory_order_relaxed);  // hint
  }
  made.home = this;
  made.fork_generation = fork_generation_;
}

void runtime::core::enqueue(task_base& made, worker_id pinned, const submit_options& how) {
  worker* const from = is_own_worker() ? worker::current() : nullptr;
  number_task(made, from);
  if (pinned.is_some()) {
    made.pinned_to = pinned;
    if (from == nullptr && chosen.trace != nullptr) chosen.trace->outside().inject(made.id, pinned);
    pin(made, pinned, from);
  } else if (from != nullptr) {
    try {
      from->push(made);
    } catch (...) {
      // The deque could not grow. The task is as if it had never been: counted as made and finished, and not as
      // spawned.
      from->books.finished();
      from->counters.add(trace::count::spawned, UINT64_MAX);
      from->trace->cancel(made.id);
      made.release();
      throw;
    }
    notify(from->self);
  } else if (!inject(made, made.id, how)) {
    take_back_outside(made.id);
    made.release();
    throw injector_full{};
  }
}

void runtime::core::spawn(coroutine_entry& entry, const submit_options& how) {
  worker* const from = is_own_worker() ? worker::current() : nullptr;
  if (entry.band != policy::priority::normal) {
    bands_in_use_.store(true, std::memory_order_relaxed);  // hint
  }
  if (from != nullptr) {
    number(entry, *from);
    make_ready(entry, *from);
    return;
  }
  if (!admit_outside(entry.id, entry.name)) throw_shut_down();
  const task_id id = entry.id;
  if (!inject(entry, id, how)) {
    take_back_outside(id);
    throw injector_full{};
  }
}

// False: there is no room, and the entry is still the caller's.
bool runtime::core::inject(queue_entry& made, task_id id, const submit_options& how) {
  worker_id at = worker_id::none();
  if (search_options.placement != placement::injector) {
    struct load_view {
      const core& home;
      [[nodiscard]] std::uint32_t size_hint(worker_id of) const {
        return static_cast<std::uint32_t>(home.workers[of.value].queued_hint());
      }
    };
    const std::lock_guard lock{placement_mutex_};
    at = placement_->choose(load_view{*this}, placement_random_);
  }
  if (chosen.trace != nullptr) chosen.trace->outside().inject(id, at);
  if (at.is_some()) {
    workers[at.value].queues.mail(made);
  } else {
    queue::injector<>& into = injector_of(made.band);
    if (!chosen.injector_bound) into.push(&made);
    else if (!push_bounded(made, into, how)) return false;
  }
  notify(at);
  return true;
}

bool runtime::core::push_bounded(queue_entry& made, queue::injector<>& into, const submit_options& how) {
  if (into.try_push(&made) == queue::push_status::pushed) return true;
  if (!how.wait_when_full) {
    made_room();  // for a moment this one stood in the count, and another may have been sent to sleep because of it
    return false;
  }
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  (void)has_room_.wait([&] { return into.try_push(&made) == queue::push_status::pushed; });
  return true;
}

void runtime::core::made_room() {
  has_room_.notify([] { return true; });
}

void runtime::core::place(task_base& made, worker_id at) {
  number_task(made, is_own_worker() ? worker::current() : nullptr);
  workers[at.value].queues.mail(made);
  notify(at);
}

void runtime::core::notify(worker_id origin) {
  worker* const from = is_own_worker() ? worker::current() : nullptr;
  if (chosen.wake == wake::all) {
    const std::uint32_t woken = idle_->notify_all();
    if (from != nullptr && woken != 0) from->counters.add(trace::count::wakes, woken);
    return;
  }
  const worker_id woken = idle_->notify([&](const worker_id* sleepers, std::size_t count) {
    const auto distance = [this](worker_id a, worker_id b) { return distances_.between(a, b); };
    const std::size_t index =
        policy::wake_policy{chosen.wake}.choose({sleepers, count}, origin, distance, wake_random_).index();
    // Who keeps the sources sleeps on while others can be woken.
    const bool is_keeper = count != 1 && sleepers[index] == sources.keeper.who_hint();
    const std::size_t choice = is_keeper ? (index != 0 ? index : count) - 1 : index;
    if (from != nullptr && keeps_apart) {
      from->note_cpu();
      workers[sleepers[choice].value].woken_by = from;
    }
    return choice;
  });
  if (from != nullptr && woken.is_some()) {
    from->counters.add(trace::count::wakes);
    from->trace->notify(woken);
  }
}

bool runtime::core::is_external_computing() const {
  bool is_any = false;
  external_.for_each([&](const external_slot& slot) { is_any |= slot.computes(); });
  return is_any;
}

bool runtime::core::has_place_for_sleeper() const { return idle_->sleeping_hint() >= 2 || !is_external_computing(); }

bool runtime::core::has_place_here() const { return idle_->sleeping_hint() != 0 || !is_external_computing(); }

bool runtime::core::has_work_for(const worker& who) const {
  if (crew_->has_returners()) return true;
  for (std::size_t i = 0; i != policy::k_priorities; ++i) {
    if (!injectors_[i].is_empty()) return true;
  }
  if (who.queues.pinned_hint() != 0) return true;
  bool is_offered = false;
  for (const worker& each : workers) {
    const bool has_offer = each.point.cell.has_offer();
    if (each.queues.stealable_hint() != 0 || (has_offer && each.point.has_coroutines())) return true;
    is_offered |= has_offer;
  }
  external_.for_each([&](const external_slot& slot) { is_offered |= slot.point.cell.has_offer(); });
  return is_offered && has_place_for_sleeper();
}

void runtime::core::call_monitor() noexcept {
  if (monitor_->call_monitor()) return;
  for (worker& each : workers) (void)each.point.flush_deferred_at_once();
  external_.for_each([](external_slot& slot) {
    if (slot.visits.load(std::memory_order_relaxed) % 2 != 0) (void)slot.point.ask();  // hint
  });
}

bool runtime::core::flush_deferred_requests(const worker& who) noexcept {
  bool has_asked = false;
  const bool has_place = has_place_for_sleeper();
  const auto pay = [&](share_point& point) {
    if (point.has_deferred() && (has_place || point.has_coroutines())) has_asked |= point.pay(monotonic_now_ns());
  };
  for (worker& each : workers) {
    if (&each != &who) pay(each.point);
  }
  external_.for_each([&](external_slot& slot) {
    if (slot.visits.load(std::memory_order_relaxed) % 2 != 0) pay(slot.point);  // hint
  });
  return has_asked;
}

bool runtime::core::has_deferred_requests() const {
  bool has_deferred = std::ranges::any_of(workers, [](const worker& each) { return each.point.has_deferred(); });
  external_.for_each([&](const external_slot& slot) {
    // hint: what one owed who has left is nobody's affair
    has_deferred |= slot.visits.load(std::memory_order_relaxed) % 2 != 0 && slot.point.has_deferred();
  });
  return has_deferred;
}

bool runtime::core::is_work_withheld_from(const worker& who) const {
  // An offer that lies there may be a handler's, who tells nobody but the monitor thread.
  for (const worker& each : workers) {
    const share_point& point = each.point;
    if (&each != &who && (point.withholds() || point.cell.has_offer() || point.has_deferred() || each.awaits_join()))
      return true;
  }
  bool has_external = false;
  external_.for_each([&](const external_slot& slot) {
    has_external |= slot.visits.load(std::memory_order_relaxed) % 2 != 0;  // ordered by [I3] of who is about to sleep
  });
  return has_external;
}

topology::cpu_set runtime::core::cpus_of_others(const worker* who) const {
  std::vector<topology::cpu_number> found;
  for (const worker& each : workers) {
    const std::uint32_t at = each.cpu.load(std::memory_order_relaxed);  // hint
    if (&each != who && each.works_at(at)) found.push_back(at);
  }
  return topology::cpu_set{std::move(found)};
}

void runtime::core::leave_crowded_cpus(const worker* who) const noexcept {
  try {
    const topology::cpu_set crowded = cpus_of_others(who);
    if (!crowded.empty()) (void)topology::move_away_from(crowded);
  } catch (const std::exception&) {
    // It stays.
  }
}

void runtime::core::sleep_apart(const worker& who, time_ns until_ns) noexcept {
  constexpr time_ns k_short_ns = k_ns_per_ms;  // guess
  topology::cpu_set others;
  try {
    const bool is_long = keeps_apart && !idle_->is_chosen(who.self) && until_ns - monotonic_now_ns() >= k_short_ns;
    if (is_long) others = cpus_of_others(&who);
  } catch (const std::exception&) {
    // The system chooses.
  }
  std::optional<topology::away_from> where;
  if (!others.empty()) where.emplace(others);
  (void)idle_->sleep(who.self, until_ns);
}

// ---- wait sources ---------------------------------------------------------------------------------------------------

void runtime::core::answer(park::keeper_call call) {
  switch (call.what) {
    case park::keeper_call::kind::nobody:
      break;
    case park::keeper_call::kind::keeper:
      (void)idle_->notify_worker(call.who);
      break;
    case park::keeper_call::kind::vacant:
      notify(worker_id::none());
      break;
  }
}

bool runtime::core::poll_sources() {
  const time_ns earliest_ns = sources.keeper.earliest_ns();
  if (earliest_ns == k_never_ns) return false;
  const time_ns now_ns = monotonic_now_ns();
  if (earliest_ns > now_ns) return false;
  park::keeper_call call;
  const bool any = sources.poll(now_ns, call);
  answer(call);
  return any;
}

// ---- blocking -------------------------------------------------------------------------------------------------------

bool runtime::core::is_own_worker() const {
  const worker* const held = worker::current();
  return held != nullptr && &held->home == this;
}

bool runtime::core::is_own_thread() const { return home_of_thread == this; }

bool runtime::core::leave_worker(stand_in how) {
  worker& mine = *worker::current();
  task_record* const running = mine.current_task;
  if (running == nullptr) return false;  // not inside a task: a thread that is just starting
  mine.promote_oldest_fork();            // whoever stands in takes it
  mine.trace->block(running->id);
  mine.publish_task(nullptr);
  worker::set_current(nullptr);
  if (crew_->lend(mine, how)) {
    if (latent_stack* const stack = running_latent_stack()) external_.enter_blocked(*stack, running->id);
    return true;
  }
  worker::set_current(&mine);
  mine.trace->unblock(running->id);
  mine.publish_task(running);
  return false;
}

void runtime::core::return_to_worker(task_record& running) {
  external_.rise();
  worker& given = crew_->take_back([this] { notify(worker_id::none()); });
  worker::set_current(&given);
  given.trace->unblock(running.id);
  given.publish_task(&running);
}

// ---- ending ---------------------------------------------------------------------------------------------------------

bool runtime::core::is_quiescent() const {
  return is_balanced([this](auto&& visit) {
    visit(outside_books_);
    for (const worker& each : workers) visit(each.books);
  });
}

void runtime::core::note_idle() {
  became_idle_.notify([this] { return is_quiescent(); });
}

bool runtime::core::wait_idle(time_ns deadline_ns) {
  if (is_own_thread()) {
    throw usage_error("filch: wait_idle() was called by a task of the same runtime, which would wait for itself");
  }
  if (is_forked_child()) throw usage_error("filch: this runtime was made before fork(): it does nothing in the child");
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  return became_idle_.wait([this] { return is_quiescent(); }, deadline_ns);
}

void runtime::core::go_to(life next) {
  life seen = life_now();
  while (seen < next) {
    // ordered by [R7]
    if (life_.compare_exchange(seen, next, std::memory_order_relaxed, std::memory_order_relaxed)) break;
  }
  // [R7] seq_cst fence: "close, then look at the counts" in shutdown() against "count it, then look" in number_task() ↔
  // [R9], and in take_in() ↔ [R24]. Also "go on, then wake the sleepers" against "announce the sleep, then look" in a
  // worker.
  std_atomics::fence(std::memory_order_seq_cst);
  (void)idle_->notify_all();
}

// Several threads may be here: each waits as long as it likes, and the first that sees everything done stops the
// threads.
bool runtime::core::shutdown(time_ns deadline_ns) {
  if (is_own_thread()) {
    throw usage_error("filch: shutdown() was called by a task of the same runtime, which would wait for itself");
  }
  if (is_forked_child()) return true;
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  go_to(life::draining);
  if (deadline_ns == k_never_ns) {
    wait_for_the_rest(false);
  } else if (!wait_idle(deadline_ns)) {
    go_to(life::cancelling);
    sources.cancel_waits();
    wait_for_the_rest(true);
  }
  const std::lock_guard lock{life_mutex_};
  if (life_now() != life::stopped) {
    watchdog_.reset();
    go_to(life::stopped);
    beat_.reset();
    crew_->stop();
    monitor_->stop();
    // [R21] acquire load: who woke something here and is no worker of this runtime is done with it ← [R20] ← [R22] ←
    // [R23].
    while (visitors_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    drop_empty_entries();
  }
  return !has_cut_short_.load(std::memory_order_relaxed);  // ordered by [R5], in wait_idle
}

// Tasks that were run by who waited for them leave empty entries behind. The threads have ended.
void runtime::core::drop_empty_entries() {
  const auto drop = [](queue_entry* entry) {
    auto* const left = static_cast<task_base*>(entry);
    FILCH_ASSERT(entry->kind == entry_kind::task && left->state.is_finished(), left->id);
    left->release();
  };
  for (std::size_t i = 0; i != policy::k_priorities; ++i) {
    while (const auto entry = injectors_[i].pop().item) drop(static_cast<queue_entry*>(entry));
    for (worker& each : workers) each.queues.take_all(static_cast<policy::priority>(i), drop);
  }
}

bool runtime::core::is_in_exit_here() const { return is_own_thread() && is_thread_ending; }

bool runtime::core::is_forked_child() const { return fork_generation_ != fork_generation(); }

}  // namespace filch::inline v0
