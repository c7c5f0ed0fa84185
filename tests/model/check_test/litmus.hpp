// A litmus test: a tiny program whose final registers are compared with what the standard allows.
//
// Oracle of every test built on this: the set of final registers seen by an exhaustive search without bounds is exactly
// the list `allowed`. The outcomes of interest that must not appear are named beside it as `forbidden`, so that the
// claim can be read and so that a slip in one of the lists fails the test.
#pragma once

#include <check/atomics.hpp>
#include <check/check.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace filch::check::litmus {

using A = check::atomics;
using registers = std::vector<int>;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

inline std::string text(const registers& values) {
  std::string out = "(";
  for (const int v : values) out.append(out.size() == 1 ? "" : ",").append(std::to_string(v));
  return out + ")";
}

// The program starts its threads, joins them and may fill further registers. `count` registers start as −1.
inline void expect(std::size_t count, const std::vector<registers>& allowed, const std::vector<registers>& forbidden,
                   const std::function<void(check::context&, registers&)>& program,
                   bool weak_modification_order = true) {
  std::set<registers> seen;
  const check::result r = check::run({.mode = check::exhaustive{.preemptions = check::k_unbounded},
                                      .weak_modification_order = weak_modification_order},
                                     [&](check::context& c) {
                                       registers values(count, -1);
                                       program(c, values);
                                       seen.insert(values);
                                     });
  EXPECT_FALSE(r.failed) << r.report;
  EXPECT_TRUE(r.exhausted);
  for (const auto& a : allowed) EXPECT_TRUE(seen.contains(a)) << text(a) << " is allowed and was not seen";
  for (const auto& f : forbidden) EXPECT_FALSE(seen.contains(f)) << text(f) << " is forbidden and was seen";
  for (const auto& s : seen) {
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), s), allowed.end()) << text(s) << " was seen and is not listed";
  }
}

}  // namespace filch::check::litmus
