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
// Version 1 knows the kinds up to `join`, codes every time with zigzag, and the arguments of `spawn` only as tasks.
inline constexpr std::uint16_t k_format_version = 2;
inline constexpr std::uint16_t k_oldest_format_version = 1;
inline constexpr std::uint8_t k_kind_count_1 = 21;
inline constexpr std::size_t k_file_head_bytes = 12;   // magic, version, flags
inline constexpr std::size_t k_block_head_bytes = 12;  // type, length, crc

inline constexpr std::string_view k_block_metadata = "META";
inline constexpr std::string_view k_block_names = "NAME";
inline constexpr std::string_view k_block_events = "EVNT";
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

// Is the argument a task? Then its number is near that of the event's task and is coded as the difference.
[[nodiscard]] constexpr bool holds_task(event_kind kind) {
  return kind == event_kind::spawn || kind == event_kind::join || kind == event_kind::woken;
}

}  // namespace filch::inline v0::trace
