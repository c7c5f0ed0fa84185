#include <filch/trace/binary.hpp>

#include "sample.hpp"
#include "trace/binary_format.hpp"
#include "trace/blocks.hpp"
#include "trace/bytes.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace {

using namespace filch_trace_test;
using reason = read_error::reason;

std::string written(const recording& r) {
  std::ostringstream out;
  const auto error = write_binary(r, out);
  EXPECT_FALSE(error.has_value()) << error.value_or("");
  return out.str();
}
read_result read_back(const std::string& bytes) {
  std::istringstream in{bytes};
  return read_binary(in);
}
std::string block(std::string_view type, std::string_view payload) {
  std::string head{type};
  put_little_endian(head, static_cast<std::uint32_t>(payload.size()));
  put_little_endian(head, crc32(payload, crc32(head)));
  return head + std::string{payload};
}
// A file with valid checksums around any payloads.
std::string file_of(std::initializer_list<std::string> blocks) {
  std::string out{k_magic};
  put_little_endian(out, k_format_version);
  put_little_endian(out, std::uint16_t{0});
  for (const auto& b : blocks) out += b;
  return out;
}
std::string one_worker() {
  std::string payload;
  put_varint(payload, 1);
  put_text(payload, "workers");
  put_text(payload, "1");
  return block(k_block_metadata, payload);
}

TEST(binary, a_recording_is_read_back_as_it_was_with_names_colours_and_metadata) {
  const recording r = migrating_task();
  const read_result back = read_back(written(r));
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_TRUE(back.is_usable);
  EXPECT_EQ(back.value, r);
}

TEST(binary, a_recording_without_events_is_read_back) {
  const recording r = empty_recording(0);
  const read_result back = read_back(written(r));
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value, r);
}

TEST(binary, any_values_of_any_fields_are_read_back) {
  random_stream random{chosen_seed(3)};
  for (int round = 0; round != 50; ++round) {
    const recording r = random_recording(random, static_cast<std::uint32_t>(random.below(5)), random.below(200));
    const read_result back = read_back(written(r));
    ASSERT_FALSE(back.error) << back.error->text();
    ASSERT_EQ(back.value, r);
  }
}

TEST(binary, the_extremes_of_every_field_are_read_back) {
  recording r = empty_recording(1);
  event e;
  e.worker = 0;
  e.kind = event_kind::spawn;
  e.time_ns = 0, e.task = 0, e.argument = UINT64_MAX, e.detail = 0;
  r.workers[0].push_back(e);
  e.time_ns = latest_time_ns(1), e.task = UINT64_MAX - 1, e.argument = 1, e.detail = UINT32_MAX - 1;
  r.workers[0].push_back(e);
  const read_result back = read_back(written(r));
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value, r);
}

// Sums of such times over all workers would overflow.
TEST(binary, a_time_that_cannot_be_is_neither_written_nor_read) {
  for (const time_ns at_ns : {time_ns{-1}, latest_time_ns(1) + 1, time_ns{INT64_MAX}}) {
    recording r = empty_recording(1);
    r.workers[0].push_back({.time_ns = 7, .task = 1, .worker = 0, .kind = event_kind::start});
    const std::string good = written(r);
    r.workers[0].front().time_ns = at_ns;
    std::ostringstream out;
    const auto problem = write_binary(r, out);
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("is at " + std::to_string(at_ns) + " ns, allowed: 0 to"), std::string::npos) << *problem;

    // The writer's own block, with that time in place of the 7.
    std::string events;
    put_event_blocks(events, 1, r.workers[0]);
    const read_result back = read_back(good.substr(0, good.find(k_block_events)) + events);
    ASSERT_TRUE(back.error);
    EXPECT_EQ(back.error->why, read_error::reason::corrupted);
    EXPECT_EQ(back.value.event_count(), 0u);
    EXPECT_EQ(back.value.check(), "");
  }
}

TEST(binary, a_long_recording_takes_several_blocks_and_few_bytes_per_event) {
  recording r = empty_recording(1);
  time_ns now_ns = 0;
  virtual_recorder w{worker_id{0}, now_ns, r.workers[0]};
  for (std::uint64_t i = 0; i != 50'000; ++i) {
    now_ns += 90;
    w.start(task_id{(std::uint64_t{1} << 48) + i});
    now_ns += 1'000;
    w.end(task_id{(std::uint64_t{1} << 48) + i});
  }
  const std::string bytes = written(r);
  EXPECT_LT(bytes.size(), 5 * r.event_count());
  const read_result back = read_back(bytes);
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value, r);
}

TEST(binary, a_file_cut_anywhere_gives_its_good_blocks_and_says_where_it_ends) {
  const recording r = migrating_task();
  const std::string bytes = written(r);
  std::uint64_t most = 0;
  for (std::size_t size = 0; size != bytes.size(); ++size) {
    const read_result back = read_back(bytes.substr(0, size));
    ASSERT_TRUE(back.error) << size;
    EXPECT_EQ(back.error->why, size == 0 ? reason::foreign : reason::truncated) << back.error->text();
    EXPECT_EQ(back.error->offset, size);
    EXPECT_GE(back.value.event_count(), most);  // never fewer with more bytes
    most = back.value.event_count();
    if (back.is_usable) {
      EXPECT_EQ(back.value.about, r.about);
    }
  }
  EXPECT_EQ(most, r.event_count());
}

TEST(binary, a_changed_byte_in_a_block_is_found_by_its_checksum) {
  const recording r = migrating_task();
  std::string bytes = written(r);
  bytes[bytes.size() - 40] ^= 1;
  const read_result back = read_back(bytes);
  ASSERT_TRUE(back.error);
  EXPECT_EQ(back.error->why, reason::corrupted);
  EXPECT_NE(back.error->text().find("checksum"), std::string::npos) << back.error->text();
  EXPECT_TRUE(back.is_usable);
  EXPECT_EQ(back.value.workers[0], r.workers[0]);
  EXPECT_TRUE(back.value.workers[1].empty());
}

TEST(binary, foreign_files_and_other_versions_are_named) {
  EXPECT_EQ(read_back("").error->text(), "foreign at byte 0: the file is empty");
  EXPECT_EQ(read_back("{\"traceEvents\":[]}").error->text(),
            "foreign at byte 0: not a .filch file: it begins otherwise");
  std::string bytes = written(empty_recording(1));
  bytes[8] = 9;
  EXPECT_EQ(read_back(bytes).error->text(), "unknown version at byte 8: format version 9, this reader knows 1 to 2");
  bytes[8] = 1, bytes[10] = 4;
  EXPECT_EQ(read_back(bytes).error->text(), "unknown version at byte 10: unknown flags 0004, this reader knows none");
}

TEST(binary, a_valid_checksum_does_not_make_nonsense_acceptable) {
  const std::string end = block(k_block_end, std::string_view{"\0", 1});
  const auto text_of = [&](const std::string& b) {
    const auto back = read_back(file_of({one_worker(), b, end}));
    return back.error ? back.error->text() : "accepted";
  };
  EXPECT_NE(text_of(one_worker()).find("a second one"), std::string::npos);
  EXPECT_NE(text_of(block(k_block_events, "\x05\x01\x01\x01")).find("worker 4, but there are 1"), std::string::npos);
  EXPECT_NE(text_of(block(k_block_events, "\x01\xff\xff\xff\x7f\x01")).find("claims 268435455 events"),
            std::string::npos);
  EXPECT_NE(text_of(block(k_block_events, "\x01\x01\x1b\x01")).find("unknown kind"), std::string::npos);
  EXPECT_NE(text_of(block(k_block_events, "\x01\x01\x01\x04") + block(k_block_events, "\x01\x01\x01\x02"))
                .find("before its predecessor"),
            std::string::npos);
  EXPECT_NE(text_of(block(k_block_facts,
                          "\x01\x04seed\x01"
                          "1"))
                .find("changes seed"),
            std::string::npos);
  EXPECT_NE(text_of(block(k_block_facts,
                          "\x02\x05"
                          "clock\x01x"))
                .find("entry 1 is incomplete"),
            std::string::npos);
  EXPECT_NE(text_of(block(k_block_names, "\x03\x01\x01x")).find("begins at name 3, expected 0"), std::string::npos);
  EXPECT_NE(
      text_of(block(k_block_events, std::string_view{"\x01\x01\x01\x02", 4})).find("says 0 events, but there are 1"),
      std::string::npos);
  EXPECT_NE(text_of(block(k_block_usage, "\x01\x01\x02\x03\x04")).find("worker 1, but there are 1"), std::string::npos);
  EXPECT_NE(text_of(block(k_block_usage, std::string_view{"\0\xff\x7f\x01", 4})).find("claims 16383 samples"),
            std::string::npos);
  EXPECT_NE(text_of(block(k_block_usage, std::string_view{"\0\x01\x02\0\x01", 5})).find("sample 0 is incomplete"),
            std::string::npos);
  EXPECT_NE(text_of(block(k_block_usage, std::string_view{"\0\x02\x04\0\0\x01\0\0", 8})).find("sample 1 is incomplete"),
            std::string::npos);
  EXPECT_EQ(text_of(block("NEXT", "whatever a later writer says")), "accepted");
  EXPECT_NE(read_back(file_of({end})).error->text().find("comes before the block META"), std::string::npos);
  EXPECT_NE(read_back(file_of({block(k_block_metadata, std::string_view{"\0", 1})})).error->text().find("\"workers\""),
            std::string::npos);
}

// Two events as version 1 codes them: the second time is a zigzag difference, the argument of a join is a plain number.
TEST(binary, a_file_of_the_first_version_is_read) {
  std::string bytes = file_of(
      {one_worker(), block(k_block_events, "\x01\x02\x21\x14\x02\x74\x0a\x04\x07"), block(k_block_end, "\x02")});
  bytes[8] = 1;
  const read_result back = read_back(bytes);
  ASSERT_FALSE(back.error) << back.error->text();
  ASSERT_EQ(back.value.workers[0].size(), 2u);
  const event& second = back.value.workers[0][1];
  EXPECT_EQ(second.kind, event_kind::join);
  EXPECT_EQ(second.time_ns, 15);
  EXPECT_EQ(second.task, 3u);
  EXPECT_EQ(second.argument, 7u);

  bytes = file_of({one_worker(), block(k_block_events, "\x01\x01\x15\x02"), block(k_block_end, "\x01")});
  EXPECT_FALSE(read_back(bytes).error);
  bytes[8] = 1;
  EXPECT_NE(read_back(bytes).error->text().find("unknown kind"), std::string::npos);
}

// One sample at 5 ns of thread 7, with the amount 9 of the first resource and 3 of one that no reader knows yet.
TEST(binary, resources_that_a_later_writer_knows_are_passed_over) {
  const std::string usage = block(k_block_usage, std::string_view{"\0\x01\x0a\x07\x81\x01\x09\x03", 8});
  const read_result back = read_back(file_of({one_worker(), usage, block(k_block_end, std::string_view{"\0", 1})}));
  ASSERT_FALSE(back.error) << back.error->text();
  ASSERT_EQ(back.value.usage.at(0).size(), 1u);
  EXPECT_EQ(back.value.usage[0][0], (thread_sample{.at_ns = 5, .begins = 7, .used = {{9}}}));
}

TEST(binary, facts_that_became_known_late_replace_those_from_before) {
  const std::string facts = block(k_block_facts,
                                  "\x02\x05"
                                  "clock\x03tsc\x04host\x01h");
  const read_result back =
      read_back(file_of({one_worker(), facts, facts, block(k_block_end, std::string_view{"\0", 1})}));
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value.about.clock, "tsc");
  EXPECT_EQ(back.value.about.extra.size(), 1u);
}

// The bug: each was looked for among all before it, and each block copied all, so these took minutes.
TEST(binary, many_facts_in_many_blocks_are_read_in_time) {
  constexpr std::size_t k_facts = 200'000;
  std::string file = file_of({one_worker()});
  for (std::size_t i = 0; i != k_facts; ++i) {
    const std::string key = std::to_string(i % (k_facts / 2) + 1'000'000);
    file += block(k_block_facts, "\x01\x07" + key + (i < k_facts / 2 ? "\x01x" : "\x01y"));
  }
  file += block(k_block_end, std::string_view{"\0", 1});
  const read_result found = read_back(file);
  ASSERT_FALSE(found.error) << found.error->text();
  ASSERT_EQ(found.value.about.extra.size(), k_facts / 2);
  for (const auto& [key, value] : found.value.about.extra) ASSERT_EQ(value, "y") << key;
}

TEST(binary, a_block_that_claims_too_many_bytes_is_refused_before_they_are_read) {
  std::string bytes = file_of({one_worker()}) + "EVNT";
  put_little_endian(bytes, std::uint32_t{0xffffffff});
  put_little_endian(bytes, std::uint32_t{0});
  const auto back = read_back(bytes);
  EXPECT_NE(back.error->text().find("claims 4294967295 bytes, allowed: 16777216"), std::string::npos);
}

TEST(binary, a_recording_that_breaks_its_rules_is_not_written) {
  recording r = migrating_task();
  r.workers[0].front().time_ns = 1'000'000;
  std::ostringstream out;
  EXPECT_NE(write_binary(r, out)->find("event 1 of worker 0"), std::string::npos);
  r = migrating_task(), r.about.workers = 3;
  EXPECT_NE(write_binary(r, out)->find("about.workers is 3"), std::string::npos);
  r = migrating_task(), r.workers[1][0].worker = 0;
  EXPECT_NE(write_binary(r, out)->find("event 0 of worker 1"), std::string::npos);
  r = migrating_task(), r.about.extra = {{"seed", "1"}};
  EXPECT_NE(write_binary(r, out)->find("repeats the key \"seed\""), std::string::npos);
  EXPECT_EQ(out.str(), "");
}

TEST(binary, a_stream_that_fails_is_reported) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_TRUE(write_binary(migrating_task(), out).has_value());
}

}  // namespace
