// A view whose answers the test sets, steps as short text, and the test of uniformity.
#pragma once

#include <filch/base/random.hpp>
#include <filch/policy/search.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace filch::policy::check {

struct fake_view {
  std::vector<std::uint32_t> sizes;
  bool banded = false;
  mutable std::uint64_t hints_read = 0;

  std::uint32_t size_hint(worker_id worker) const {
    ++hints_read;
    return worker.value < sizes.size() ? sizes[worker.value] : 0;
  }
  bool bands_in_use() const { return banded; }
};

// "inbox", "local", "injector", "v3", "wait 1000" or "park"; ":high" or ":low" behind it for a band other than normal.
inline std::string text(const step& s) {
  std::string out{to_string(s.kind)};
  if (s.kind == step_kind::victim) out = std::string{"v"}.append(std::to_string(s.victim.value));
  if (s.kind == step_kind::wait) out.append(" ").append(std::to_string(s.wait_ns));
  if (s.band != priority::normal) out.append(":").append(to_string(s.band));
  return out;
}

// The steps of one search in which `answer` decides how each goes: up to the one that finds something, to parking or
// to `limit` steps.
inline std::vector<std::string> steps(search& subject, const fake_view& view,
                                      const std::function<outcome(const step&)>& answer, std::size_t limit = 1000) {
  std::vector<std::string> out;
  while (out.size() != limit) {
    const step s = subject.next(view);
    out.push_back(text(s));
    if (s.kind == step_kind::park) break;
    if (s.kind == step_kind::wait) continue;
    const outcome how = answer(s);
    subject.report(how);
    if (how == outcome::found) break;
  }
  return out;
}

inline outcome always_empty(const step&) { return outcome::empty; }

// Finds something in the first step of this kind.
inline std::function<outcome(const step&)> found_in(step_kind kind) {
  return [kind](const step& s) { return s.kind == kind ? outcome::found : outcome::empty; };
}

inline search make_search(const search_options& options, std::uint32_t self, std::uint32_t workers,
                          std::uint64_t seed = 1) {
  return search{options, worker_id{self}, workers, equal_distances{}, random_stream{seed}};
}

// The chi-squared statistic of counts that should be equal. It lies near counts.size() − 1.
inline double chi_squared(const std::vector<std::uint64_t>& counts) {
  double total = 0;
  for (const auto n : counts) total += static_cast<double>(n);
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const auto n : counts) sum += std::pow(static_cast<double>(n) - expected, 2) / expected;
  return sum;
}

// FILCH_SEED, or a fixed seed; printed, so that a failure can be repeated.
inline std::uint64_t test_seed() {
  const char* given = std::getenv("FILCH_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : 20240607;
  std::printf("seed %llu (set FILCH_SEED to choose)\n", static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace filch::policy::check
