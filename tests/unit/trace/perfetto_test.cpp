#include <filch/trace/exporters.hpp>

#include "sample.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace filch_trace_test;

// One field of a protobuf message as the wire shows it.
struct field {
  std::uint32_t number;
  unsigned wire_type;
  std::uint64_t value;     // wire types 0 and 1
  std::string_view bytes;  // wire type 2
};

std::optional<std::uint64_t> varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in[0]);
    in.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// The fields of a message; a failure of the test when the bytes are none.
std::vector<field> fields_of(std::string_view in) {
  std::vector<field> out;
  while (!in.empty()) {
    const auto tag = varint(in);
    if (!tag) return ADD_FAILURE() << "a broken tag", out;
    field f{static_cast<std::uint32_t>(*tag >> 3), static_cast<unsigned>(*tag & 7), 0, {}};
    if (f.wire_type == 0) {
      const auto value = varint(in);
      if (!value) return ADD_FAILURE() << "a broken number", out;
      f.value = *value;
    } else if (f.wire_type == 1) {
      if (in.size() < 8) return ADD_FAILURE() << "a broken fixed number", out;
      for (unsigned i = 0; i != 8; ++i) f.value |= std::uint64_t{static_cast<unsigned char>(in[i])} << (8 * i);
      in.remove_prefix(8);
    } else if (f.wire_type == 2) {
      const auto size = varint(in);
      if (!size || *size > in.size()) return ADD_FAILURE() << "a broken length", out;
      f.bytes = in.substr(0, static_cast<std::size_t>(*size));
      in.remove_prefix(f.bytes.size());
    } else {
      return ADD_FAILURE() << "wire type " << f.wire_type, out;
    }
    out.push_back(f);
  }
  return out;
}

const field* find(const std::vector<field>& fields, std::uint32_t number) {
  for (const field& f : fields) {
    if (f.number == number) return &f;
  }
  return nullptr;
}
std::uint64_t number_in(const std::vector<field>& fields, std::uint32_t number) {
  const field* f = find(fields, number);
  return f != nullptr ? f->value : 0;
}
std::string text_in(const std::vector<field>& fields, std::uint32_t number) {
  const field* f = find(fields, number);
  return f != nullptr ? std::string{f->bytes} : "";
}

struct track_event {
  std::uint64_t at_ns, type, track;
  std::string name;
  std::vector<std::uint64_t> leaving, arriving;
  std::int64_t value;
};

struct perfetto_file {
  std::map<std::uint64_t, std::string> threads;   // uuid → name
  std::map<std::uint64_t, std::string> counters;  // uuid → name
  std::vector<track_event> events;
};

// Decodes the file and checks: packets in the order of time, all on one sequence that begins with cleared state, every
// event on a track described before it, begins and ends nested, flows leave before they arrive.
perfetto_file read_strictly(const std::string& bytes) {
  perfetto_file out;
  std::uint64_t last_ns = 0;
  std::map<std::uint64_t, int> depth;
  std::set<std::uint64_t> flows;
  bool is_first = true;
  for (const field& top : fields_of(bytes)) {
    EXPECT_EQ(top.number, 1u);
    const auto packet = fields_of(top.bytes);
    EXPECT_EQ(number_in(packet, 10), 1u);
    EXPECT_EQ(number_in(packet, 13), is_first ? 1u : 0u);
    is_first = false;
    if (const field* descriptor = find(packet, 60)) {
      const auto d = fields_of(descriptor->bytes);
      const std::uint64_t uuid = number_in(d, 1);
      EXPECT_NE(uuid, 0u);
      if (const field* thread = find(d, 4)) {
        out.threads[uuid] = text_in(fields_of(thread->bytes), 5);
        EXPECT_NE(number_in(fields_of(thread->bytes), 2), number_in(fields_of(thread->bytes), 1)) << "no main thread";
      }
      if (find(d, 8) != nullptr) out.counters[uuid] = text_in(d, 2);
      continue;
    }
    const field* body = find(packet, 11);
    if (body == nullptr) {
      ADD_FAILURE() << "a packet that is neither descriptor nor event";
      continue;
    }
    const auto e = fields_of(body->bytes);
    track_event te{number_in(packet, 8),
                   number_in(e, 9),
                   number_in(e, 11),
                   text_in(e, 23),
                   {},
                   {},
                   static_cast<std::int64_t>(number_in(e, 30))};
    for (const field& f : e) {
      if (f.number != 47 && f.number != 48) continue;
      EXPECT_EQ(f.wire_type, 1u);
      (f.number == 47 ? te.leaving : te.arriving).push_back(f.value);
    }
    EXPECT_GE(te.at_ns, last_ns);
    last_ns = te.at_ns;
    EXPECT_TRUE((te.type == 4 ? out.counters : out.threads).count(te.track) != 0) << te.track;
    depth[te.track] += te.type == 1 ? 1 : te.type == 2 ? -1 : 0;
    EXPECT_GE(depth[te.track], 0);
    for (const auto flow : te.leaving) EXPECT_TRUE(flows.insert(flow).second);
    for (const auto flow : te.arriving) EXPECT_EQ(flows.erase(flow), 1u);
    out.events.push_back(te);
  }
  for (const auto& [track, open] : depth) EXPECT_EQ(open, 0) << track;
  return out;
}

std::string exported(const recording& r) {
  std::ostringstream out;
  const export_result result = write_perfetto(r, out, {.failed_steals = true});
  EXPECT_FALSE(result.error);
  return out.str();
}

TEST(perfetto, every_worker_and_the_outside_have_a_track) {
  const perfetto_file file = read_strictly(exported(empty_recording(2)));
  std::set<std::string> names;
  for (const auto& [uuid, name] : file.threads) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"worker 0", "worker 1", "outside"}));
  EXPECT_TRUE(file.events.empty());
}

TEST(perfetto, a_steal_and_a_migration_are_flows_from_mark_to_slice) {
  const perfetto_file file = read_strictly(exported(migrating_task()));
  std::map<std::uint64_t, std::pair<std::string, std::string>> flows;  // id → "track: name" at both ends
  for (const track_event& e : file.events) {
    const std::string place = file.threads.count(e.track) != 0 ? file.threads.at(e.track) + ": " + e.name : "";
    for (const auto flow : e.leaving) flows[flow].first = place;
    for (const auto flow : e.arriving) flows[flow].second = place;
  }
  std::set<std::pair<std::string, std::string>> ends;
  for (const auto& [id, both] : flows) ends.insert(both);
  EXPECT_EQ(ends,
            (std::set<std::pair<std::string, std::string>>{{"worker 0: 1 task stolen by worker 1", "worker 1: child"},
                                                           {"worker 0: join", "worker 1: root"}}));
}

TEST(perfetto, counters_have_tracks_and_signed_values) {
  const perfetto_file file = read_strictly(exported(migrating_task()));
  std::map<std::string, std::int64_t> values;
  for (const track_event& e : file.events) {
    if (e.type == 4) values[file.counters.at(e.track)] = e.value;
  }
  EXPECT_EQ(values, (std::map<std::string, std::int64_t>{{"queue length of worker 0", 2}, {"load of worker 0", -7}}));
}

TEST(perfetto, times_are_nanoseconds_and_never_negative) {
  recording r = empty_recording(1);
  time_ns now_ns = -500;
  virtual_recorder w{worker_id{0}, now_ns, r.workers[0]};
  w.start(task_id{1});
  now_ns = 1'234, w.end(task_id{1});
  const perfetto_file file = read_strictly(exported(r));
  ASSERT_EQ(file.events.size(), 2u);
  EXPECT_EQ(file.events[0].at_ns, 0u);
  EXPECT_EQ(file.events[1].at_ns, 1'734u);
}

TEST(perfetto, random_recordings_decode_with_nested_slices) {
  random_stream random{chosen_seed(6)};
  for (int round = 0; round != 30; ++round) {
    recording r = random_recording(random, 3, 60);
    for (auto& list : r.workers) {
      for (event& e : list) e.task %= 6;
    }
    read_strictly(exported(r));
  }
}

TEST(perfetto, a_stream_that_fails_is_reported) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_TRUE(write_perfetto(migrating_task(), out).error);
}

// The bug: every task that ended below a thousand others ended and began these anew, and 48 kB became 1.6 GB.
TEST(perfetto, tasks_that_end_below_many_others_cost_few_bytes) {
  constexpr std::uint64_t k_tasks = 2'000;
  recording made;
  made.about.workers = 1;
  made.workers.resize(1);
  std::vector<event>& lane = made.workers[0];
  const auto put = [&](event_kind kind, std::uint64_t task) {
    lane.push_back({.time_ns = static_cast<std::int64_t>(lane.size()), .task = task, .worker = 0, .kind = kind});
  };
  for (std::uint64_t i = 0; i != k_tasks; ++i) put(event_kind::start, i);
  for (std::uint64_t i = 0; i != k_tasks; ++i) put(event_kind::end, i);
  ASSERT_EQ(made.check(), "");
  std::ostringstream out;
  (void)write_perfetto(made, out);
  EXPECT_LT(out.str().size(), 1'000 * lane.size());
}

}  // namespace
