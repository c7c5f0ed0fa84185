// The trace ring under the model checker.
//
// Property: the reader gets whole items, each once, in order, with everything that the writer did before; what it does
// not get is counted. Oracle: items of two words that must agree, a number per item, plain data beside each item that
// the checker watches for races, and appended = taken + lost + refused. Method: a ring of one or two slots and three
// items, so that the writer is at the reader's heels in nearly every execution.
#include "scenario.hpp"

#include <filch/trace/ring.hpp>

#include <array>
#include <cstdint>

namespace filch::check {
namespace {

using ring = trace::ring<2, atomics>;
using trace::when_full;

constexpr std::uint64_t k_items = 3;
constexpr std::uint64_t k_mark = 0x5eed'0000;

struct reader_books {
  std::uint64_t taken = 0;
  std::uint64_t next = 0;  // the lowest number that may still come

  void take(const ring::item& item, const std::array<atomics::var<int>, k_items>& beside) {
    require((item.at[0] ^ item.at[1]) == k_mark, "an item is not torn", item.at[0], item.at[1]);
    require(item.at[0] >= next && item.at[0] < k_items, "items come in order, each once", item.at[0], next);
    next = item.at[0] + 1;
    ++taken;
    require(beside[item.at[0]].get() == 1, "what was done before the item is visible");
  }
};

void writer_and_reader(context& c, when_full full, std::size_t capacity, std::uint64_t first) {
  ring r{capacity, full, first};
  std::array<atomics::var<int>, k_items> beside;
  std::uint64_t refused = 0;
  reader_books books;
  c.thread("writer", [&] {
    for (std::uint64_t i = 0; i != k_items; ++i) {
      beside[i].set(1);
      if (!r.append({{i, i ^ k_mark}})) ++refused;
    }
  });
  ring::item item{};
  for (int i = 0; i != 2; ++i) {
    if (r.take(item)) books.take(item, beside);
  }
  c.join_all();
  while (r.take(item)) books.take(item, beside);
  require(books.taken + r.lost() + refused == k_items, "nothing is unaccounted for", books.taken, r.lost(), refused);
  if (full == when_full::refuse_new) require(r.lost() == 0, "a ring that refuses loses nothing");
}

}  // namespace

std::vector<scenario> all_scenarios() {
  const auto with = [](when_full full, std::size_t capacity, std::uint64_t first) {
    return [=](context& c) { writer_and_reader(c, full, capacity, first); };
  };
  return {
      {"refusing_ring_of_one", bounded(3, 5), with(when_full::refuse_new, 1, 0)},
      {"refusing_ring_of_two_near_wrap", bounded(3, 4), with(when_full::refuse_new, 2, UINT64_MAX - 1)},
      {"overwriting_ring_of_one", bounded(3, 4), with(when_full::overwrite_old, 1, 0)},
      {"overwriting_ring_of_two", bounded(2, 4), with(when_full::overwrite_old, 2, 0)},
      {"overwriting_ring_of_two_near_wrap", bounded(2, 3), with(when_full::overwrite_old, 2, UINT64_MAX - 1)},
  };
}

}  // namespace filch::check
