// The constants of the .filch format that its writer and its reader share. docs/architecture/trace.md describes it.
#pragma once

#include <filch/trace/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace filch::inline v0::trace {

// The first byte is no text, the last two show a file that a transfer in text mode has changed.
inline constexpr std::string_view k_magic{
    "\x89"
    "filch\r\n",
    8};
// Version 1 knows the kinds up to `join`, codes every time with zigzag, has no short forms, and counts all differences
// of tasks from the last task.
inline constexpr std::uint16_t k_format_version = 2;
inline constexpr std::uint16_t k_oldest_format_version = 1;
inline constexpr std::uint8_t k_kind_count_1 = 21;
inline constexpr std::size_t k_file_head_bytes = 12;   // magic, version, flags
inline constexpr std::size_t k_block_head_bytes = 12;  // type, length, crc

inline constexpr std::string_view k_block_metadata = "META";
inline constexpr std::string_view k_block_names = "NAME";
inline constexpr std::string_view k_block_events = "EVNT";
inline constexpr std::string_view k_block_usage = "USED";
inline constexpr std::string_view k_block_facts = "FACT";
inline constexpr std::string_view k_block_end = "DONE";

// A reader refuses longer blocks, so that a wrong length cannot make it allocate without bound.
inline constexpr std::uint32_t k_max_block_bytes = 1u << 24;
// A writer begins a new block after this many bytes or events.
inline constexpr std::size_t k_block_target_bytes = std::size_t{1} << 16;
inline constexpr std::size_t k_block_events_limit = 4096;

// The first byte of an event: kind in the low five bits, then which fields follow.
inline constexpr std::uint8_t k_kind_mask = 0x1f;
inline constexpr std::uint8_t k_has_task = 0x20;
inline constexpr std::uint8_t k_has_argument = 0x40;
inline constexpr std::uint8_t k_has_detail = 0x80;
inline constexpr std::size_t k_min_event_bytes = 2;
inline constexpr std::size_t k_min_sample_bytes = 3;

// Events that what came before foretells are a first byte and a time.
// the task behind the last spawned, of the same parent, with the same name
inline constexpr std::uint8_t k_next_spawn = 31;
inline constexpr std::uint8_t k_last_join = 30;  // the last parent joins the last task
inline constexpr std::uint8_t k_last_end = 29;   // the last task ends

// What the events of a block so far say of the next one; its writer and its reader keep the same.
struct event_context {
  std::uint64_t time = 0;
  std::uint64_t task = 0;            // of the last event with a task that is no spawn and no join
  std::uint64_t spawned = 0;         // by the last spawn
  std::uint64_t parent = 0;          // of the last spawn or join
  std::uint32_t name = k_no_detail;  // of the last spawn

  // What the difference of an event's task is counted from.
  [[nodiscard]] constexpr std::uint64_t task_base(event_kind kind) const {
    return kind == event_kind::spawn ? spawned : kind == event_kind::join ? parent : task;
  }
  // Is the argument a task? Then it is coded as a difference, too.
  [[nodiscard]] static constexpr bool holds_task(event_kind kind) {
    return kind == event_kind::spawn || kind == event_kind::join || kind == event_kind::woken;
  }
  [[nodiscard]] constexpr std::uint64_t argument_base(event_kind kind) const {
    return kind == event_kind::spawn ? parent : task;
  }
  constexpr void note(const event& e) {
    time = static_cast<std::uint64_t>(e.time_ns);
    if (e.kind == event_kind::spawn) {
      spawned = e.task;
      parent = e.argument;
      name = e.detail;
    } else if (e.kind == event_kind::join) {
      parent = e.task;
    } else if (e.task != k_no_task) {
      task = e.task;
    }
  }
};

}  // namespace filch::inline v0::trace
