#include "trace.hpp"

#include "engine.hpp"

#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace filch::check {

const char* name_of(failure kind) {
  switch (kind) {
    case failure::none:
      return "none";
    case failure::assertion:
      return "assertion";
    case failure::race:
      return "race";
    case failure::use_after_free:
      return "use after free";
    case failure::deadlock:
      return "deadlock";
    case failure::livelock:
      return "livelock";
    case failure::leak:
      return "leak";
    case failure::user:
      return "user";
  }
  return "?";
}

std::string format_value(std::uint64_t value, value_kind kind, unsigned bytes) {
  char text[32];
  const unsigned unused_bits = 64 - 8 * bytes;
  switch (kind) {
    case value_kind::boolean:
      return value != 0 ? "true" : "false";
    case value_kind::signed_number:
      std::snprintf(text, sizeof text, "%" PRId64, static_cast<std::int64_t>(value << unused_bits) >> unused_bits);
      return text;
    case value_kind::unsigned_number:
      std::snprintf(text, sizeof text, "%" PRIu64, value);
      return text;
    case value_kind::pointer:
      if (value == 0) return "null";
      [[fallthrough]];
    case value_kind::bytes:
      break;
  }
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

std::string format_value(const assert_value& value) {
  char text[32];
  switch (value.what) {
    case assert_value::kind::signed_number:
      return std::to_string(value.i);
    case assert_value::kind::unsigned_number:
      return std::to_string(value.u);
    case assert_value::kind::real:
      std::snprintf(text, sizeof text, "%.17g", value.d);
      return text;
    case assert_value::kind::boolean:
      return value.u != 0 ? "true" : "false";
    case assert_value::kind::text:
      return concat({"\"", value.s, "\""});
    case assert_value::kind::pointer:
      std::snprintf(text, sizeof text, "%p", value.p);
      return text;
  }
  return "?";
}

std::string concat(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

std::string format_where(const std::source_location& where) {
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return concat({file, ":", std::to_string(where.line())});
}

namespace {

const char* verb(event_kind kind) {
  switch (kind) {
    case event_kind::load:
      return "load";
    case event_kind::store:
      return "store";
    case event_kind::exchange:
      return "exchange";
    case event_kind::fetch_add:
      return "fetch_add";
    case event_kind::fetch_sub:
      return "fetch_sub";
    case event_kind::fetch_or:
      return "fetch_or";
    case event_kind::fetch_and:
      return "fetch_and";
    case event_kind::cas_ok:
      return "cas ok";
    case event_kind::cas_failed:
      return "cas failed";
    case event_kind::fence:
      return "fence";
    case event_kind::pause:
      return "pause";
    case event_kind::get:
      return "get";
    case event_kind::set:
      return "set";
    case event_kind::make:
      return "make";
    case event_kind::destroy:
      return "destroy";
    case event_kind::discard:
      return "discard";
    case event_kind::sleep:
      return "futex sleep";
    case event_kind::no_sleep:
      return "futex differs";
    case event_kind::spurious:
      return "futex spurious";
    case event_kind::timeout:
      return "futex timeout";
    case event_kind::woken:
      return "futex woken";
    case event_kind::wake:
      return "futex wake";
    case event_kind::lock:
      return "lock";
    case event_kind::try_lock:
      return "try_lock fails";
    case event_kind::unlock:
      return "unlock";
    case event_kind::spawn:
      return "spawn";
    case event_kind::join:
      return "join";
    case event_kind::finish:
      return "finish";
    case event_kind::note:
      return "note";
    case event_kind::choice:
      return "choose";
  }
  return "?";
}

}  // namespace

// One line per operation: number, thread, operation, location, value, order, place.
std::string engine::format_schedule() const {
  std::string out;
  std::size_t number = 0;
  char line[512];
  for (const event& e : events_) {
    std::string what;
    const location* l = e.kind <= event_kind::cas_failed || (e.kind >= event_kind::sleep && e.kind <= event_kind::wake)
                            ? memory_.find(e.location)
                            : nullptr;
    if (l != nullptr) {
      const auto shown = [&](std::uint64_t value) { return format_value(value, l->shown_as, l->bytes); };
      what = memory_.location_name(e.location);
      if (e.kind == event_kind::store) {
        what += concat({" := ", shown(e.after)});
        if (e.newer != 0) what += concat({" (before ", std::to_string(e.newer), " unseen)"});
      } else if (e.kind == event_kind::load || e.kind == event_kind::cas_failed || e.kind == event_kind::no_sleep ||
                 e.kind == event_kind::sleep) {
        what += concat({" = ", shown(e.before)});
      } else if (e.kind <= event_kind::cas_ok) {
        what += concat({" ", shown(e.before), " -> ", shown(e.after)});
      }
      if (e.newer != 0 && e.kind != event_kind::store) what += concat({" (", std::to_string(e.newer), " newer)"});
    } else if (e.kind == event_kind::get || e.kind == event_kind::set) {
      what = memory_.plain_name(e.location);
    } else if (e.kind == event_kind::spawn) {
      what = threads_[e.location]->name;
    } else if (e.kind == event_kind::note) {
      what = notes_[e.location];
    } else if (e.kind == event_kind::make || e.kind == event_kind::destroy) {
      what = concat({"block#", std::to_string(e.location)});
    } else if (e.kind == event_kind::lock || e.kind == event_kind::try_lock || e.kind == event_kind::unlock) {
      what = concat({"mutex#", std::to_string(e.location)});
    } else if (e.kind == event_kind::choice) {
      what = std::to_string(e.after);
    }
    const bool has_order = e.kind <= event_kind::fence;
    std::snprintf(line, sizeof line, "%4zu  %-10s %-14s %-28s %-8s %s", ++number, threads_[e.thread]->name.c_str(),
                  verb(e.kind), what.c_str(), has_order ? order_name(e.order) : "",
                  e.where.line() != 0 ? format_where(e.where).c_str() : "");
    out += line;
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
  return out;
}

}  // namespace filch::check
