#include "trace/binary_format.hpp"
#include "trace/bytes.hpp"

#include <filch/trace/binary.hpp>

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace filch::inline v0::trace {
namespace {

void put_block(std::ostream& out, std::string_view type, std::string_view payload) {
  std::string head{type};
  put_little_endian(head, static_cast<std::uint32_t>(payload.size()));
  put_little_endian(head, crc32(payload, crc32(head)));
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  out.write(payload.data(), static_cast<std::streamsize>(payload.size()));
}

using text_pair = std::pair<std::string, std::string>;

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

std::string metadata_payload(const std::vector<text_pair>& pairs) {
  std::string payload;
  put_varint(payload, pairs.size());
  for (const auto& [key, value] : pairs) {
    put_text(payload, key);
    put_text(payload, value);
  }
  return payload;
}

// Why these pairs cannot be written; empty: they can.
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

void put_names(std::ostream& out, const std::vector<name_entry>& names) {
  std::size_t next = 0;
  while (next != names.size()) {
    const std::size_t first = next;
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
    put_varint(payload, first);
    put_varint(payload, next - first);
    put_block(out, k_block_names, payload + body);
  }
}

// Each block stands alone: differences begin again at zero, so that a lost block costs only its own events.
std::string events_payload(std::uint64_t worker_code, std::span<const event> events) {
  std::string payload;
  put_varint(payload, worker_code);
  put_varint(payload, events.size());
  std::uint64_t last_time = 0;
  std::uint64_t last_task = 0;
  for (const event& e : events) {
    const bool has_task = e.task != k_no_task;
    const bool has_argument = e.argument != 0;
    const bool has_detail = e.detail != k_no_detail;
    payload.push_back(static_cast<char>(static_cast<unsigned>(e.kind) | (has_task ? k_has_task : 0u) |
                                        (has_argument ? k_has_argument : 0u) | (has_detail ? k_has_detail : 0u)));
    const auto time = static_cast<std::uint64_t>(e.time_ns);
    put_varint(payload, zigzag(time - last_time));
    last_time = time;
    if (has_task) {
      put_varint(payload, zigzag(e.task - last_task));
      last_task = e.task;
    }
    // A parent's number is near its child's.
    if (has_argument) {
      put_varint(payload, e.kind == event_kind::spawn ? zigzag(e.argument - last_task) : e.argument);
    }
    if (has_detail) put_varint(payload, e.detail);
  }
  return payload;
}

void put_events(std::ostream& out, std::uint64_t worker_code, std::span<const event> events) {
  while (!events.empty()) {
    const std::size_t count = std::min(events.size(), k_block_events_limit);
    put_block(out, k_block_events, events_payload(worker_code, events.first(count)));
    events = events.subspan(count);
  }
}

}  // namespace

std::optional<std::string> write_binary(const recording& from, std::ostream& out) {
  const auto pairs = metadata_pairs(from.about);
  std::string wrong = from.check();
  if (wrong.empty()) wrong = check_pairs(pairs);
  if (!wrong.empty()) return "the recording cannot be written: " + wrong;

  std::string head{k_magic};
  put_little_endian(head, k_format_version);
  put_little_endian(head, std::uint16_t{0});
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  put_block(out, k_block_metadata, metadata_payload(pairs));
  put_names(out, from.names);
  put_events(out, 0, from.outside);
  for (std::size_t w = 0; w != from.workers.size(); ++w) put_events(out, w + 1, from.workers[w]);
  std::string end;
  put_varint(end, from.event_count());
  put_block(out, k_block_end, end);
  out.flush();
  if (!out) return "the recording could not be written: the output stream failed";
  return std::nullopt;
}

}  // namespace filch::inline v0::trace
