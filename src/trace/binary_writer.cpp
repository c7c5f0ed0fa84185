#include "trace/blocks.hpp"

#include <filch/trace/binary.hpp>

#include <ostream>
#include <string>

namespace filch::inline v0::trace {

std::optional<std::string> write_binary(const recording& from, std::ostream& out) {
  const auto pairs = metadata_pairs(from.about);
  std::string wrong = from.check();
  if (wrong.empty()) wrong = check_pairs(pairs);
  if (!wrong.empty()) return "the recording cannot be written: " + wrong;

  std::string bytes;
  const auto write = [&] {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.clear();
  };
  put_file_head(bytes);
  put_pairs_block(bytes, k_block_metadata, pairs);
  put_name_blocks(bytes, from.names, 0);
  const auto write_events = [&](std::uint64_t worker_code, std::span<const event> events) {
    for (; !events.empty(); events = events.subspan(std::min(events.size(), k_block_events_limit))) {
      put_event_blocks(bytes, worker_code, events.first(std::min(events.size(), k_block_events_limit)));
      write();
    }
  };
  write_events(0, from.outside);
  for (std::size_t w = 0; w != from.workers.size(); ++w) write_events(w + 1, from.workers[w]);
  for (std::size_t w = 0; w != from.usage.size(); ++w) put_usage_blocks(bytes, w, from.usage[w]);
  put_end_block(bytes, from.event_count());
  write();
  out.flush();
  if (!out) return "the recording could not be written: the output stream failed";
  return std::nullopt;
}

}  // namespace filch::inline v0::trace
