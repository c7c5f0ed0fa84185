#include <filch/sim/environment.hpp>

#include <filch/sim/event.hpp>

#include <algorithm>

namespace filch::inline v0::sim {

// ---- waiting --------------------------------------------------------------------------------------------------------

bool wait_node::stand_before(list_link& place, process_promise& who) {
  who_ = &who;
  if (who.home().interrupt_instead(who)) return false;
  link_before(place);
  who.waits_on(this);
  return true;
}

void wait_node::wake(const std::exception_ptr& failure) {
  unlink();
  failure_ = failure;
  who_->home().wake(who_->slot());
}

void wait_node::finish() {
  if (who_ == nullptr) return;  // it never had to wait
  who_->waits_on(nullptr);
  who_->deliver_interrupt();
  if (failure_) std::rethrow_exception(failure_);
}

// ---- processes ------------------------------------------------------------------------------------------------------

void process_promise::throw_interrupt() {
  const std::int64_t cause = causes_.front();
  causes_.erase(causes_.begin());
  throw interrupted{cause};
}

void process_promise::end() noexcept { home_->ended(*this); }

bool process_ref::interrupt(std::int64_t cause) const {
  if (is_done()) return false;
  process_promise& subject = promise();
  subject.causes_.push_back(cause);
  if (subject.causes_.size() > 1) return true;  // the first is already on its way
  if (subject.waits_on_ != nullptr) std::exchange(subject.waits_on_, nullptr)->give_up();
  home_->resume_at(slot_, home_->now_ns_, urgency::urgent);
  return true;
}

// ---- the environment ------------------------------------------------------------------------------------------------

environment::~environment() {
  // A frame that is destroyed may wake others; they are not resumed any more.
  for (std::size_t i = 0; i != slots_.size(); ++i) {
    if (const auto frame = std::exchange(slots_[i].frame, {})) frame.destroy();
  }
}

process_ref environment::start(process what) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t at = free_slots_.back();
  free_slots_.pop_back();
  living_process& subject = slots_[at];
  subject.frame = std::exchange(what.frame_, {});
  subject.birth = ++births_;
  subject.frame.promise().home_ = this;
  subject.frame.promise().slot_ = at;
  ++living_;
  wake(at);
  return process_ref{*this, at, subject.birth};
}

void environment::ended(process_promise& who) noexcept {
  const std::uint32_t at = who.slot_;
  if (who.failure_ && who.joiners_.is_empty()) failure_ = who.failure_;
  who.joiners_.wake_all(who.failure_);
  slots_[at].awaited = k_no_ticket;
  slots_[at].birth = 0;
  free_slots_.push_back(at);
  --living_;
  std::exchange(slots_[at].frame, {}).destroy();
}

void environment::run_until(time_ns at_ns) {
  FILCH_ASSERT(at_ns >= now_ns_, at_ns, now_ns_);
  run_while([at_ns](time_ns next_ns) { return next_ns <= at_ns; });
  now_ns_ = at_ns;
}

bool environment::run_until(const event& what) {
  run_while([&what](time_ns) { return !what.has_happened(); });
  return what.has_happened();
}

bool environment::step() {
  const std::uint64_t before = events_run_;
  run_while([this, before](time_ns) { return events_run_ == before; });
  return events_run_ != before;
}

}  // namespace filch::inline v0::sim
