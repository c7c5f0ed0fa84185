// Chrome's JSON trace events. Slices are pairs of B and E; a mark is a pair without duration, because the arrows of
// this format bind to slices only; a flow is an s inside the mark it leaves and an f inside the slice it reaches.

#include "base/escape.hpp"
#include "trace/timeline.hpp"

#include <filch/trace/exporters.hpp>

#include <ostream>

namespace filch::inline v0::trace {
namespace {

constexpr std::size_t k_flush_bytes = std::size_t{1} << 16;

class chrome_sink final : public timeline_sink {
 public:
  chrome_sink(const recording& from, std::ostream& out) : from_{from}, out_{out} {}

  void open_file() {
    buffer_ += "{\"displayTimeUnit\":\"ns\",\"otherData\":{";
    put_pair("source", from_.about.source);
    put_pair("policy", from_.about.policy);
    put_pair("machine", from_.about.machine);
    put_pair("clock", from_.about.clock);
    put_pair("version", from_.about.version);
    put_pair("seed", std::to_string(from_.about.seed));
    put_pair("workers", std::to_string(from_.about.workers), "},\n");
    buffer_ += "\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"filch\"}}";
    for (std::size_t t = 0; t != from_.workers.size() + 1; ++t) {
      const std::string head = ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(t + 1) + ",\"name\":";
      buffer_ += head + "\"thread_name\",\"args\":{\"name\":\"" + track_name(from_, t) + "\"}}";
      buffer_ += head + "\"thread_sort_index\",\"args\":{\"sort_index\":" + std::to_string(t) + "}}";
      flush(k_flush_bytes);
    }
  }
  void close_file() {
    buffer_ += "\n]}\n";
    flush(0);
  }

  void begin(std::size_t track, std::uint64_t at_ns, const slice_label& label,
             std::span<const flow_number> arriving) override {
    put_head('B', track, at_ns, label.name, label.category);
    if (label.task != k_no_task) {
      buffer_ += ",\"args\":{\"task\":\"" + std::to_string(label.task) + '"';
      if (label.colour) buffer_ += ",\"colour\":\"" + to_text(*label.colour) + '"';
      buffer_ += '}';
    }
    put_tail();
    for (const flow_number flow : arriving) put_flow('f', track, at_ns, flow);
  }
  void end(std::size_t track, std::uint64_t at_ns) override {
    put_head('E', track, at_ns, {}, {});
    put_tail();
  }
  void mark(std::size_t track, std::uint64_t at_ns, std::string_view text, flow_number leaving) override {
    put_head('B', track, at_ns, text, "mark");
    put_tail();
    if (leaving != 0) put_flow('s', track, at_ns, leaving);
    end(track, at_ns);
  }
  // Counters of this format belong to the process, so the worker is part of the name.
  void value(std::size_t track, std::uint64_t at_ns, std::string_view name, std::int64_t value) override {
    put_head('C', track, at_ns, std::string{name} + " of " + track_name(from_, track), {});
    buffer_ += ",\"args\":{\"value\":" + std::to_string(value) + '}';
    put_tail();
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  void put_pair(std::string_view key, std::string_view value, std::string_view after = ",") {
    buffer_ += escape::json(key);
    buffer_ += ':';
    buffer_ += escape::json(value);
    buffer_ += after;
  }
  // Microseconds with three decimals, without going through floating point.
  void put_head(char phase, std::size_t track, std::uint64_t at_ns, std::string_view name, std::string_view category) {
    buffer_ += ",\n{\"ph\":\"";
    buffer_ += phase;
    buffer_ += "\",\"pid\":1,\"tid\":" + std::to_string(track + 1) + ",\"ts\":" + std::to_string(at_ns / 1000) + '.';
    const auto rest = static_cast<unsigned>(at_ns % 1000);
    for (const unsigned digit : {rest / 100, rest / 10 % 10, rest % 10}) buffer_ += static_cast<char>('0' + digit);
    if (!name.empty() || phase != 'E') {
      buffer_ += ",\"name\":";
      buffer_ += escape::json(name);
    }
    if (!category.empty()) {
      buffer_ += ",\"cat\":";
      buffer_ += escape::json(category);
    }
  }
  void put_flow(char phase, std::size_t track, std::uint64_t at_ns, flow_number flow) {
    put_head(phase, track, at_ns, "flow", "flow");
    buffer_ += ",\"id\":" + std::to_string(flow);
    if (phase == 'f') buffer_ += ",\"bp\":\"e\"";
    put_tail();
  }
  void put_tail() {
    buffer_ += '}';
    ++events_;
    flush(k_flush_bytes);
  }
  void flush(std::size_t from_bytes) {
    if (buffer_.size() < from_bytes) return;
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

  const recording& from_;
  std::ostream& out_;
  std::string buffer_;
  std::uint64_t events_ = 0;
};

}  // namespace

export_result write_chrome(const recording& from, std::ostream& out, const export_options& options) {
  chrome_sink sink{from, out};
  sink.open_file();
  walk_timeline(from, options, sink);
  sink.close_file();
  out.flush();
  export_result result;
  result.events = sink.events();
  if (result.events > k_chrome_events_limit) {
    result.warnings.push_back(std::to_string(result.events) + " events: viewers of this format fail near " +
                              std::to_string(k_chrome_events_limit) + "; write the Perfetto format instead");
  }
  if (!out) result.error = "the trace could not be written: the output stream failed";
  return result;
}

}  // namespace filch::inline v0::trace
