#include "script.hpp"

#include <algorithm>
#include <string>

namespace filch_analysis_test {

using filch::trace::event;
using filch::trace::event_kind;

script::script(std::uint32_t workers) {
  out_.about.workers = workers;
  out_.about.source = "threads";
  out_.workers.resize(workers);
}

std::uint32_t script::name_of(std::string_view text) {
  if (text.empty()) return filch::trace::k_no_detail;
  const auto at = std::ranges::find(out_.names, text, &filch::trace::name_entry::text);
  const auto place = static_cast<std::uint32_t>(at - out_.names.begin());
  if (at == out_.names.end()) out_.names.push_back({std::string{text}, {}});
  return place;
}

script& script::put(event_kind kind, std::uint64_t task, std::uint64_t argument, std::uint32_t detail) {
  auto& list = worker_ == filch::trace::k_outside ? out_.outside : out_.workers[worker_];
  const event made{.time_ns = now_ns_,
                   .task = task,
                   .argument = argument,
                   .detail = detail,
                   .worker = static_cast<std::uint16_t>(worker_),
                   .kind = kind};
  list.insert(std::ranges::upper_bound(list, now_ns_, {}, &event::time_ns), made);
  return *this;
}

script& script::spawn(std::uint64_t task, std::uint64_t parent, std::string_view name) {
  return put(event_kind::spawn, task, parent, name_of(name));
}
script& script::suspend(std::uint64_t task, std::string_view reason) {
  return put(event_kind::suspend, task, 0, name_of(reason));
}
script& script::woken(std::uint64_t task, std::uint64_t by, std::string_view reason) {
  return put(event_kind::woken, task, by, name_of(reason));
}
script& script::block(std::uint64_t task, std::string_view reason) {
  return put(event_kind::block, task, 0, name_of(reason));
}
script& script::look_at(std::uint32_t victim) { return put(event_kind::steal_attempt, none, 0, victim); }
script& script::find_nothing_at(std::uint32_t victim) { return put(event_kind::steal_empty, none, 0, victim); }
script& script::steal(std::uint64_t task, std::uint32_t victim) {
  return put(event_kind::steal_success, task, 1, victim);
}

script& script::begin_thread(std::uint64_t thread, bool with_run_queue, bool with_counters) {
  using filch::trace::thread_resource;
  out_.usage.resize(out_.workers.size());
  filch::trace::thread_sample made{.at_ns = now_ns_, .begins = thread, .used = {{1, 0, 1, 1}}};
  made.used[thread_resource::run_queue_ns] = with_run_queue ? 1 : 0;
  made.used[thread_resource::cycles] = made.used[thread_resource::instructions] = with_counters ? 1 : 0;
  out_.usage[worker_].push_back(made);
  return *this;
}

script& script::sample(const use& of) {
  out_.usage[worker_].push_back(
      {.at_ns = now_ns_,
       .begins = 0,
       .used = {{static_cast<std::uint64_t>(of.cpu_ns), static_cast<std::uint64_t>(of.run_queue_ns), of.voluntary, 0,
                 of.cycles, of.instructions}}});
  return *this;
}

script& script::processors(std::uint32_t count) {
  out_.about.extra.emplace_back("processors", std::to_string(count));
  return *this;
}

}  // namespace filch_analysis_test
