#include "core.hpp"

#include "own_thread.hpp"
#include "reports.hpp"
#include "stack_header.hpp"

#include "share/visiting.hpp"

#include <filch/base/assert.hpp>
#include <filch/runtime/tracking.hpp>
#include <filch/topology/pin_thread.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

namespace filch::inline v0 {
// ---- beginning ------------------------------------------------------------------------------------------------------

runtime::core::core(options given, const thread_actions& actions_)
    : runtime_setup{std::move(given)}, actions{actions_} {
  const bool may_visit = may_interrupt && std_atomics::has_heavy_fence();
  if (may_visit) (void)prepare_visits_if_cheap();  // before there are threads; else the monitor does it
  stacks.emplace(chosen.stack_bytes, std::size_t{2} * *chosen.workers, k_latent_header);
  threads.emplace(chosen.name, chosen.thread_stack_bytes,
                  [this](std::uint32_t number) { actions.thread_main(*this, number); });
  start_crew();
  try {
    choose_machine();
    if (chosen.trace == nullptr) {
      own_session_ = record_if_asked(chosen, *chosen.workers,
                                     policy::describe(search_options) + " demand=" + policy::describe(chosen.demand));
      chosen.trace = own_session_.get();
    }
    make_parts();
    make_watchers();
  } catch (...) {
    threads->stop();
    throw;
  }
  if (tracks_tasks) detail::tracking_runtimes.fetch_add(1, std::memory_order_relaxed);  // hint
  for (worker& each : workers) {
    FILCH_ASSERT(threads->lend(each, stand_in::within_bound), "a thread was started for each worker");
  }
}

// Starts as many threads as possible; each later worker has one. The system places new threads where it likes, two on
// one CPU beside an idle one, and the second may not run for milliseconds: so they begin bound, if there are CPUs
// enough.
void runtime::core::start_crew() {
  const std::uint32_t wanted = *chosen.workers;
  std::optional<topology::cpu_set> unbound;
  if (chosen.pinning == pinning::apart && wanted > 1 && has_cpu_each) unbound = topology::thread_affinity();
  const std::error_code refused =
      threads->start(wanted, unbound ? usable.cpus : topology::cpu_set{}, topology::current_cpu().value_or(0));
  const std::uint32_t started = threads->thread_count();
  if (started == 0)
    throw std::system_error(refused, "filch: not one of " + std::to_string(wanted) +
                                         " threads started (the limits are ulimit -u, ulimit -v, and pids.max of the "
                                         "control group)");
  fit_to(started);
  threads->set_bounds(started, started + chosen.max_spare_threads);
  const bool keeps_apart = chosen.pinning == pinning::apart && started > 1 && has_cpu_each;
  cpus.emplace(workers, keeps_apart, std::move(unbound));
}

void runtime::core::make_parts() {
  const bool may_visit = may_interrupt && std_atomics::has_heavy_fence();
  wakes.emplace(workers, chosen, distances, cpus->keeps_apart());
  queues.emplace(workers, chosen, admits, *wakes);
  submits.emplace(*this, workers, chosen, search_options.placement, admits, *wakes, *queues);
  shares.emplace(chosen, workers, *wakes, *cpus, may_visit, actions.wait_for);
  const worker_setup with{*this,
                          *shares,
                          chosen,
                          search_options,
                          distances,
                          may_visit,
                          measures_tasks,
                          actions.share_pending,
                          actions.share_ready};
  for (std::uint32_t i = 0; i != *chosen.workers; ++i) workers.emplace_back(with, worker_id{i});
}

void runtime::core::make_watchers() {
  if (chosen.trace != nullptr && chosen.trace->forks() != trace::fork_detail::stolen)
    heartbeat_.emplace(workers, *wakes, *chosen.trace, chosen.name + "-beat", may_interrupt);
  if (!chosen.watchdog_ns && !chosen.dump_on_sigusr2) return;
  const auto every_ns =
      chosen.watchdog_ns ? std::optional{std::max<time_ns>(*chosen.watchdog_ns / 4, 1)} : std::nullopt;
  watchdog_.emplace(
      chosen.name,
      watchdog::duties{
          .every_ns = every_ns,
          .look = [this, reported = std::vector<std::uint64_t>{}]() mutable { report_long_tasks(*this, reported); },
          .on_sigusr2 = chosen.dump_on_sigusr2,
          .on_signal = [this] { report(dump_of(*this)); }});
}

runtime::core::~core() {
  if (is_thread_of(*this)) {
    report(
        "filch: a runtime is being destroyed by a task that runs on one of its own workers, which would wait for "
        "itself for ever. Destroy it on another thread.\n");
    std::abort();
  }
  (void)shutdown(k_never_ns);
  if (tracks_tasks) detail::tracking_runtimes.fetch_sub(1, std::memory_order_relaxed);  // hint
}

// ---- the calling thread ---------------------------------------------------------------------------------------------

void runtime::core::require_open() const {
  if (is_forked_child()) {
    throw usage_error(
        "filch: this runtime was made before fork(): its threads exist only in the parent. Make a new "
        "runtime in the child");
  }
  if (admits.now() != life::open && !is_thread_of(*this)) admission::throw_shut_down();
}

bool runtime::core::has_work_for(const worker& who) const {
  return threads->has_returners() || queues->has_injected() || who.queues.pinned_hint() != 0 ||
         shares->board.has_work();
}

// ---- ending ---------------------------------------------------------------------------------------------------------

bool runtime::core::wait_idle(time_ns deadline_ns) {
  if (is_thread_of(*this)) {
    throw usage_error("filch: wait_idle() was called by a task of the same runtime, which would wait for itself");
  }
  if (is_forked_child()) throw usage_error("filch: this runtime was made before fork(): it does nothing in the child");
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  return admits.wait_idle(deadline_ns);
}

// Several threads may be here: each waits as long as it likes, and the first that sees everything done stops the
// threads.
bool runtime::core::shutdown(time_ns deadline_ns) {
  if (is_thread_of(*this)) {
    throw usage_error("filch: shutdown() was called by a task of the same runtime, which would wait for itself");
  }
  if (is_forked_child()) return true;
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  const auto go_to = [this](life next) {
    admits.go_to(next);
    wakes->notify_all();
  };
  go_to(life::draining);
  if (deadline_ns == k_never_ns) {
    wait_for_the_rest(*this, false);
  } else if (!wait_idle(deadline_ns)) {
    go_to(life::cancelling);
    wakes->sources.cancel_waits();
    wait_for_the_rest(*this, true);
  }
  const std::lock_guard lock{life_mutex_};
  if (admits.now() != life::stopped) {
    watchdog_.reset();
    go_to(life::stopped);
    heartbeat_.reset();
    threads->stop();
    shares->watcher.stop();
    admits.wait_for_errands();
    queues->drop_empty_entries();
  }
  return !admits.has_cut_short();
}

}  // namespace filch::inline v0
