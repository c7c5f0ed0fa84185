// The reader trusts nothing: every length is checked against what is there before it is used, and every block against
// its checksum before it is decoded. A block takes effect as a whole or not at all.

#include "trace/binary_format.hpp"
#include "trace/bytes.hpp"

#include <filch/trace/binary.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <istream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace filch::inline v0::trace {
namespace {

std::string hex(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

// A block type as it can be shown: its letters, or its bytes when they are none.
std::string shown(std::string_view type) {
  const bool is_text = std::all_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_text ? std::string{type} : "with type " + hex(get_little_endian<std::uint32_t>(type), 8);
}

template <class Unsigned>
bool parse(std::string_view text, Unsigned& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

class reader {
 public:
  explicit reader(std::istream& in) : in_{in} {}

  read_result run() {
    if (read_head()) {
      while (!is_done_ && read_block()) {}
    }
    return std::move(result_);
  }

 private:
  using reason = read_error::reason;

  bool fail(reason why, std::uint64_t offset, std::string what) {
    result_.error = read_error{why, offset, std::move(what)};
    return false;
  }
  // A fault inside the payload of the present block.
  bool bad(const byte_cursor& at, std::string what) {
    return fail(reason::corrupted, block_offset_ + k_block_head_bytes + at.position(),
                "block " + shown(block_type_) + ": " + std::move(what));
  }

  // Up to `size` bytes; fewer at the end of the file. Grows as bytes arrive: a false length costs no memory.
  std::string read_bytes(std::size_t size) {
    std::string bytes;
    while (bytes.size() != size) {
      const std::size_t have = bytes.size();
      const std::size_t step = std::min(size - have, k_block_target_bytes);
      bytes.resize(have + step);
      in_.read(bytes.data() + have, static_cast<std::streamsize>(step));
      const auto got = static_cast<std::size_t>(in_.gcount());
      bytes.resize(have + got);
      if (got != step) break;
    }
    offset_ += bytes.size();
    return bytes;
  }
  bool stream_failed() const { return in_.bad(); }

  bool read_head() {
    const std::string head = read_bytes(k_file_head_bytes);
    if (stream_failed()) return fail(reason::stream, offset_, "the input stream failed");
    const std::string_view magic = std::string_view{head}.substr(0, k_magic.size());
    if (magic != k_magic.substr(0, magic.size()) || magic.empty()) {
      return fail(reason::foreign, 0, head.empty() ? "the file is empty" : "not a .filch file: it begins otherwise");
    }
    if (head.size() < k_file_head_bytes) {
      return fail(reason::truncated, head.size(),
                  "the file ends within its first " + std::to_string(k_file_head_bytes) + " bytes");
    }
    version_ = get_little_endian<std::uint16_t>(std::string_view{head}.substr(8));
    const auto flags = get_little_endian<std::uint16_t>(std::string_view{head}.substr(10));
    if (version_ < k_oldest_format_version || version_ > k_format_version) {
      return fail(reason::version, 8,
                  "format version " + std::to_string(version_) + ", this reader knows " +
                      std::to_string(k_oldest_format_version) + " to " + std::to_string(k_format_version));
    }
    if (flags != 0) return fail(reason::version, 10, "unknown flags " + hex(flags, 4) + ", this reader knows none");
    return true;
  }

  bool read_block() {
    block_offset_ = offset_;
    const std::string head = read_bytes(k_block_head_bytes);
    if (stream_failed()) return fail(reason::stream, offset_, "the input stream failed");
    if (head.size() != k_block_head_bytes) {
      return fail(
          reason::truncated, offset_,
          head.empty() ? "the file ends without its last block DONE" : "the file ends within the head of a block");
    }
    block_type_ = head.substr(0, 4);
    const auto length = get_little_endian<std::uint32_t>(std::string_view{head}.substr(4));
    const auto expected = get_little_endian<std::uint32_t>(std::string_view{head}.substr(8));
    if (length > k_max_block_bytes) {
      return fail(reason::corrupted, block_offset_ + 4,
                  "block " + shown(block_type_) + " claims " + std::to_string(length) +
                      " bytes, allowed: " + std::to_string(k_max_block_bytes));
    }
    const std::string payload = read_bytes(length);
    if (stream_failed()) return fail(reason::stream, offset_, "the input stream failed");
    if (payload.size() != length) {
      return fail(reason::truncated, offset_,
                  "block " + shown(block_type_) + " has " + std::to_string(payload.size()) + " of its " +
                      std::to_string(length) + " bytes");
    }
    const std::uint32_t found = crc32(payload, crc32(std::string_view{head}.substr(0, 8)));
    if (found != expected) {
      return fail(
          reason::corrupted, block_offset_,
          "block " + shown(block_type_) + " has checksum " + hex(expected, 8) + ", its bytes give " + hex(found, 8));
    }
    return decode_block(byte_cursor{payload});
  }

  bool decode_block(byte_cursor at) {
    if (block_type_ == k_block_metadata) return decode_metadata(at);
    if (!result_.is_usable) return bad(at, "comes before the block META");
    if (block_type_ == k_block_names) return decode_names(at);
    if (block_type_ == k_block_events) return decode_events(at);
    if (block_type_ == k_block_usage) return decode_usage(at);
    if (block_type_ == k_block_facts) return decode_facts(at);
    if (block_type_ == k_block_end) return decode_end(at);
    return true;  // a block of a later minor revision: its checksum is right, its meaning unknown
  }

  bool decode_metadata(byte_cursor at) {
    if (result_.is_usable) return bad(at, "a second one");
    recording_metadata about;
    bool has_workers = false;
    const auto count = at.varint();
    if (!count) return bad(at, "no number of entries");
    for (std::uint64_t i = 0; i != *count; ++i) {
      const auto key = at.text();
      const auto value = key ? at.text() : std::nullopt;
      if (!value) return bad(at, "entry " + std::to_string(i) + " is incomplete");
      if (*key == "workers") {
        if (!parse(*value, about.workers) || about.workers > k_max_workers) {
          return bad(at, "workers is not a number from 0 to " + std::to_string(k_max_workers));
        }
        has_workers = true;
      } else if (*key == "seed") {
        if (!parse(*value, about.seed)) return bad(at, "seed is not a number of 64 bits");
      } else if (std::string* field = text_field(about, *key)) {
        *field = *value;
      } else {
        about.extra.emplace_back(*key, *value);
      }
    }
    if (at.left() != 0) return bad(at, "bytes after its last entry");
    if (!has_workers) return bad(at, "no entry \"workers\"");
    result_.value.about = std::move(about);
    result_.value.workers.resize(result_.value.about.workers);
    result_.is_usable = true;
    return true;
  }

  // What became known only while the run was recorded: replaces what the blocks before said.
  bool decode_facts(byte_cursor at) {
    std::vector<std::pair<std::string_view, std::string_view>> facts;
    const auto count = at.varint();
    if (!count) return bad(at, "no number of entries");
    for (std::uint64_t i = 0; i != *count; ++i) {
      const auto key = at.text();
      const auto value = key ? at.text() : std::nullopt;
      if (!value) return bad(at, "entry " + std::to_string(i) + " is incomplete");
      if (*key == "workers" || *key == "seed") return bad(at, "changes " + std::string{*key});
      facts.emplace_back(*key, *value);
    }
    if (at.left() != 0) return bad(at, "bytes after its last entry");
    for (const auto& [key, value] : facts) set_fact(key, value);
    return true;
  }

  void set_fact(std::string_view key, std::string_view value) {
    recording_metadata& about = result_.value.about;
    if (std::string* field = text_field(about, key)) {
      *field = value;
      return;
    }
    if (place_of_extra_.empty()) {
      for (std::size_t i = 0; i != about.extra.size(); ++i) place_of_extra_.try_emplace(about.extra[i].first, i);
    }
    const auto [known, is_new] = place_of_extra_.try_emplace(std::string{key}, about.extra.size());
    if (is_new) about.extra.emplace_back(key, value);
    else about.extra[known->second].second = value;
  }

  static std::string* text_field(recording_metadata& about, std::string_view key) {
    if (key == "source") return &about.source;
    if (key == "policy") return &about.policy;
    if (key == "machine") return &about.machine;
    if (key == "clock") return &about.clock;
    if (key == "version") return &about.version;
    return nullptr;
  }

  bool decode_names(byte_cursor at) {
    auto& names = result_.value.names;
    const auto first = at.varint();
    const auto count = first ? at.varint() : std::nullopt;
    if (!count) return bad(at, "no first number or count");
    if (*first != names.size()) {
      return bad(at, "begins at name " + std::to_string(*first) + ", expected " + std::to_string(names.size()));
    }
    std::vector<name_entry> read;
    for (std::uint64_t i = 0; i != *count; ++i) {
      const auto text = at.text();
      const auto has_colour = text ? at.byte() : std::nullopt;
      if (!has_colour || *has_colour > 1) return bad(at, "name " + std::to_string(*first + i) + " is incomplete");
      name_entry entry{std::string{*text}, std::nullopt};
      if (*has_colour == 1) {
        const auto red = at.byte(), green = at.byte(), blue = at.byte();
        if (!red || !green || !blue)
          return bad(at, "the colour of name " + std::to_string(*first + i) + " is incomplete");
        entry.colour = rgb{*red, *green, *blue};
      }
      read.push_back(std::move(entry));
    }
    if (at.left() != 0) return bad(at, "bytes after its last name");
    std::move(read.begin(), read.end(), std::back_inserter(names));
    return true;
  }

  bool decode_events(byte_cursor at) {
    const auto worker_code = at.varint();
    const auto count = worker_code ? at.varint() : std::nullopt;
    if (!count) return bad(at, "no worker or count");
    if (*worker_code > result_.value.workers.size()) {
      return bad(at, "is of worker " + std::to_string(*worker_code - 1) + ", but there are " +
                         std::to_string(result_.value.workers.size()));
    }
    if (*count > at.left() / k_min_event_bytes) {
      return bad(at, "claims " + std::to_string(*count) + " events in " + std::to_string(at.left()) + " bytes");
    }
    auto& list =
        *worker_code == 0 ? result_.value.outside : result_.value.workers[static_cast<std::size_t>(*worker_code - 1)];
    const auto worker = *worker_code == 0 ? k_outside : static_cast<std::uint16_t>(*worker_code - 1);
    const time_ns latest_ns = latest_time_ns(result_.value.about.workers);
    const std::size_t before = list.size();
    event_context before_it;
    last_task_1_ = 0;
    for (std::uint64_t i = 0; i != *count; ++i) {
      event e;
      e.worker = worker;
      const time_ns earliest_ns = list.empty() ? 0 : list.back().time_ns;
      const bool is_good = decode_event(at, e, before_it, i == 0) && e.time_ns >= earliest_ns && e.time_ns <= latest_ns;
      if (!is_good) {
        list.resize(before);
        return bad(at, "event " + std::to_string(i) +
                           " is incomplete, of an unknown kind, before its predecessor, or at no time");
      }
      list.push_back(e);
    }
    if (at.left() != 0) {
      list.resize(before);
      return bad(at, "bytes after its last event");
    }
    return true;
  }

  // `before` carries what differences count from.
  bool decode_event(byte_cursor& at, event& e, event_context& before, bool is_first) {
    const bool is_old = version_ == 1;
    const auto first = at.byte();
    const auto time = first ? at.varint() : std::nullopt;
    if (!time) return false;
    const std::uint64_t step = is_old || is_first ? unzigzag(*time) : *time;
    e.time_ns = static_cast<std::int64_t>(before.time + step);
    const auto kind = static_cast<std::uint8_t>(*first & k_kind_mask);
    const bool is_good = !is_old && kind >= k_kind_limit
                             ? decode_short_form(*first, e, before)
                             : kind < (is_old ? k_kind_count_1 : k_kind_count) && decode_fields(at, *first, e, before);
    if (!is_good) return false;
    before.note(e);
    return true;
  }

  static bool decode_short_form(std::uint8_t form, event& e, const event_context& before) {
    switch (form) {
      case k_next_spawn:
        e.kind = event_kind::spawn;
        e.task = before.spawned + 1;
        e.argument = before.parent;
        e.detail = before.name;
        return true;
      case k_last_join:
        e.kind = event_kind::join;
        e.task = before.parent;
        e.argument = before.task;
        return true;
      case k_last_end:
        e.kind = event_kind::end;
        e.task = before.task;
        return true;
      default:
        return false;
    }
  }

  // In version 1 there is one task to count from, and only the argument of a spawn is counted from it, this event's
  // task included.
  bool decode_fields(byte_cursor& at, std::uint8_t first, event& e, const event_context& before) {
    const bool is_old = version_ == 1;
    e.kind = static_cast<event_kind>(first & k_kind_mask);
    if ((first & k_has_task) != 0) {
      const auto task = at.varint();
      if (!task) return false;
      e.task = (is_old ? last_task_1_ : before.task_base(e.kind)) + unzigzag(*task);
      last_task_1_ = e.task;
    }
    if ((first & k_has_argument) != 0) {
      const auto argument = at.varint();
      if (!argument) return false;
      const bool is_task = is_old ? e.kind == event_kind::spawn : event_context::holds_task(e.kind);
      const std::uint64_t base = is_old ? last_task_1_ : before.argument_base(e.kind);
      e.argument = is_task ? base + unzigzag(*argument) : *argument;
    }
    if ((first & k_has_detail) != 0) {
      const auto detail = at.varint();
      if (!detail || *detail > UINT32_MAX) return false;
      e.detail = static_cast<std::uint32_t>(*detail);
    }
    return true;
  }

  // Resources that this reader does not know are passed over.
  static bool decode_sample(byte_cursor& at, thread_sample& into) {
    const auto begins = at.varint();
    const auto named = begins ? at.varint() : std::nullopt;
    if (!named) return false;
    into.begins = *begins;
    for (std::size_t i = 0; i != 64; ++i) {
      if ((*named >> i & 1) == 0) continue;
      const auto amount = at.varint();
      if (!amount) return false;
      if (i < k_thread_resources) into.used.at[i] = *amount;
    }
    return true;
  }

  bool decode_usage(byte_cursor at) {
    const auto worker = at.varint();
    const auto count = worker ? at.varint() : std::nullopt;
    if (!count) return bad(at, "no worker or count");
    const std::size_t workers = result_.value.workers.size();
    if (*worker >= workers) {
      return bad(at, "is of worker " + std::to_string(*worker) + ", but there are " + std::to_string(workers));
    }
    if (*count > at.left() / k_min_sample_bytes) {
      return bad(at, "claims " + std::to_string(*count) + " samples in " + std::to_string(at.left()) + " bytes");
    }
    std::vector<thread_sample> read;
    auto& all = result_.value.usage;
    const bool has_before = !all.empty() && !all[static_cast<std::size_t>(*worker)].empty();
    time_ns earliest_ns = has_before ? all[static_cast<std::size_t>(*worker)].back().at_ns : 0;
    const time_ns latest_ns = latest_time_ns(result_.value.about.workers);
    std::uint64_t time = 0;
    for (std::uint64_t i = 0; i != *count; ++i) {
      thread_sample sample;
      const auto step = at.varint();
      time += step ? unzigzag(*step) : 0;
      sample.at_ns = static_cast<time_ns>(time);
      if (!step || !decode_sample(at, sample) || sample.at_ns < earliest_ns || sample.at_ns > latest_ns) {
        return bad(at, "sample " + std::to_string(i) + " is incomplete, before its predecessor, or at no time");
      }
      earliest_ns = sample.at_ns;
      read.push_back(sample);
    }
    if (at.left() != 0) return bad(at, "bytes after its last sample");
    if (all.empty()) all.resize(workers);
    auto& list = all[static_cast<std::size_t>(*worker)];
    list.insert(list.end(), read.begin(), read.end());
    return true;
  }

  bool decode_end(byte_cursor at) {
    const auto count = at.varint();
    const std::uint64_t have = result_.value.event_count();
    if (!count || at.left() != 0) return bad(at, "is not one number");
    if (*count != have) {
      return bad(at, "says " + std::to_string(*count) + " events, but there are " + std::to_string(have));
    }
    is_done_ = true;
    return true;
  }

  std::istream& in_;
  read_result result_;
  std::uint16_t version_ = 0;
  std::uint64_t last_task_1_ = 0;  // of the present block, in version 1
  std::uint64_t offset_ = 0;
  std::unordered_map<std::string, std::size_t> place_of_extra_;  // of all keys, once a fact was read
  std::uint64_t block_offset_ = 0;
  std::string block_type_;
  bool is_done_ = false;
};

}  // namespace

std::string read_error::text() const {
  constexpr std::string_view names[] = {"foreign", "unknown version", "truncated", "corrupted", "unreadable"};
  return std::string{names[static_cast<std::size_t>(why)]} + " at byte " + std::to_string(offset) + ": " + what;
}

read_result read_binary(std::istream& in) { return reader{in}.run(); }

}  // namespace filch::inline v0::trace
