#include <filch/runtime/statistics.hpp>

#include <cstdio>

namespace filch::inline v0 {
namespace {

using trace::count;

// The columns of the table, the ones that matter most first.
struct column {
  const char* title;
  count what;
  double unit = 1;  // the value is divided by it
};
constexpr column k_columns[] = {
    {"executed", count::executed},
    {"spawned", count::spawned},
    {"stole", count::stolen_by_me},
    {"robbed", count::stolen_from_me},
    {"attempts", count::steal_attempts},
    {"failed", count::steal_failures},
    {"lost", count::steal_lost},
    {"injected", count::injected},
    {"cancelled", count::cancelled},
    {"parks", count::parks},
    {"wakes", count::wakes},
    {"search µs", count::search_ns, 1e3},
    {"asleep ms", count::idle_ns, 1e6},
    {"queue max", count::queue_max},
};

// `text` right-aligned to `width` columns; a µ is one column and two bytes.
void put_right(std::string& out, const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  if (columns < width) out.append(width - columns, ' ');
  out += text;
}

std::string shown(const column& which, const trace::count_values& values) {
  return std::to_string(static_cast<std::uint64_t>(static_cast<double>(values[which.what]) / which.unit));
}

void put_row(std::string& out, const std::string& head, const trace::count_values& values, const std::string& now) {
  put_right(out, head, 8);
  for (const column& each : k_columns) put_right(out, shown(each, values), 11);
  put_right(out, now, 10);
  out += '\n';
}

void put_counts(std::string& out, const trace::count_values& values) {
  for (std::size_t i = 0; i != trace::k_count_kinds; ++i) {
    if (i != 0) out += ',';
    out.append("\"").append(trace::name_of(static_cast<count>(i))).append("\":").append(std::to_string(values.at[i]));
  }
}

}  // namespace

trace::count_values statistics::total() const {
  trace::count_values sum;
  for (const worker_statistics& each : workers) sum += each.counts;
  return sum;
}

double statistics::steal_rate() const {
  const trace::count_values sum = total();
  if (sum[count::executed] == 0) return 0;
  return static_cast<double>(sum[count::stolen_by_me]) / static_cast<double>(sum[count::executed]);
}

std::uint64_t statistics::unfinished() const {
  const trace::count_values sum = total();
  const std::uint64_t made = submitted_outside + sum[count::spawned];
  const std::uint64_t finished = sum[count::executed] + sum[count::cancelled];
  return made > finished ? made - finished : 0;  // while tasks run, the counts are not of one moment
}

std::string to_string(const statistics& what) {
  std::string out;
  put_right(out, "worker", 8);
  for (const column& each : k_columns) put_right(out, each.title, 11);
  put_right(out, "queue now", 10);
  out += '\n';
  for (std::size_t i = 0; i != what.workers.size(); ++i) {
    put_row(out, std::to_string(i), what.workers[i].counts, std::to_string(what.workers[i].queue_length));
  }
  put_row(out, "all", what.total(), std::to_string(what.injector_length));
  char rate[64];
  std::snprintf(rate, sizeof rate, "%.1f", 100.0 * what.steal_rate());
  out.append("submitted from outside: ").append(std::to_string(what.submitted_outside));
  out.append("; steal rate: ").append(rate).append(" %; spare threads: ");
  out.append(std::to_string(what.spare_threads)).append("; stacks: ").append(std::to_string(what.stacks));
  out.append(", suspended at once: at most ").append(std::to_string(what.suspended_stacks_max)).append("\n");
  return out;
}

std::string to_json(const statistics& what) {
  std::string out = "{\"workers\":[";
  for (std::size_t i = 0; i != what.workers.size(); ++i) {
    if (i != 0) out += ',';
    out.append("{\"worker\":").append(std::to_string(i)).append(",");
    put_counts(out, what.workers[i].counts);
    out.append(",\"queue_length\":").append(std::to_string(what.workers[i].queue_length)).append("}");
  }
  out += "],\"total\":{";
  put_counts(out, what.total());
  char rate[64];
  std::snprintf(rate, sizeof rate, "%.6f", what.steal_rate());
  out.append("},\"submitted_outside\":").append(std::to_string(what.submitted_outside));
  out.append(",\"injector_length\":").append(std::to_string(what.injector_length));
  out.append(",\"spare_threads\":").append(std::to_string(what.spare_threads));
  out.append(",\"stacks\":").append(std::to_string(what.stacks));
  out.append(",\"suspended_stacks\":").append(std::to_string(what.suspended_stacks));
  out.append(",\"suspended_stacks_max\":").append(std::to_string(what.suspended_stacks_max));
  out.append(",\"steal_rate\":").append(rate).append("}");
  return out;
}

}  // namespace filch::inline v0
