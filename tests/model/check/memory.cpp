#include "memory.hpp"

#include "atomics.hpp"

#include <filch/base/assert.hpp>

namespace filch::check {
namespace {

// Distance between the stamps of stores that were appended: leaves room for stores that go between them later.
constexpr stamp k_stamp_gap = 1u << 12;

constexpr std::size_t k_max_locations = 32 * 1024;

std::uint64_t cut(std::uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

void memory::reset(const options& how) {
  outdated_read_limit_ = how.stale_reads;
  is_order_weak_ = how.weak_modification_order;
  location_count_ = 0;
  plains_.clear();
  for (thread_views& v : views_) v.current.clear(), v.acquirable.clear(), v.released = {}, v.knows_nothing_new = false;
  views_[0].current.raise(0, 1);
  seq_cst_.clear();
  arena_.reset();
}

location_id memory::create(unsigned thread, const void* address, std::uint64_t value, unsigned bytes,
                           value_kind shown_as, const std::source_location& where) {
  FILCH_ASSERT(location_count_ < k_max_locations, location_count_);
  if (location_count_ == locations_.size()) locations_.emplace_back();
  const auto id = static_cast<location_id>(location_count_++);
  location& l = locations_[id];
  l.address = address;
  l.history.clear();
  l.history.push_back({value, k_stamp_gap, static_cast<std::uint8_t>(thread), false, {}});
  l.created_at = where;
  l.name = nullptr;
  l.index = 0;
  l.is_alive = true, l.is_array = false;
  l.creator = static_cast<std::uint8_t>(thread);
  l.destroyer = 0;
  l.bytes = static_cast<std::uint8_t>(bytes);
  l.shown_as = shown_as;
  l.wake_floor = 0;
  l.accessed.fill(0);
  l.outdated_reads.fill(0);
  tick(thread);
  l.created = views_[thread].current.at(thread);
  views_[thread].current.raise(entry(id), k_stamp_gap);
  return id;
}

void memory::kill(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  location& l = accessed(thread, address, id, where);
  for (unsigned other = 0; other != k_max_threads; ++other) {
    if (other != thread && l.accessed[other] > views_[thread].current.at(other)) {
      report_race(location_name(id), thread, "destroys it", where, other, "used it", l.accessed_at[other]);
    }
  }
  l.is_alive = false;
  l.died_at = where;
  l.destroyer = static_cast<std::uint8_t>(thread);
}

// The location, after checking that `thread` may touch it, with its access noted.
location& memory::accessed(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  if (id >= location_count_ || locations_[id].address != address) {
    host_.fail(failure::use_after_free,
               "an atomic that does not exist (its memory was reused) is used at " + format_where(where));
  }
  location& l = locations_[id];
  if (!l.is_alive) report_dead(thread, location_name(id), where, l.died_at, l.destroyer);
  view& known = views_[thread].current;
  if (l.creator != thread && l.created > known.at(l.creator)) {
    report_race(location_name(id), thread, "uses it", where, l.creator, "constructed it", l.created_at);
  }
  tick(thread);
  l.accessed[thread] = known.at(thread);
  l.accessed_at[thread] = where;
  return l;
}

// The oldest store of `id` that an operation of this order may read, or after which it may write.
stamp memory::floor_of(unsigned thread, location_id id, order_bits order) const {
  const stamp known = views_[thread].current.at(entry(id));
  return (order & k_seq_cst) != 0 ? std::max(known, seq_cst_.at(entry(id))) : known;
}

// Whether a store may be put directly after history[index].
bool memory::is_open_after(const location& l, std::size_t index) const {
  if (index + 1 == l.history.size()) return true;
  if (!is_order_weak_ || l.history[index + 1].is_update) return false;
  return l.history[index + 1].when - l.history[index].when >= 2;
}

// The effects of reading history[index] on what the thread knows.
void memory::observe(unsigned thread, location& l, location_id id, std::size_t index, order_bits order) {
  thread_views& v = views_[thread];
  const message& m = l.history[index];
  const bool is_known = v.current.at(entry(id)) == m.when;
  const bool is_outdated = index + 1 != l.history.size();
  v.knows_nothing_new = is_known;
  if (is_known && is_outdated) {
    if (l.outdated_reads[thread] != 0xff) ++l.outdated_reads[thread];
  } else {
    l.outdated_reads[thread] = 0;
  }
  v.current.raise(entry(id), m.when);
  if ((order & k_acquire) != 0) {
    v.current.join(m.published);
  } else if (m.published.size != 0) {
    v.acquirable.join(m.published);
  }
  if ((order & k_seq_cst) != 0) seq_cst_.raise(entry(id), m.when);
}

// Puts a store directly after history[after]. `read` is what an update read: its release sequence goes on.
stamp memory::insert(unsigned thread, location& l, location_id id, std::size_t after, std::uint64_t value,
                     order_bits order, const message* read) {
  thread_views& v = views_[thread];
  const std::size_t place = after + 1;
  const stamp before = l.history[after].when;
  const stamp when = place == l.history.size() ? before + k_stamp_gap : before + (l.history[place].when - before) / 2;
  v.current.raise(entry(id), when);
  view_ref published = (order & k_release) != 0 ? arena_.copy(v.current.ref()) : v.released;
  if (read != nullptr) published = arena_.joined(published, read->published);
  l.history.insert(l.history.begin() + static_cast<std::ptrdiff_t>(place),
                   message{cut(value, l.bytes), when, static_cast<std::uint8_t>(thread), read != nullptr, published});
  if ((order & k_seq_cst) != 0) seq_cst_.raise(entry(id), when);
  v.knows_nothing_new = false;
  l.outdated_reads[thread] = 0;
  tick(thread);
  return when;
}

outcome memory::load(unsigned thread, const void* address, location_id id, order_bits order,
                     const std::source_location& where) {
  location& l = accessed(thread, address, id, where);
  const stamp floor = floor_of(thread, id, order);
  const std::size_t size = l.history.size();
  std::size_t oldest = size - 1;
  while (oldest != 0 && l.history[oldest - 1].when >= floor) --oldest;
  const bool is_known = l.history[oldest].when == views_[thread].current.at(entry(id));
  if (is_known && oldest + 1 != size && l.outdated_reads[thread] >= outdated_read_limit_) ++oldest;
  const auto count = static_cast<unsigned>(size - oldest);
  const unsigned newer = count == 1 ? 0 : host_.choose_value(count);
  const std::size_t index = size - 1 - newer;
  const std::uint64_t value = l.history[index].value;
  observe(thread, l, id, index, order);
  return {value, value, static_cast<std::uint16_t>(newer), false};
}

outcome memory::load_for_wait(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  location& l = accessed(thread, address, id, where);
  views_[thread].current.raise(entry(id), l.wake_floor);
  return load(thread, address, id, k_relaxed, where);
}

void memory::note_wake(unsigned thread, location_id id) {
  location& l = locations_[id];
  l.wake_floor = std::max(l.wake_floor, views_[thread].current.at(entry(id)));
}

outcome memory::store(unsigned thread, const void* address, location_id id, std::uint64_t value, order_bits order,
                      const std::source_location& where) {
  location& l = accessed(thread, address, id, where);
  const stamp floor = floor_of(thread, id, order);
  candidates_.clear();
  for (std::size_t i = l.history.size(); i-- != 0 && l.history[i].when >= floor;) {
    if (is_open_after(l, i)) candidates_.push_back(static_cast<std::uint16_t>(i));
  }
  const unsigned chosen = candidates_.size() == 1 ? 0 : host_.choose_value(static_cast<unsigned>(candidates_.size()));
  const std::size_t after = candidates_[chosen];
  const auto newer = static_cast<std::uint16_t>(l.history.size() - 1 - after);
  insert(thread, l, id, after, value, order, nullptr);
  return {value, value, newer, true};
}

outcome memory::update(unsigned thread, const void* address, location_id id, update_kind what, std::uint64_t operand,
                       order_bits order, const std::source_location& where) {
  location& l = accessed(thread, address, id, where);
  const stamp floor = floor_of(thread, id, order);
  candidates_.clear();
  for (std::size_t i = l.history.size(); i-- != 0 && l.history[i].when >= floor;) {
    if (is_open_after(l, i)) candidates_.push_back(static_cast<std::uint16_t>(i));
  }
  const unsigned chosen = candidates_.size() == 1 ? 0 : host_.choose_value(static_cast<unsigned>(candidates_.size()));
  const std::size_t index = candidates_[chosen];
  const message read = l.history[index];
  std::uint64_t value = operand;
  switch (what) {
    case update_kind::exchange:
      break;
    case update_kind::add:
      value = read.value + operand;
      break;
    case update_kind::sub:
      value = read.value - operand;
      break;
    case update_kind::bit_or:
      value = read.value | operand;
      break;
    case update_kind::bit_and:
      value = read.value & operand;
      break;
  }
  value = cut(value, l.bytes);
  const auto newer = static_cast<std::uint16_t>(l.history.size() - 1 - index);
  observe(thread, l, id, index, order);
  insert(thread, l, id, index, value, order, &read);
  return {read.value, value, newer, true};
}

outcome memory::compare_exchange(unsigned thread, const void* address, location_id id, std::uint64_t expected,
                                 std::uint64_t desired, order_bits success, order_bits failure,
                                 const std::source_location& where) {
  location& l = accessed(thread, address, id, where);
  const stamp success_floor = floor_of(thread, id, success);
  const stamp failure_floor = floor_of(thread, id, failure);
  const stamp known = views_[thread].current.at(entry(id));
  const bool is_tired = l.outdated_reads[thread] >= outdated_read_limit_;
  candidates_.clear();
  for (std::size_t i = l.history.size(); i-- != 0 && l.history[i].when >= known;) {
    const message& m = l.history[i];
    if (m.value == expected) {
      if (m.when >= success_floor && is_open_after(l, i)) candidates_.push_back(static_cast<std::uint16_t>(i));
    } else if (m.when >= failure_floor && !(is_tired && m.when == known && !candidates_.empty())) {
      candidates_.push_back(static_cast<std::uint16_t>(i));
    }
  }
  const unsigned chosen = candidates_.size() == 1 ? 0 : host_.choose_value(static_cast<unsigned>(candidates_.size()));
  const std::size_t index = candidates_[chosen];
  const message read = l.history[index];
  const auto newer = static_cast<std::uint16_t>(l.history.size() - 1 - index);
  if (read.value != expected) {
    observe(thread, l, id, index, failure);
    return {read.value, desired, newer, false};
  }
  observe(thread, l, id, index, success);
  insert(thread, l, id, index, desired, success, &read);
  return {read.value, desired, newer, true};
}

void memory::fence(unsigned thread, order_bits order) {
  thread_views& v = views_[thread];
  if ((order & k_acquire) != 0) {
    v.current.join(v.acquirable.ref());
    v.acquirable.clear();
  }
  if ((order & k_seq_cst) != 0) {
    seq_cst_.join_locations(v.current.ref());
    v.current.join_locations(seq_cst_.ref());
  }
  if ((order & k_release) != 0) v.released = arena_.copy(v.current.ref());
  tick(thread);
}

void memory::poison(unsigned thread, const void* first, std::size_t bytes, const std::source_location& where) {
  const auto* begin = static_cast<const std::byte*>(first);
  for (location_id id = 0; id != location_count_; ++id) {
    const auto* at = static_cast<const std::byte*>(locations_[id].address);
    if (at < begin || at >= begin + bytes || !locations_[id].is_alive) continue;
    location& l = accessed(thread, at, id, where);
    insert(thread, l, id, l.history.size() - 1, k_poison, k_relaxed, nullptr);
    l.history.back().published = {};
  }
}

void memory::start_thread(unsigned parent, unsigned child) {
  views_[child].current.assign(views_[parent].current.ref());
  views_[child].current.raise(child, 1);
  views_[child].acquirable.clear();
  views_[child].released = {};
  tick(parent);
}

}  // namespace filch::check
