// filch trace convert, info and gantt, filch report, and recordings as files.
#include <array>
#include <base/escape.hpp>
#include <cerrno>
#include <cstring>
#include <filch/trace/binary.hpp>
#include <filch/trace/exporters.hpp>
#include <fstream>
#include <gantt.hpp>
#include <html_report.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <output_file.hpp>
#include <system_error>

#include "commands.hpp"
#include "errors.hpp"
#include "output.hpp"
#include "text.hpp"
#include "trace_file.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

enum class format : std::uint8_t { chrome, binary, perfetto, page };

std::optional<format> format_of(const std::string& file) {
  if (file.ends_with(".json")) return format::chrome;
  if (file.ends_with(".filch")) return format::binary;
  if (file.ends_with(".pftrace")) return format::perfetto;
  if (file.ends_with(".html")) return format::page;
  return std::nullopt;
}

std::string system_text() { return std::generic_category().message(errno); }

// "adaptive on 4 workers"
std::string title_of(const trace::recording& what) {
  std::string name = "A recording";
  for (const auto& [key, value] : what.about.extra) {
    if (key == "workload") name = value;
  }
  return name + " on " + count_text(what.about.workers, "worker");
}

// ", 12 kB"; nothing for a device or a pipe.
std::string size_text(std::optional<std::uint64_t> bytes) {
  return bytes ? ", " + magnitude_text(static_cast<double>(*bytes)) + "B" : ""s;
}

std::string write(const trace::recording& what, const std::string& file, const trace::export_options& how) {
  output_file to{file};
  std::ostream& out = to.stream();
  std::optional<std::string> error;
  std::string warnings;
  if (*format_of(file) == format::binary) {
    error = trace::write_binary(what, out);
  } else if (*format_of(file) == format::page) {
    error = report::write_report(what, out, title_of(what));
  } else {
    const trace::export_result result = *format_of(file) == format::chrome ? trace::write_chrome(what, out, how)
                                                                           : trace::write_perfetto(what, out, how);
    error = result.error;
    for (const std::string& each : result.warnings) warnings += "  "s + each + "\n";
  }
  const auto bytes = to.bytes();
  to.finish(error);
  return "Wrote "s + file + ": " + count_text(what.event_count(), "event") + size_text(bytes) + ".\n" + warnings;
}

// "measured" and "simulated", or the names of the files when both are of one kind.
std::pair<std::string, std::string> labels_of(const trace::recording& first, const trace::recording& second,
                                              const report_arguments& given) {
  if (first.about.source == second.about.source) return {given.from, given.beside};
  const auto label = [](const trace::recording& what) {
    return what.about.source == "simulation" ? "simulated"s : "measured"s;
  };
  return {label(first), label(second)};
}

std::string write_pair(const trace::recording& first, const trace::recording& second, const report_arguments& given) {
  output_file to{given.to};
  std::ostream& out = to.stream();
  const auto [label, second_label] = labels_of(first, second, given);
  const report::page page{.title = title_of(first), .runs = {{label, &first}, {second_label, &second}}};
  const std::optional<std::string> error = report::write_page(page, out);
  const auto bytes = to.bytes();
  to.finish(error);
  return "Wrote "s + given.to + ": " + count_text(first.event_count() + second.event_count(), "event") +
         " of two runs" + size_text(bytes) + ".\n";
}

// Events by kind, in the order of the schema.
std::array<std::uint64_t, trace::k_kind_limit> kinds_of(const trace::recording& what) {
  std::array<std::uint64_t, trace::k_kind_limit> counts{};
  const auto count_all = [&](const std::vector<trace::event>& list) {
    for (const trace::event& each : list) ++counts[static_cast<std::size_t>(each.kind)];
  };
  for (const auto& list : what.workers) count_all(list);
  count_all(what.outside);
  return counts;
}

time_ns end_of(const trace::recording& what) {
  time_ns end_ns = what.outside.empty() ? 0 : what.outside.back().time_ns;
  for (const auto& list : what.workers) end_ns = std::max(end_ns, list.empty() ? 0 : list.back().time_ns);
  return end_ns;
}

std::vector<std::pair<std::string, std::string>> facts_of(const trace::recording& what) {
  const trace::recording_metadata& about = what.about;
  std::vector<std::pair<std::string, std::string>> facts{{"source", about.source},
                                                         {"version", about.version},
                                                         {"policy", about.policy},
                                                         {"machine", about.machine},
                                                         {"clock", about.clock}};
  facts.insert(facts.end(), about.extra.begin(), about.extra.end());
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

void print_info(const trace::recording& what, const std::string& file) {
  std::cout << file << ": " << count_text(what.event_count(), "event") << " of "
            << count_text(what.about.workers, "worker") << " over "
            << duration_text(static_cast<double>(end_of(what)) * 1e-9) << "; seed " << what.about.seed << "\n";
  for (const auto& [key, value] : facts_of(what)) {
    std::cout << "  " << padded_right(escape::shown(key), 12) << escape::shown(value) << "\n";
  }
  text_table kinds{{"kind", "events"}};
  const auto counts = kinds_of(what);
  for (std::size_t i = 0; i != counts.size(); ++i) {
    if (counts[i] != 0) {
      kinds.add({std::string{trace::name_of(static_cast<trace::event_kind>(i))}, std::to_string(counts[i])});
    }
  }
  text_table lanes{{"worker", "events"}};
  for (std::size_t w = 0; w != what.workers.size(); ++w) {
    lanes.add({std::to_string(w), std::to_string(what.workers[w].size())});
  }
  lanes.add({"outside", std::to_string(what.outside.size())});
  std::cout << "\n" << kinds.text() << "\n" << lanes.text();
  if (what.dropped_count() != 0) std::cout << "\n  " << count_text(what.dropped_count(), "event") << " were lost.\n";
}

json info_json(const trace::recording& what) {
  json out;
  out["events"] = what.event_count();
  out["workers"] = what.about.workers;
  out["duration_ns"] = end_of(what);
  out["seed"] = what.about.seed;
  for (const auto& [key, value] : facts_of(what)) out["about"][key] = value;
  const auto counts = kinds_of(what);
  out["kinds"] = json::object();
  for (std::size_t i = 0; i != counts.size(); ++i) {
    if (counts[i] != 0) out["kinds"][std::string{trace::name_of(static_cast<trace::event_kind>(i))}] = counts[i];
  }
  auto& lanes = out["events_by_worker"] = json::array();
  for (const auto& list : what.workers) lanes.push_back(list.size());
  out["events_outside"] = what.outside.size();
  out["lost_events"] = what.dropped_count();
  return out;
}

}  // namespace

trace::recording read_trace_file(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw failure(file + " cannot be read: " + system_text());
  trace::read_result result = trace::read_binary(in);
  if (result.error && !result.is_usable) throw failure(file + ": " + result.error->text());
  if (result.error) {
    std::cerr << "filch: " << file << ": " << result.error->text() << "; the part before is used\n";
  }
  return std::move(result.value);
}

void require_trace_name(const std::string& file, const std::string& option) {
  if (format_of(file) && format_of(file) != format::page) return output_file::require(file);
  throw bad_usage(option + " = \"" + file + "\": allowed are names that end in .json, .filch or .pftrace");
}

std::string write_trace_file(const trace::recording& what, const std::string& file) { return write(what, file, {}); }

void require_report_name(const std::string& file, const std::string& option) {
  if (format_of(file) == format::page) return output_file::require(file);
  throw bad_usage(option + " = \"" + file + "\": allowed are names that end in .html");
}

std::string write_report_file(const trace::recording& what, const std::string& file) { return write(what, file, {}); }

void report_command(const report_arguments& given) {
  require_report_name(given.to, "page");
  const trace::recording what = read_trace_file(given.from);
  if (given.beside.empty()) {
    std::cout << write(what, given.to, {});
    return;
  }
  const trace::recording second = read_trace_file(given.beside);
  std::cout << write_pair(what, second, given);
}

void convert_command(const convert_arguments& given) {
  require_trace_name(given.to, "output");
  const trace::recording what = read_trace_file(given.from);
  std::cout << write(what, given.to, {.failed_steals = given.failed_steals});
}

void info_command(const info_arguments& given) {
  const trace::recording what = read_trace_file(given.file);
  if (given.json) std::cout << json_text(info_json(what)) << "\n";
  else print_info(what, given.file);
}

void gantt_command(const gantt_arguments& given) {
  const trace::recording what = read_trace_file(given.file);
  report::gantt_options how = report::gantt_options_of_terminal();
  if (given.width) how.width = *given.width;
  put_unguarded(std::cout, report::render_gantt(what, how));
}

}  // namespace filch::tool
