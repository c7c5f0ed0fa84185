// The program every consumer builds. It uses an inline part and a compiled part of filch, so that both the headers and
// the library must be found, and prints numbers that depend on neither compiler nor machine.
#include <filch/base/assert.hpp>
#include <filch/base/random.hpp>
#include <filch/base/units.hpp>

#include <cstdio>

int main() {
  filch::random_stream random{42};
  const auto die = random.below(6) + 1;
  FILCH_ASSERT(die >= 1 && die <= 6, die);
  FILCH_ASSERT(filch::monotonic_now_ns() > 0);
  std::printf("filch consumer: die %llu, wait %.3f\n", static_cast<unsigned long long>(die),
              random.exponential(1.0));
}
