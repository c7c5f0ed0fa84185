// Parallel algorithms: how often each word length occurs, the longest word, and a sum that is the same on any machine.
#include <filch/filch.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  // Words of made-up letters.
  std::vector<std::string> words(50'000);
  filch::for_index(words.size(), [&](std::size_t i) {
    const std::size_t length = 1 + i * i % 13;
    for (std::size_t k = 0; k != length; ++k) words[i] += static_cast<char>('a' + (i / (k + 1) + k) % 26);
  });

  for (const std::size_t length : {1U, 2U, 5U, 13U}) {
    const auto count = filch::count_if(words, [=](const std::string& w) { return w.size() == length; });
    std::printf("%td words of length %zu\n", count, length);
  }

  filch::sort(words);
  std::printf("first %s, last %s\n", words.front().c_str(), words.back().c_str());

  const auto length_of = [](const std::string& w) { return static_cast<double>(w.size()); };
  const double mean = filch::transform_reduce(words, 0.0, std::plus<>{}, length_of) / static_cast<double>(words.size());
  std::printf("mean length %.4f\n", mean);

  const auto found = filch::find_if(words, [](const std::string& w) { return w.starts_with("filch"); });
  std::printf("%s\n", found == words.end() ? "no word begins with filch" : found->c_str());

  filch::pipeline(4, std::vector<int>{3, 1, 2},
                  filch::parallel([](int n) { return std::string(static_cast<std::size_t>(n), '*'); }),
                  filch::serial([](const std::string& stars) { std::puts(stars.c_str()); }));
}
