// The blocks of a .filch file as bytes: what writes a whole recording at once and what writes one piece by piece share.
#pragma once

#include "trace/binary_format.hpp"

#include <filch/trace/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace filch::inline v0::trace {

using text_pair = std::pair<std::string, std::string>;

[[nodiscard]] std::vector<text_pair> metadata_pairs(const recording_metadata& about);
// Why these pairs cannot be written; empty: they can.
[[nodiscard]] std::string check_pairs(const std::vector<text_pair>& pairs);

// Each appends to `out`.
void put_file_head(std::string& out);
// META or FACT.
void put_pairs_block(std::string& out, std::string_view type, const std::vector<text_pair>& pairs);
// The names from number `first` on.
void put_name_blocks(std::string& out, std::span<const name_entry> names, std::size_t first);
// Worker code: 0 for external threads, w + 1 for worker w.
void put_event_blocks(std::string& out, std::uint64_t worker_code, std::span<const event> events);
// None for no samples.
void put_usage_blocks(std::string& out, std::uint64_t worker, std::span<const thread_sample> samples);
void put_end_block(std::string& out, std::uint64_t event_count);

}  // namespace filch::inline v0::trace
