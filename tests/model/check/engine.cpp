#include "engine.hpp"

#include <filch/base/assert.hpp>

#include <exception>
#include <new>

namespace filch::check {

engine* engine::running_ = nullptr;

engine::engine(const options& how, explorer& chooser) : how_{how}, chooser_{chooser}, weaken_{how.weaken} {}

engine::~engine() { release_blocks(); }

engine& engine::get() {
  FILCH_ASSERT(running_ != nullptr && "objects of check::atomics exist only inside check::run");
  return *running_;
}

// ---- one execution --------------------------------------------------------------------------------------------------

void engine::reset() {
  memory_.reset(how_);
  release_blocks();
  locks_.clear();
  events_.clear();
  notes_.clear();
  message_.clear();
  failure_ = failure::none;
  thread_count_ = 0;
  current_ = 0;
  steps_ = writes_ = 0;
  preemptions_ = spins_ = spurious_wakeups_ = early_timeouts_ = 0;
  destroying_at_ = std::source_location{};
}

void engine::execute(const std::function<void(context&)>& body) {
  FILCH_ASSERT(running_ == nullptr && "check::run does not nest");
  reset();
  body_ = &body;
  spawn("body", [this] {
    context c;
    (*body_)(c);
  });
  events_.clear();
  running_ = this;
  (void)fiber::switch_to(main_, threads_[0]->runs);
  running_ = nullptr;
}

void engine::spawn(std::string_view name, std::function<void()> function) {
  if (thread_count_ == k_max_threads) fail(failure::user, "more than 16 threads");
  if (thread_count_ == threads_.size()) threads_.push_back(std::make_unique<strand>());
  const unsigned index = thread_count_++;
  strand& t = *threads_[index];
  t.name = name;
  t.function = std::move(function);
  t.now = state::ready;
  t.is_unstarted = true;
  t.is_timed_out = false;
  t.waits_for = nullptr;
  t.gave_way_at = 0;
  t.idle_operations = t.passed_over = 0;
  t.runs.prepare(&run_thread, reinterpret_cast<void*>(static_cast<std::uintptr_t>(index)));
  if (index == 0) return;
  memory_.start_thread(current_, index);
  wrote();
  // From here on another thread can go first: the spawner's next operation is a scheduling point, even its first one.
  threads_[current_]->is_unstarted = false;
  record(event_kind::spawn, std::source_location{}, index);
}

void engine::run_thread(void* index, fiber& /*left*/) {
  engine& self = get();
  self.run_body(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(index)));
  self.finish_thread();
}

void engine::run_body(unsigned index) {
  std::string escaped;
  try {
    threads_[index]->function();
  } catch (const std::exception& e) {
    escaped = std::string("an exception left ") + threads_[index]->name + ": " + e.what();
  } catch (...) {
    escaped = "an exception left " + threads_[index]->name;
  }
  if (!escaped.empty()) fail(failure::user, escaped);
  if (index == 0) end_of_body();
}

void engine::end_of_body() {
  for (unsigned i = 1; i != thread_count_; ++i) {
    if (threads_[i]->now != state::finished) {
      fail(failure::user, "the body returned while " + threads_[i]->name + " is unfinished: call join_all()");
    }
  }
  if (!how_.check_leaks) return;
  for (std::size_t i = 0; i != blocks_.size(); ++i) {
    const block& b = blocks_[i];
    if (b.is_freed) continue;
    fail(failure::leak, "block#" + std::to_string(i) + " of " + std::to_string(b.bytes) + " bytes, made by " +
                            threads_[b.owner]->name + " at " + format_where(b.made_at) + " in " +
                            b.made_at.function_name() + ", was never destroyed");
  }
}

void engine::join_all(const std::source_location& where) {
  if (current_ != 0) fail(failure::user, "join_all() is for the body, not for " + threads_[current_]->name);
  bool is_all_finished = true;
  for (unsigned i = 1; i != thread_count_; ++i) is_all_finished &= threads_[i]->now == state::finished;
  if (!is_all_finished) block_until_ready(state::joining, nullptr, where);
  for (unsigned i = 1; i != thread_count_; ++i) memory_.synchronise(0, memory_.views(i).current.ref());
  record(event_kind::join, where);
}

void engine::fail(failure kind, std::string message) {
  failure_ = kind;
  message_ = std::move(message);
  (void)fiber::switch_to(threads_[current_]->runs, main_, true);
  std::terminate();  // an abandoned fiber is never continued
}

void engine::record(event_kind kind, const std::source_location& where, std::uint32_t location, order_bits order,
                    const outcome& what) {
  events_.push_back(
      {where, what.before, what.after, location, what.newer, kind, order, static_cast<std::uint8_t>(current_)});
}

// What an operation on an atomic means for the scheduler.
void engine::after(const outcome& what) {
  strand& me = *threads_[current_];
  if (what.wrote) wrote();
  me.idle_operations = memory_.views(current_).knows_nothing_new ? me.idle_operations + 1 : 0;
}

// ---- atomics --------------------------------------------------------------------------------------------------------

location_id engine::create(const void* address, std::uint64_t value, unsigned bytes, value_kind shown_as,
                           const std::source_location& where) {
  return memory_.create(current_, address, value, bytes, shown_as, where);
}

void engine::kill(const void* address, location_id id, const std::source_location& where) {
  memory_.kill(current_, address, id, destroying_at_.line() != 0 ? destroying_at_ : where);
}

std::uint64_t engine::load(const void* address, location_id id, std::memory_order order,
                           const std::source_location& where) {
  order_bits bits = bits_of(order, access::load);
  weaken_.apply(where, bits, nullptr);
  step(where);
  const outcome o = memory_.load(current_, address, id, bits, where);
  after(o);
  record(event_kind::load, where, id, bits, o);
  return o.before;
}

void engine::store(const void* address, location_id id, std::uint64_t value, std::memory_order order,
                   const std::source_location& where) {
  order_bits bits = bits_of(order, access::store);
  weaken_.apply(where, bits, nullptr);
  step(where);
  const outcome o = memory_.store(current_, address, id, value, bits, where);
  after(o);
  record(event_kind::store, where, id, bits, o);
}

std::uint64_t engine::update(const void* address, location_id id, update_kind what, std::uint64_t operand,
                             std::memory_order order, const std::source_location& where) {
  order_bits bits = bits_of(order, access::update);
  weaken_.apply(where, bits, nullptr);
  step(where);
  const outcome o = memory_.update(current_, address, id, what, operand, bits, where);
  after(o);
  constexpr event_kind k_kinds[] = {event_kind::exchange, event_kind::fetch_add, event_kind::fetch_sub,
                                    event_kind::fetch_or, event_kind::fetch_and};
  record(k_kinds[static_cast<unsigned>(what)], where, id, bits, o);
  return o.before;
}

bool engine::compare_exchange(const void* address, location_id id, std::uint64_t& expected, std::uint64_t desired,
                              std::memory_order success, std::memory_order failure, const std::source_location& where) {
  order_bits success_bits = bits_of(success, access::update);
  order_bits failure_bits = bits_of(failure, access::load);
  weaken_.apply(where, success_bits, &failure_bits);
  step(where);
  const outcome o =
      memory_.compare_exchange(current_, address, id, expected, desired, success_bits, failure_bits, where);
  after(o);
  record(o.wrote ? event_kind::cas_ok : event_kind::cas_failed, where, id, o.wrote ? success_bits : failure_bits, o);
  expected = o.before;
  return o.wrote;
}

void engine::fence(std::memory_order order, const std::source_location& where) {
  order_bits bits = bits_of(order, access::fence);
  weaken_.apply(where, bits, nullptr);
  if ((bits & k_seq_cst) != 0) step(where);
  memory_.fence(current_, bits);
  record(event_kind::fence, where, ~0u, bits);
}

void engine::light_fence(std::memory_order order, const std::source_location& where) {
  order_bits bits = bits_of(order, access::fence);
  weaken_.apply(where, bits, nullptr);
  record(event_kind::fence, where, ~0u, bits);
}

void engine::heavy_fence(std::memory_order order, const std::source_location& where) {
  order_bits bits = bits_of(order, access::fence);
  weaken_.apply(where, bits, nullptr);
  step(where);
  memory_.fence(current_, bits);
  if ((bits & k_seq_cst) != 0) {
    for (unsigned other = 0; other != thread_count_; ++other) {
      if (other != current_) memory_.fence(other, bits);
    }
    memory_.fence(current_, bits);
    wrote();
  }
  record(event_kind::fence, where, ~0u, bits);
}

void engine::pause(const std::source_location& where) {
  record(event_kind::pause, where);
  step(where, true);
}

// ---- plain data -----------------------------------------------------------------------------------------------------

location_id engine::create_plain(const void* address, const std::source_location& where) {
  return memory_.create_plain(current_, address, where);
}

void engine::kill_plain(const void* address, location_id id, const std::source_location& where) {
  memory_.kill_plain(current_, address, id, destroying_at_.line() != 0 ? destroying_at_ : where);
}

void engine::read_plain(const void* address, location_id id, const std::source_location& where) {
  record(event_kind::get, where, id);
  memory_.read_plain(current_, address, id, where);
}

void engine::write_plain(const void* address, location_id id, const std::source_location& where) {
  record(event_kind::set, where, id);
  memory_.write_plain(current_, address, id, where);
}

// ---- memory blocks --------------------------------------------------------------------------------------------------

void* engine::allocate(std::size_t bytes, std::size_t alignment, const std::source_location& where) {
  auto* memory = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}));
  blocks_.push_back({memory, bytes, alignment, false, static_cast<std::uint8_t>(current_), where, {}});
  record(event_kind::make, where, static_cast<std::uint32_t>(blocks_.size() - 1));
  return memory;
}

// Called before the destructor runs: the destructor of an object that is already gone must not run again.
void engine::require_allocated(const void* memory, const std::source_location& where) {
  for (std::size_t i = blocks_.size(); i-- != 0;) {
    const block& b = blocks_[i];
    if (b.memory != memory) continue;
    if (b.is_freed) {
      fail(failure::use_after_free, "double free: " + threads_[current_]->name + " destroys block#" +
                                        std::to_string(i) + " at " + format_where(where) + ", which was destroyed at " +
                                        format_where(b.freed_at));
    }
    destroying_at_ = where;
    return;
  }
  fail(failure::use_after_free,
       threads_[current_]->name + " destroys at " + format_where(where) + " what was never made");
}

void engine::release(void* memory, const std::source_location& where) {
  for (std::size_t i = blocks_.size(); i-- != 0;) {
    block& b = blocks_[i];
    if (b.memory != memory) continue;
    b.is_freed = true;
    b.freed_at = where;
    record(event_kind::destroy, where, static_cast<std::uint32_t>(i));
    break;
  }
  destroying_at_ = std::source_location{};
}

void engine::release_blocks() {
  for (const block& b : blocks_) ::operator delete(b.memory, std::align_val_t{b.alignment});
  blocks_.clear();
}

void engine::poison(const void* first, std::size_t bytes, const std::source_location& where) {
  step(where);
  memory_.poison(current_, first, bytes, where);
  wrote();
  record(event_kind::discard, where);
}

// ---- names, notes, choices ------------------------------------------------------------------------------------------

void engine::set_name(const void* address, const char* name, std::uint32_t index, bool is_array) {
  memory_.set_name(address, name, index, is_array);
}

void engine::note(std::string_view text) {
  notes_.emplace_back(text);
  record(event_kind::note, std::source_location{}, static_cast<std::uint32_t>(notes_.size() - 1));
}

unsigned engine::choose(unsigned count) {
  FILCH_ASSERT(count != 0);
  const unsigned chosen = count == 1 ? 0 : chooser_.choose_value(count);
  outcome o;
  o.after = chosen;
  record(event_kind::choice, std::source_location{}, 0, 0, o);
  return chosen;
}

}  // namespace filch::check
