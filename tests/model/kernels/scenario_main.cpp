#include "scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace filch::check {
namespace {

class scenario_test : public testing::Test {
 public:
  explicit scenario_test(const scenario& subject) : subject_{subject} {}

  void TestBody() override {
    options how = subject_.how;
    how.name = subject_.name;
    how.print_failure = subject_.expected == failure::none;
    const result r = run(how, subject_.body);
    EXPECT_EQ(name_of(r.kind), std::string{name_of(subject_.expected)}) << r.report;
    std::printf("%s: %llu executions, %llu operations%s\n", subject_.name.c_str(),
                static_cast<unsigned long long>(r.executions), static_cast<unsigned long long>(r.operations),
                r.exhausted ? ", all within the bounds" : "");
  }

 private:
  const scenario& subject_;
};

// What the first scenario that comes out otherwise came to; empty if all are as expected.
struct surprise {
  std::string scenario;
  std::string how;
  std::string message;
};

surprise first_surprise(std::uint64_t& weakened) {
  for (const scenario& subject : all_scenarios()) {
    options how = subject.how;
    how.name = subject.name;
    how.print_failure = false;
    const result r = run(how, subject.body);
    weakened += r.weaken_changed;
    if (r.kind == subject.expected) continue;
    std::string how_it_came = r.failed ? name_of(r.kind) : "unexpected_success";
    std::replace(how_it_came.begin(), how_it_came.end(), ' ', '_');
    return {subject.name, how_it_came, r.message};
  }
  return {};
}

int catch_mutant(const std::string& kinds) {
  std::uint64_t weakened = 0;
  const surprise found = first_surprise(weakened);
  if (found.scenario.empty()) {
    std::puts("NOT CAUGHT: every scenario came out as expected");
    return 1;
  }
  std::printf("caught by %s: %s: %s\n", found.scenario.c_str(), found.how.c_str(), found.message.c_str());
  const bool as_foretold = ("," + kinds + ",").find("," + found.how + ",") != std::string::npos;
  if (!as_foretold) std::printf("but it should have been one of %s\n", kinds.c_str());
  return as_foretold ? 0 : 1;
}

int survey() {
  std::uint64_t weakened = 0;
  const surprise found = first_surprise(weakened);
  if (!found.scenario.empty()) {
    std::printf("caught\t%s\t%s\n", found.scenario.c_str(), found.how.c_str());
  } else {
    std::printf("%s\t%llu\t-\n", weakened != 0 ? "survived" : "unreached", static_cast<unsigned long long>(weakened));
  }
  return 0;
}

}  // namespace

std::uint64_t most_executions(std::uint64_t otherwise) {
  const char* const given = std::getenv("FILCH_CHECK_EXECUTIONS");
  if (given == nullptr) return otherwise;
  char* end = nullptr;
  const std::uint64_t most = std::strtoull(given, &end, 10);
  if (most != 0 && *end == '\0') return most;
  std::fprintf(stderr, "FILCH_CHECK_EXECUTIONS is \"%s\"; it must be a number from 1 to 2^64 - 1\n", given);
  std::exit(2);
}

}  // namespace filch::check

int main(int argc, char** argv) {
  using namespace filch::check;
  if (argc == 3 && std::strcmp(argv[1], "--catch") == 0) return catch_mutant(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "--survey") == 0) return survey();
  testing::InitGoogleTest(&argc, argv);
  static const std::vector<scenario> scenarios = all_scenarios();
  for (const scenario& subject : scenarios) {
    testing::RegisterTest("model", subject.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&subject]() -> testing::Test* { return new scenario_test(subject); });
  }
  return RUN_ALL_TESTS();
}
