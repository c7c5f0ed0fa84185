#include "trace/blocks.hpp"

#include "trace/bytes.hpp"

#include <algorithm>

namespace filch::inline v0::trace {
namespace {

void put_block(std::string& out, std::string_view type, std::string_view payload) {
  std::string head{type};
  put_little_endian(head, static_cast<std::uint32_t>(payload.size()));
  put_little_endian(head, crc32(payload, crc32(head)));
  out += head;
  out += payload;
}

// A first byte, a time and a task, an argument and a detail at their longest.
constexpr std::size_t k_max_event_bytes = 1 + 3 * 10 + 5;

char* put_varint_at(char* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

// 0: there is none.
std::uint8_t short_form_of(const event& e, const event_context& before) {
  switch (e.kind) {
    case event_kind::spawn:
      return e.task == before.spawned + 1 && e.argument == before.parent && e.detail == before.name ? k_next_spawn : 0;
    case event_kind::join:
      return e.task == before.parent && e.argument == before.task && e.detail == k_no_detail ? k_last_join : 0;
    case event_kind::end:
      return e.task == before.task && e.argument == 0 && e.detail == k_no_detail ? k_last_end : 0;
    default:
      return 0;
  }
}

// Each block stands alone: differences begin again at zero, so that a lost block costs only its own events.
std::string events_payload(std::uint64_t worker_code, std::span<const event> events) {
  std::string payload;
  put_varint(payload, worker_code);
  put_varint(payload, events.size());
  const std::size_t head_bytes = payload.size();
  payload.resize(head_bytes + events.size() * k_max_event_bytes);
  char* at = payload.data() + head_bytes;
  event_context before;
  bool is_first = true;
  for (const event& e : events) {
    const std::uint8_t short_form = short_form_of(e, before);
    const bool has_task = e.task != k_no_task;
    const bool has_argument = e.argument != 0;
    const bool has_detail = e.detail != k_no_detail;
    const unsigned fields =
        (has_task ? k_has_task : 0u) | (has_argument ? k_has_argument : 0u) | (has_detail ? k_has_detail : 0u);
    *at++ = static_cast<char>(short_form != 0 ? short_form : static_cast<unsigned>(e.kind) | fields);
    const auto time = static_cast<std::uint64_t>(e.time_ns);
    at = put_varint_at(at, is_first ? zigzag(time) : time - before.time);
    is_first = false;
    if (short_form == 0) {
      if (has_task) at = put_varint_at(at, zigzag(e.task - before.task_base(e.kind)));
      if (has_argument) {
        const bool is_task = event_context::holds_task(e.kind);
        at = put_varint_at(at, is_task ? zigzag(e.argument - before.argument_base(e.kind)) : e.argument);
      }
      if (has_detail) at = put_varint_at(at, e.detail);
    }
    before.note(e);
  }
  payload.resize(static_cast<std::size_t>(at - payload.data()));
  return payload;
}

}  // namespace

std::vector<text_pair> metadata_pairs(const recording_metadata& about) {
  std::vector<text_pair> pairs{
      {"workers", std::to_string(about.workers)},
      {"seed", std::to_string(about.seed)},
      {"source", about.source},
      {"policy", about.policy},
      {"machine", about.machine},
      {"clock", about.clock},
      {"version", about.version},
  };
  pairs.insert(pairs.end(), about.extra.begin(), about.extra.end());
  return pairs;
}

std::string check_pairs(const std::vector<text_pair>& pairs) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i != pairs.size(); ++i) {
    bytes += pairs[i].first.size() + pairs[i].second.size() + 20;
    for (std::size_t j = 0; j != i; ++j) {
      if (pairs[i].first == pairs[j].first) return "about.extra repeats the key \"" + pairs[i].first + "\"";
    }
  }
  if (bytes > k_max_block_bytes) {
    return "the metadata have " + std::to_string(bytes) + " bytes, allowed: " + std::to_string(k_max_block_bytes);
  }
  return {};
}

void put_file_head(std::string& out) {
  out += k_magic;
  put_little_endian(out, k_format_version);
  put_little_endian(out, std::uint16_t{0});
}

void put_pairs_block(std::string& out, std::string_view type, const std::vector<text_pair>& pairs) {
  std::string payload;
  put_varint(payload, pairs.size());
  for (const auto& [key, value] : pairs) {
    put_text(payload, key);
    put_text(payload, value);
  }
  put_block(out, type, payload);
}

void put_name_blocks(std::string& out, std::span<const name_entry> names, std::size_t first) {
  for (std::size_t next = first; next < names.size();) {
    const std::size_t begin = next;
    std::string body;
    for (; next != names.size() && body.size() < k_block_target_bytes; ++next) {
      put_text(body, std::string_view{names[next].text}.substr(0, k_max_name_bytes));
      const auto& colour = names[next].colour;
      body.push_back(colour ? '\1' : '\0');
      if (colour) {
        for (const std::uint8_t part : {colour->red, colour->green, colour->blue}) {
          body.push_back(static_cast<char>(part));
        }
      }
    }
    std::string payload;
    put_varint(payload, begin);
    put_varint(payload, next - begin);
    put_block(out, k_block_names, payload + body);
  }
}

void put_event_blocks(std::string& out, std::uint64_t worker_code, std::span<const event> events) {
  while (!events.empty()) {
    const std::size_t count = std::min(events.size(), k_block_events_limit);
    put_block(out, k_block_events, events_payload(worker_code, events.first(count)));
    events = events.subspan(count);
  }
}

// The resources that a sample does not name have the amount 0.
void put_usage_blocks(std::string& out, std::uint64_t worker, std::span<const thread_sample> samples) {
  while (!samples.empty()) {
    const auto now = samples.first(std::min(samples.size(), k_block_events_limit));
    samples = samples.subspan(now.size());
    std::string payload;
    put_varint(payload, worker);
    put_varint(payload, now.size());
    std::uint64_t before = 0;
    for (const thread_sample& each : now) {
      const auto time = static_cast<std::uint64_t>(each.at_ns);
      put_varint(payload, zigzag(time - before));
      before = time;
      put_varint(payload, each.begins);
      std::uint64_t named = 0;
      for (std::size_t i = 0; i != k_thread_resources; ++i) named |= std::uint64_t{each.used.at[i] != 0} << i;
      put_varint(payload, named);
      for (const std::uint64_t amount : each.used.at) {
        if (amount != 0) put_varint(payload, amount);
      }
    }
    put_block(out, k_block_usage, payload);
  }
}

void put_end_block(std::string& out, std::uint64_t event_count) {
  std::string payload;
  put_varint(payload, event_count);
  put_block(out, k_block_end, payload);
}

}  // namespace filch::inline v0::trace
