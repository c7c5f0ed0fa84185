// Many tasks at once: one function per piece of the work, one future per function, results in the order of the pieces.
#include <filch/filch.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

std::uint32_t count_primes(std::uint32_t from, std::uint32_t to) {
  std::uint32_t count = 0;
  for (std::uint32_t n = from; n != to; ++n) {
    bool is_prime = n >= 2;
    for (std::uint32_t d = 2; is_prime && d * d <= n; ++d) is_prime = n % d != 0;
    count += is_prime;
  }
  return count;
}

}  // namespace

int main() {
  constexpr std::uint32_t k_pieces = 10;
  constexpr std::uint32_t k_piece = 10'000;

  std::vector<std::function<std::uint32_t()>> pieces;
  for (std::uint32_t i = 0; i != k_pieces; ++i) {
    pieces.push_back([i] { return count_primes(i * k_piece, (i + 1) * k_piece); });
  }

  filch::runtime rt;
  std::uint32_t sum = 0;
  std::uint32_t from = 0;
  for (auto& found : rt.submit_all(pieces)) {  // the later pieces cost more: idle workers steal them
    const std::uint32_t count = found.get();
    std::printf("from %5u: %4u primes\n", from, count);
    from += k_piece;
    sum += count;
  }
  std::printf("below %u: %u primes\n", from, sum);
}
