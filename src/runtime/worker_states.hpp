// What a worker remembers of its search, its thefts and its sleep: plain data of the functions that look for work
// (work_sources.hpp, stealing.hpp, sleeping.hpp).
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>
#include <filch/policy/search.hpp>
#include <filch/share/entry.hpp>

#include <cstdint>

namespace filch::inline v0 {

struct share_point;

struct source_state {
  std::uint32_t turns = 0;                  // of the own queues
  std::uint64_t deque_turns = 0;            // the turns in which the deque comes before ready coroutines
  bool mail_first = false;                  // which of mail and injector was looked at first the last time
  const queue_entry* offer_seen = nullptr;  // in the own cell, to compare it: it may be gone
  time_ns offer_seen_ns = 0;
};

struct steal_state {
  policy::request_pace pace;
  time_ns stolen_ns = 0;    // when it stole the last time
  time_ns not_aged_ns = 0;  // when the last offer was made that it left, since its owner would take it back
  // The last coroutines that it has stolen, until they are judged.
  struct {
    share_point* from = nullptr;
    time_ns taken_ns = 0;
    std::uint32_t count = 0;
  } batch;
};

struct sleep_state {
  bool is_searching = false;           // counted as such in `idle`
  bool is_keeper = false;              // of the wait sources
  bool may_await_deferred = false;     // it may linger until a deferred request can be made
  time_ns moved_ns = 0;                // when it moved to another CPU the last time
  time_ns search_began_ns = 0;         // 0: no search under way
  policy::search_counters reported{};  // what of the search is in the counters
  std::uint32_t tasks_per_look = 1;    // how often it looks at the clock while a source has a deadline
  std::uint32_t tasks_to_look = 1;
  time_ns looked_ns = 0;
};

}  // namespace filch::inline v0
