#include "dag.hpp"

#include <algorithm>
#include <cstddef>

namespace filch::analysis {
namespace {

// For every strand the longest chain that ends with it, and the strand before it on that chain.
struct depths {
  std::vector<time_ns> length_ns;
  std::vector<std::uint32_t> before;
  std::uint32_t deepest = k_none;
};

depths depths_of(const dag& of, time_ns burden_ns) {
  depths out{std::vector<time_ns>(of.strands.size()), std::vector<std::uint32_t>(of.strands.size(), k_none), k_none};
  std::size_t next = 0;
  for (std::uint32_t i = 0; i != of.strands.size(); ++i) {
    time_ns longest_ns = 0;
    std::uint32_t& from = out.before[i];
    if (of.strands[i].before != k_none) {
      from = of.strands[i].before;
      longest_ns = out.length_ns[from];
    }
    for (; next != of.edges.size() && of.edges[next].to == i; ++next) {
      const time_ns length_ns = out.length_ns[of.edges[next].from] + burden_ns;
      if (from != k_none && length_ns <= longest_ns) continue;
      longest_ns = length_ns;
      from = of.edges[next].from;
    }
    out.length_ns[i] = longest_ns + of.strands[i].length_ns();
    if (out.deepest == k_none || out.length_ns[i] >= out.length_ns[out.deepest]) out.deepest = i;
  }
  return out;
}

}  // namespace

std::uint64_t dag::ended_tasks() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(tasks, &task::has_ended));
}

time_ns dag::work_ns() const {
  time_ns sum_ns = 0;
  for (const strand& each : strands) sum_ns += each.length_ns();
  return sum_ns;
}

time_ns dag::span_ns(time_ns burden_ns) const {
  const depths all = depths_of(*this, burden_ns);
  return all.deepest == k_none ? 0 : all.length_ns[all.deepest];
}

chain dag::critical_path(time_ns burden_ns) const {
  const depths all = depths_of(*this, burden_ns);
  chain out;
  if (all.deepest == k_none) return out;
  out.length_ns = all.length_ns[all.deepest];
  for (std::uint32_t at = all.deepest; at != k_none; at = all.before[at]) out.strands.push_back(at);
  std::ranges::reverse(out.strands);
  return out;
}

time_ns dag::elapsed_span_ns() const {
  std::vector<time_ns> length_ns(strands.size());
  std::size_t next = 0;
  time_ns longest_ns = 0;
  for (std::uint32_t i = 0; i != strands.size(); ++i) {
    const strand& each = strands[i];
    time_ns before_ns = 0;
    bool has_other = false;
    for (; next != edges.size() && edges[next].to == i; ++next) {
      before_ns = std::max(before_ns, length_ns[edges[next].from]);
      has_other = true;
    }
    if (each.before != k_none) {
      const bool is_outside = each.why == entry::outside || each.why == entry::blocked;
      const time_ns until_ns = is_outside ? each.begin_ns : each.ready_ns;
      const bool waits = is_outside || (each.why == entry::woken && !has_other);
      const time_ns wait_ns = waits ? std::max<time_ns>(0, until_ns - strands[each.before].end_ns) : 0;
      before_ns = std::max(before_ns, length_ns[each.before] + wait_ns);
    } else if (!has_other) {
      before_ns = std::max<time_ns>(0, each.ready_ns - begin_ns);
    }
    length_ns[i] = before_ns + each.length_ns();
    longest_ns = std::max(longest_ns, length_ns[i]);
  }
  return longest_ns;
}

std::string_view dag::text_of(std::uint32_t name) const {
  return name < names.size() ? std::string_view{names[name].text} : std::string_view{};
}

std::string dag::name_of_task(std::uint32_t which) const {
  const std::uint32_t name = tasks[which].name;
  if (name < names.size() && !names[name].text.empty()) return names[name].text;
  std::string out = "task ";
  out += std::to_string(tasks[which].id);
  return out;
}

}  // namespace filch::analysis
