#include "sharing_fields.hpp"

#include <stdexcept>
#include <string>

namespace filch::scenario {
namespace {

const std::vector<std::string_view> k_parts{"work", "loop", "nest", "tree", "join"};
constexpr std::uint32_t k_most_tree_depth = 40;
constexpr std::uint32_t k_most_levels = 16;

sim::part_id read_part(const field& from, sim::sharing_program& into);

// Plain elements, or such that run a part each.
sim::part_id read_loop(object_fields& fields, sim::sharing_program& into) {
  fields.allow({"part", "count", "work", "each"});
  const std::uint64_t count = fields.need("count").whole(1, sim::sharing_program::k_most);
  const auto each = fields.find("each");
  const auto work = fields.find("work");
  if (each && work) work->fail(work->path() + ": not allowed beside each");
  if (each) return into.add_loop(count, read_part(*each, into));
  return into.add_loop(count, fields.need("work").duration());
}

sim::part_id read_nest(object_fields& fields, sim::sharing_program& into) {
  fields.allow({"part", "levels", "count", "leaf"});
  const auto levels = static_cast<std::uint32_t>(fields.need("levels").whole(1, k_most_levels));
  const std::uint64_t count = fields.need("count").whole(1, sim::sharing_program::k_most);
  return into.add_nest(levels, count, fields.need("leaf").duration());
}

sim::part_id read_forked_tree(object_fields& fields, sim::sharing_program& into) {
  fields.allow({"part", "depth", "leaf", "before", "after"});
  time_ns before_ns = 0;
  time_ns after_ns = 0;
  fields.duration("before", before_ns);
  fields.duration("after", after_ns);
  const auto depth = static_cast<std::uint32_t>(fields.need("depth").whole(0, k_most_tree_depth));
  return into.add_tree(depth, fields.need("leaf").duration(), before_ns, after_ns);
}

sim::part_id read_join_of_two(object_fields& fields, sim::sharing_program& into) {
  fields.allow({"part", "first", "second", "before", "after"});
  time_ns before_ns = 0;
  time_ns after_ns = 0;
  fields.duration("before", before_ns);
  fields.duration("after", after_ns);
  const sim::part_id first = read_part(fields.need("first"), into);
  return into.add_join(first, read_part(fields.need("second"), into), before_ns, after_ns);
}

// A time is a piece of work.
sim::part_id read_part(const field& from, sim::sharing_program& into) {
  if (!from.is_object()) return into.add_work(from.duration());
  object_fields fields{from};
  const std::size_t which = fields.need("part").one_of(k_parts);
  try {
    switch (which) {
      case 0:
        fields.allow({"part", "work"});
        return into.add_work(fields.need("work").duration());
      case 1:
        return read_loop(fields, into);
      case 2:
        return read_nest(fields, into);
      case 3:
        return read_forked_tree(fields, into);
      default:
        return read_join_of_two(fields, into);
    }
  } catch (const std::invalid_argument& problem) {
    from.fail(from.path() + ": " + problem.what());
  }
}

// One group for each pause.
void read_phases(const field& from, sharing_load& into) {
  object_fields fields{from};
  fields.allow({"name", "what", "pauses", "times"});
  const sim::part_id what = read_part(fields.need("what"), into.program);
  std::string name = fields.self().path();
  if (const auto said = fields.find("name")) name = said->text();
  std::uint32_t times = 1;
  fields.whole("times", times, 1, k_most_phases);
  std::vector<time_ns> pauses{0};
  if (const auto said = fields.find("pauses")) {
    pauses.clear();
    for (const field& one : said->items("a list of times")) pauses.push_back(one.duration());
    if (pauses.empty()) said->refuse("a list of at least one time");
  }
  for (const time_ns pause_ns : pauses) {
    const auto first = static_cast<std::uint32_t>(into.program.phases().size());
    if (first + times > k_most_phases) from.fail(from.path() + ": more than 100000 phases in all");
    into.groups.push_back({name, what, pause_ns, first, times});
    for (std::uint32_t i = 0; i != times; ++i) into.program.add_phase(what, pause_ns);
  }
}

}  // namespace

sharing_load read_sharing(object_fields& fields) {
  fields.allow({"kind", "called_from", "phases"});
  sharing_load out;
  if (const auto caller = fields.find("called_from"))
    out.is_called_outside = caller->one_of({"worker", "outside"}) == 1;
  const field phases = fields.need("phases");
  const auto rows = phases.items("a list of phases");
  if (rows.empty()) phases.refuse("a list of at least one phase");
  for (const field& row : rows) read_phases(row, out);
  return out;
}

}  // namespace filch::scenario
