// The memory of one execution: the C++20 memory model, operational, with views. README.md tells the rules in words.
//
// Locations (atomics) carry their history of stores in modification order; each store carries the view it publishes.
// Plain variables carry the clocks of their last accesses. Nothing is forgotten before the execution ends, so that an
// access to a dead object is recognised.
//
// Invariants: M1 the stamps of a history rise strictly. M2 no store stands between an update and the store it read.
// M3 a thread's view of a location never falls.
#pragma once

#include "check.hpp"
#include "order.hpp"
#include "trace.hpp"
#include "view.hpp"

#include <array>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

namespace filch::check {

using location_id = std::uint32_t;

// What the memory asks of the execution it belongs to.
class memory_host {
 public:
  virtual unsigned choose_value(unsigned count) = 0;
  [[noreturn]] virtual void fail(failure kind, std::string message) = 0;
  [[nodiscard]] virtual std::string thread_name(unsigned thread) const = 0;

 protected:
  ~memory_host() = default;
};

struct message {
  std::uint64_t value;
  stamp when;
  std::uint8_t thread;
  bool is_update;  // wrote what an update (read-modify-write) made of the message before it
  view_ref published;
};

struct location {
  const void* address;
  std::vector<message> history;
  std::source_location created_at, died_at;
  const char* name;     // null: unnamed
  std::uint32_t index;  // in an array, when named as one
  bool is_alive, is_array;
  std::uint8_t creator, destroyer, bytes;
  value_kind shown_as;
  stamp created;                              // clock of the creator
  stamp wake_floor;                           // what a futex wake has made visible to later waits
  std::array<stamp, k_max_threads> accessed;  // clock of each thread's last access
  std::array<std::source_location, k_max_threads> accessed_at;
  std::array<std::uint8_t, k_max_threads> outdated_reads;
};

// Plain data.
struct plain {
  const void* address;
  std::source_location wrote_at, died_at;
  const char* name;
  std::uint32_t index;
  bool is_alive, is_array;
  std::uint8_t writer, destroyer;
  stamp wrote;
  std::array<stamp, k_max_threads> reads;
  std::array<std::source_location, k_max_threads> read_at;
};

// The three views of a thread.
struct thread_views {
  view current;                    // happens-before and coherence: what it must not unsee
  view acquirable;                 // read by relaxed loads: an acquire fence adds it to current
  view_ref released;               // current at the last release fence: what relaxed stores publish
  bool knows_nothing_new = false;  // the last operation neither wrote nor read a store for the first time
};

enum class update_kind : std::uint8_t { exchange, add, sub, bit_or, bit_and };

// What an operation did, for the schedule.
struct outcome {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint16_t newer = 0;
  bool wrote = false;
};

class memory {
 public:
  explicit memory(memory_host& host) : host_{host} {}

  void reset(const options& how);

  location_id create(unsigned thread, const void* address, std::uint64_t value, unsigned bytes, value_kind shown_as,
                     const std::source_location& where);
  void kill(unsigned thread, const void* address, location_id id, const std::source_location& where);

  outcome load(unsigned thread, const void* address, location_id id, order_bits order,
               const std::source_location& where);
  outcome store(unsigned thread, const void* address, location_id id, std::uint64_t value, order_bits order,
                const std::source_location& where);
  outcome update(unsigned thread, const void* address, location_id id, update_kind what, std::uint64_t operand,
                 order_bits order, const std::source_location& where);
  outcome compare_exchange(unsigned thread, const void* address, location_id id, std::uint64_t expected,
                           std::uint64_t desired, order_bits success, order_bits failure,
                           const std::source_location& where);
  void fence(unsigned thread, order_bits order);

  // Overwrites every atomic of the range with the poison value, as a concurrent write would.
  void poison(unsigned thread, const void* first, std::size_t bytes, const std::source_location& where);

  // A wake makes what its thread knows of the word visible to later waits; a wait reads the word under that bound.
  void note_wake(unsigned thread, location_id id);
  outcome load_for_wait(unsigned thread, const void* address, location_id id, const std::source_location& where);

  location_id create_plain(unsigned thread, const void* address, const std::source_location& where);
  void read_plain(unsigned thread, const void* address, location_id id, const std::source_location& where);
  void write_plain(unsigned thread, const void* address, location_id id, const std::source_location& where);
  void kill_plain(unsigned thread, const void* address, location_id id, const std::source_location& where);

  void start_thread(unsigned parent, unsigned child);
  void synchronise(unsigned thread, view_ref with) { views_[thread].current.join(with); }
  view_ref snapshot(unsigned thread) { return arena_.copy(views_[thread].current.ref()); }
  void tick(unsigned thread) { views_[thread].current.raise(thread, views_[thread].current.at(thread) + 1); }

  [[nodiscard]] thread_views& views(unsigned thread) { return views_[thread]; }
  [[nodiscard]] const location* find(location_id id) const { return id < location_count_ ? &locations_[id] : nullptr; }
  [[nodiscard]] std::string location_name(location_id id) const;
  [[nodiscard]] std::string plain_name(location_id id) const;
  void set_name(const void* address, const char* name, std::uint32_t index, bool is_array);
  [[nodiscard]] bool names_atomic_at(location_id id, const void* address) const;

 private:
  static std::size_t entry(location_id id) { return k_max_threads + id; }

  location& accessed(unsigned thread, const void* address, location_id id, const std::source_location& where);
  [[nodiscard]] stamp floor_of(unsigned thread, location_id id, order_bits order) const;
  [[nodiscard]] bool is_open_after(const location& l, std::size_t index) const;
  void observe(unsigned thread, location& l, location_id id, std::size_t index, order_bits order);
  stamp insert(unsigned thread, location& l, location_id id, std::size_t after, std::uint64_t value, order_bits order,
               const message* read);
  [[noreturn]] void report_dead(unsigned thread, const std::string& what, const std::source_location& where,
                                const std::source_location& died_at, unsigned destroyer);
  [[noreturn]] void report_race(const std::string& what, unsigned thread, const char* doing,
                                const std::source_location& where, unsigned other, const char* did,
                                const std::source_location& at);
  plain& alive_plain(unsigned thread, const void* address, location_id id, const std::source_location& where);
  void require_write_is_known(unsigned thread, const plain& p, location_id id, const char* doing,
                              const std::source_location& where);
  void require_reads_are_known(unsigned thread, const plain& p, location_id id, const char* doing,
                               const std::source_location& where);

  memory_host& host_;
  unsigned outdated_read_limit_ = 3;
  bool is_order_weak_ = true;
  std::vector<location> locations_;  // the first location_count_ are of this execution; the rest keep their memory
  std::size_t location_count_ = 0;
  std::vector<plain> plains_;
  std::array<thread_views, k_max_threads> views_;
  view seq_cst_;
  view_arena arena_;
  std::vector<std::uint16_t> candidates_;
};

}  // namespace filch::check
