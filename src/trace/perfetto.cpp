// Perfetto's TrackEvent protobuf, encoded by hand: a trace is a sequence of TracePacket messages, each a field of the
// file's one message. Field numbers are those of Perfetto's published trace.proto and the files it includes.

#include "trace/bytes.hpp"
#include "trace/timeline.hpp"

#include <filch/trace/exporters.hpp>

#include <map>
#include <ostream>
#include <utility>

namespace filch::inline v0::trace {
namespace {

// A protobuf message under construction.
class message {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    put_varint(bytes_, std::uint64_t{field} << 3);
    put_varint(bytes_, value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    put_varint(bytes_, (std::uint64_t{field} << 3) | 1);
    put_little_endian(bytes_, value);
  }
  void text(std::uint32_t field, std::string_view value) {
    put_varint(bytes_, (std::uint64_t{field} << 3) | 2);
    put_text(bytes_, value);
  }
  void nested(std::uint32_t field, const message& value) { text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

namespace trace_field {
constexpr std::uint32_t packet = 1;
}
namespace packet_field {
constexpr std::uint32_t timestamp = 8, sequence_id = 10, track_event = 11, sequence_flags = 13, track_descriptor = 60;
constexpr std::uint64_t k_incremental_state_cleared = 1;
}  // namespace packet_field
namespace descriptor_field {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8;
}
namespace process_field {
constexpr std::uint32_t pid = 1, process_name = 6;
}
namespace thread_field {
constexpr std::uint32_t pid = 1, tid = 2, thread_name = 5;
}
namespace event_field {
constexpr std::uint32_t debug_annotations = 4, type = 9, track_uuid = 11, categories = 22, name = 23,
                        counter_value = 30, flow_ids = 47, terminating_flow_ids = 48;
constexpr std::uint64_t k_slice_begin = 1, k_slice_end = 2, k_instant = 3, k_counter = 4;
}  // namespace event_field
namespace annotation_field {
constexpr std::uint32_t uint_value = 3, string_value = 6, name = 10;
}

constexpr std::uint64_t k_process_uuid = 1;
constexpr std::uint64_t k_first_track_uuid = 2;
constexpr std::uint64_t k_first_counter_uuid = std::uint64_t{1} << 32;
constexpr std::uint64_t k_pid = 1;
constexpr std::uint64_t k_first_tid = 2;

class perfetto_sink final : public timeline_sink {
 public:
  perfetto_sink(const recording& from, std::ostream& out) : from_{from}, out_{out} {}

  void open_file() {
    message process;
    process.number(process_field::pid, k_pid);
    process.text(process_field::process_name, "filch");
    message descriptor;
    descriptor.number(descriptor_field::uuid, k_process_uuid);
    descriptor.nested(descriptor_field::process, process);
    message packet;
    packet.number(packet_field::sequence_flags, packet_field::k_incremental_state_cleared);
    put_packet(packet, packet_field::track_descriptor, descriptor);
    for (std::size_t t = 0; t != from_.workers.size() + 1; ++t) put_track(t);
  }

  void begin(std::size_t track, std::uint64_t at_ns, const slice_label& label,
             std::span<const flow_number> arriving) override {
    message e = event_of(event_field::k_slice_begin, k_first_track_uuid + track);
    e.text(event_field::categories, label.category);
    e.text(event_field::name, label.name);
    if (label.task != k_no_task) {
      message annotation;
      annotation.text(annotation_field::name, "task");
      annotation.number(annotation_field::uint_value, label.task);
      e.nested(event_field::debug_annotations, annotation);
    }
    if (label.colour) {
      message annotation;
      annotation.text(annotation_field::name, "colour");
      annotation.text(annotation_field::string_value, to_text(*label.colour));
      e.nested(event_field::debug_annotations, annotation);
    }
    for (const flow_number flow : arriving) e.fixed64(event_field::terminating_flow_ids, flow);
    put_event(at_ns, e);
  }
  void end(std::size_t track, std::uint64_t at_ns) override {
    put_event(at_ns, event_of(event_field::k_slice_end, k_first_track_uuid + track));
  }
  void mark(std::size_t track, std::uint64_t at_ns, std::string_view text, flow_number leaving) override {
    message e = event_of(event_field::k_instant, k_first_track_uuid + track);
    e.text(event_field::categories, "mark");
    e.text(event_field::name, text);
    if (leaving != 0) e.fixed64(event_field::flow_ids, leaving);
    put_event(at_ns, e);
  }
  void value(std::size_t track, std::uint64_t at_ns, std::string_view name, std::int64_t value) override {
    message e = event_of(event_field::k_counter, counter_uuid(track, name));
    e.number(event_field::counter_value, static_cast<std::uint64_t>(value));
    put_event(at_ns, e);
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  static message event_of(std::uint64_t type, std::uint64_t track_uuid) {
    message e;
    e.number(event_field::type, type);
    e.number(event_field::track_uuid, track_uuid);
    return e;
  }

  void put_track(std::size_t track) {
    message thread;
    thread.number(thread_field::pid, k_pid);
    thread.number(thread_field::tid, k_first_tid + track);
    thread.text(thread_field::thread_name, track_name(from_, track));
    message descriptor;
    descriptor.number(descriptor_field::uuid, k_first_track_uuid + track);
    descriptor.number(descriptor_field::parent_uuid, k_process_uuid);
    descriptor.nested(descriptor_field::thread, thread);
    put_packet({}, packet_field::track_descriptor, descriptor);
  }

  // A counter's track is described when its first value comes.
  std::uint64_t counter_uuid(std::size_t track, std::string_view name) {
    const auto [found, is_new] =
        counters_.try_emplace({track, std::string{name}}, k_first_counter_uuid + counters_.size());
    if (is_new) {
      message descriptor;
      descriptor.number(descriptor_field::uuid, found->second);
      descriptor.number(descriptor_field::parent_uuid, k_first_track_uuid + track);
      descriptor.text(descriptor_field::name, std::string{name} + " of " + track_name(from_, track));
      descriptor.nested(descriptor_field::counter, message{});
      put_packet({}, packet_field::track_descriptor, descriptor);
    }
    return found->second;
  }

  void put_event(std::uint64_t at_ns, const message& e) {
    message packet;
    packet.number(packet_field::timestamp, at_ns);
    put_packet(packet, packet_field::track_event, e);
    ++events_;
  }
  // One writer sequence for all: packets come in the order of time.
  void put_packet(message packet, std::uint32_t field, const message& content) {
    packet.number(packet_field::sequence_id, 1);
    packet.nested(field, content);
    message whole;
    whole.nested(trace_field::packet, packet);
    out_.write(whole.bytes().data(), static_cast<std::streamsize>(whole.bytes().size()));
  }

  const recording& from_;
  std::ostream& out_;
  std::map<std::pair<std::size_t, std::string>, std::uint64_t> counters_;
  std::uint64_t events_ = 0;
};

}  // namespace

export_result write_perfetto(const recording& from, std::ostream& out, const export_options& options) {
  perfetto_sink sink{from, out};
  sink.open_file();
  walk_timeline(from, options, sink);
  out.flush();
  export_result result;
  result.events = sink.events();
  if (!out) result.error = "the trace could not be written: the output stream failed";
  return result;
}

}  // namespace filch::inline v0::trace
