// What happened in an execution, one record per operation, and how it is printed.
#pragma once

#include "check.hpp"
#include "order.hpp"

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace filch::check {

enum class event_kind : std::uint8_t {
  load,
  store,
  exchange,
  fetch_add,
  fetch_sub,
  fetch_or,
  fetch_and,
  cas_ok,
  cas_failed,
  fence,
  pause,
  get,
  set,
  make,
  destroy,
  discard,
  sleep,
  no_sleep,
  spurious,
  timeout,
  woken,
  wake,
  lock,
  try_lock,
  unlock,
  spawn,
  join,
  finish,
  note,
  choice,
};

enum class value_kind : std::uint8_t { signed_number, unsigned_number, boolean, pointer, bytes };

struct event {
  std::source_location where{};
  std::uint64_t before = 0;    // the value read
  std::uint64_t after = 0;     // the value written
  std::uint32_t location = 0;  // of the atomic, or the number of a thread, an allocation or a note
  std::uint16_t newer = 0;     // stores in modification order after the one read (or before which this one went)
  event_kind kind{};
  order_bits order = 0;
  std::uint8_t thread = 0;
};

[[nodiscard]] std::string format_value(std::uint64_t value, value_kind kind, unsigned bytes);
[[nodiscard]] std::string format_value(const assert_value& value);
// The parts, one after the other.
[[nodiscard]] std::string concat(std::initializer_list<std::string_view> parts);
[[nodiscard]] std::string format_where(const std::source_location& where);

}  // namespace filch::check
