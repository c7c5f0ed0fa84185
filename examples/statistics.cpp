// What the runtime says about its own work. Numbers that depend on timing are compared, not printed; to see them all,
// print filch::to_string(rt.statistics()).
#include <filch/filch.hpp>

#include <cstdint>
#include <cstdio>

int main() {
  using filch::trace::count;
  constexpr std::uint64_t k_roots = 100;
  constexpr std::uint64_t k_children = 9;

  filch::runtime rt;
  for (std::uint64_t i = 0; i != k_roots; ++i) {
    rt.spawn([&rt] {
      // into the own deque, from where it may be stolen
      for (std::uint64_t j = 0; j != k_children; ++j) rt.spawn([] {});
    });
  }
  rt.wait_idle();

  const filch::statistics seen = rt.statistics();
  const filch::trace::count_values total = seen.total();
  const auto print = [](const char* what, std::uint64_t value) {
    std::printf("%-24s %4llu\n", what, static_cast<unsigned long long>(value));
  };
  print("submitted from outside", seen.submitted_outside);
  print("spawned by tasks", total[count::spawned]);
  print("executed", total[count::executed]);
  print("unfinished", seen.unfinished());

  const bool balances = total[count::stolen_by_me] == total[count::stolen_from_me];
  std::printf("%-24s %4s\n", "thieves = victims", balances ? "yes" : "no");
}
