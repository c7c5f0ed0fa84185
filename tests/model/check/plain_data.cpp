// Plain variables, names, and what the memory reports.
#include "memory.hpp"

#include <filch/base/assert.hpp>

#include <exception>

namespace filch::check {

location_id memory::create_plain(unsigned thread, const void* address, const std::source_location& where) {
  tick(thread);
  plain p{};
  p.address = address;
  p.wrote_at = where;
  p.is_alive = true;
  p.writer = static_cast<std::uint8_t>(thread);
  p.wrote = views_[thread].current.at(thread);
  plains_.push_back(p);
  return static_cast<location_id>(plains_.size() - 1);
}

plain& memory::alive_plain(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  if (id >= plains_.size() || plains_[id].address != address) {
    host_.fail(failure::use_after_free,
               "a variable that does not exist (its memory was reused) is used at " + format_where(where));
  }
  plain& p = plains_[id];
  if (!p.is_alive) report_dead(thread, plain_name(id), where, p.died_at, p.destroyer);
  return p;
}

void memory::require_write_is_known(unsigned thread, const plain& p, location_id id, const char* doing,
                                    const std::source_location& where) {
  if (p.writer == thread || p.wrote <= views_[thread].current.at(p.writer)) return;
  report_race(plain_name(id), thread, doing, where, p.writer, "wrote it", p.wrote_at);
}

void memory::require_reads_are_known(unsigned thread, const plain& p, location_id id, const char* doing,
                                     const std::source_location& where) {
  for (unsigned other = 0; other != k_max_threads; ++other) {
    if (other == thread || p.reads[other] <= views_[thread].current.at(other)) continue;
    report_race(plain_name(id), thread, doing, where, other, "read it", p.read_at[other]);
  }
}

void memory::read_plain(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  plain& p = alive_plain(thread, address, id, where);
  require_write_is_known(thread, p, id, "reads it", where);
  tick(thread);
  p.reads[thread] = views_[thread].current.at(thread);
  p.read_at[thread] = where;
}

void memory::write_plain(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  plain& p = alive_plain(thread, address, id, where);
  require_write_is_known(thread, p, id, "writes it", where);
  require_reads_are_known(thread, p, id, "writes it", where);
  tick(thread);
  p.writer = static_cast<std::uint8_t>(thread);
  p.wrote = views_[thread].current.at(thread);
  p.wrote_at = where;
}

void memory::kill_plain(unsigned thread, const void* address, location_id id, const std::source_location& where) {
  plain& p = alive_plain(thread, address, id, where);
  require_write_is_known(thread, p, id, "destroys it", where);
  require_reads_are_known(thread, p, id, "destroys it", where);
  p.is_alive = false;
  p.died_at = where;
  p.destroyer = static_cast<std::uint8_t>(thread);
}

namespace {

std::string with_index(const char* name, std::uint32_t index, bool is_array) {
  return is_array ? concat({name, "[", std::to_string(index), "]"}) : std::string(name);
}

}  // namespace

std::string memory::location_name(location_id id) const {
  if (id >= location_count_) return "?";
  const location& l = locations_[id];
  return l.name != nullptr ? with_index(l.name, l.index, l.is_array) : concat({"atomic#", std::to_string(id)});
}

std::string memory::plain_name(location_id id) const {
  if (id >= plains_.size()) return "?";
  const plain& p = plains_[id];
  return p.name != nullptr ? with_index(p.name, p.index, p.is_array) : concat({"var#", std::to_string(id)});
}

// The newest live object at that address: an address may have been used before.
void memory::set_name(const void* address, const char* name, std::uint32_t index, bool is_array) {
  for (std::size_t i = location_count_; i-- != 0;) {
    location& l = locations_[i];
    if (l.address != address || !l.is_alive) continue;
    l.name = name, l.index = index, l.is_array = is_array;
    return;
  }
  for (std::size_t i = plains_.size(); i-- != 0;) {
    plain& p = plains_[i];
    if (p.address != address || !p.is_alive) continue;
    p.name = name, p.index = index, p.is_array = is_array;
    return;
  }
}

bool memory::names_atomic_at(location_id id, const void* address) const {
  return id < location_count_ && locations_[id].address == address;
}

void memory::report_dead(unsigned thread, const std::string& what, const std::source_location& where,
                         const std::source_location& died_at, unsigned destroyer) {
  host_.fail(failure::use_after_free, host_.thread_name(thread) + " uses " + what + " at " + format_where(where) +
                                          " after " + host_.thread_name(destroyer) + " destroyed it at " +
                                          format_where(died_at));
  std::terminate();  // fail() does not return
}

void memory::report_race(const std::string& what, unsigned thread, const char* doing, const std::source_location& where,
                         unsigned other, const char* did, const std::source_location& at) {
  host_.fail(failure::race, "race on " + what + ": " + host_.thread_name(thread) + " " + doing + " at " +
                                format_where(where) + ", not ordered after " + host_.thread_name(other) + " " + did +
                                " at " + format_where(at));
  std::terminate();  // fail() does not return
}

}  // namespace filch::check
