// Options that cannot work are refused, and the message says which field, which value, and what is allowed.
#include "helpers.hpp"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace filch_runtime_test;
using filch::options;

std::string refusal(const options& given) {
  return thrown<std::invalid_argument>([&] { filch::runtime rt{given}; });
}

struct bad {
  const char* field;
  std::string value;
  std::string allowed;
  std::function<void(options&)> spoil;
};

TEST(runtime_options, each_value_that_cannot_work_is_refused_with_field_value_and_what_is_allowed) {
  const std::vector<bad> all{
      {"workers", "0", "1 to 65535", [](options& o) { o.workers = 0; }},
      {"workers", "65536", "1 to 65535", [](options& o) { o.workers = 65536; }},
      {"workers", "4294967295", "1 to 65535", [](options& o) { o.workers = UINT32_MAX; }},
      {"steal", "fixed:0", "fixed:N with N from 1", [](options& o) { o.steal = filch::steal::fixed(0); }},
      {"fairness_interval", "0", "from 1 on", [](options& o) { o.fairness_interval = 0; }},
      {"starvation_interval", "1", "from 2 on", [](options& o) { o.starvation_interval = 1; }},
      {"placement", "given:2", "0 to 1",
       [](options& o) { o.placement = filch::placement::given(filch::worker_id{2}); }},
      {"idle.cycles", "0", "from 1 on", [](options& o) { o.idle.cycles = 0; }},
      {"idle.factor", "0.5", "from 1 on", [](options& o) { o.idle.factor = 0.5; }},
      {"victims", "99", "one of", [](options& o) { o.victims = static_cast<filch::victims>(99); }},
      {"order", "99", "one of", [](options& o) { o.order = static_cast<filch::order>(99); }},
      {"wake", "99", "one of", [](options& o) { o.wake = static_cast<filch::wake>(99); }},
      {"deques", "99", "lock_free", [](options& o) { o.deques = static_cast<filch::deques>(99); }},
      {"pinning", "99", "compact", [](options& o) { o.pinning = static_cast<filch::pinning>(99); }},
      {"name", "\"\"", "1 to 9 characters", [](options& o) { o.name = ""; }},
      {"name", "\"abcdefghij\"", "1 to 9 characters", [](options& o) { o.name = "abcdefghij"; }},
      {"injector_bound", "0", "1 to 2^62", [](options& o) { o.injector_bound = 0; }},
      {"demand.wake_ns", "0", "from 1 ns to 1 s", [](options& o) { o.demand.wake_ns = 0; }},
      {"demand.searchers", "2", "1: threads wake", [](options& o) { o.demand.searchers = 2; }},
      {"max_spare_threads", "65536", "0 to 65535", [](options& o) { o.max_spare_threads = 65536; }},
      {"stack_bytes", "1000", "65536 (64 KiB) to 1099511627776 (1 TiB)", [](options& o) { o.stack_bytes = 1000; }},
      {"thread_stack_bytes", "1", "or more", [](options& o) { o.thread_stack_bytes = 1; }},
      {"watchdog_ns", "999999", "1000000", [](options& o) { o.watchdog_ns = 999'999; }},
      {"watchdog_ns", std::to_string(filch::k_never_ns), "a day",
       [](options& o) { o.watchdog_ns = filch::k_never_ns; }},
  };
  for (const bad& each : all) {
    options given{.workers = 2};
    each.spoil(given);
    const std::string text = refusal(given);
    EXPECT_TRUE(contains(text, std::string{each.field} + " = " + each.value)) << each.field << ": " << text;
    EXPECT_TRUE(contains(text, each.allowed)) << each.field << ": " << text;
  }
}

TEST(runtime_options, policies_that_contradict_each_other_are_refused) {
  EXPECT_TRUE(contains(refusal({.workers = 2, .placement = filch::placement::random, .injector_bound = 4}),
                       "only together with placement = injector"));
  EXPECT_TRUE(
      contains(refusal({.workers = 2, .pinning = filch::pinning::compact, .machine = filch::topology::machine{}}),
               "pinning = compact: allowed is none or apart when `machine` is given"));
  filch::trace::session session{{.workers = 1}};
  EXPECT_TRUE(contains(refusal({.workers = 2, .trace = &session}), "at least 2 workers"));
}

TEST(runtime_options, every_problem_is_named_not_only_the_first) {
  const std::string text = refusal({.workers = 0, .name = "", .max_spare_threads = UINT32_MAX});
  EXPECT_TRUE(contains(text, "workers = 0"));
  EXPECT_TRUE(contains(text, "name = "));
  EXPECT_TRUE(contains(text, "max_spare_threads = 4294967295"));
}

TEST(runtime_options, a_watchdog_time_in_the_environment_is_read_and_checked) {
  for (const char* const text : {"", "soon", "5ms", "0", "-3", "99999999999999999999"}) {
    ASSERT_EQ(::setenv("FILCH_WATCHDOG_MS", text, 1), 0);
    const std::string message = refusal({.workers = 1});
    EXPECT_TRUE(contains(message, std::string{"FILCH_WATCHDOG_MS = \""} + text + "\": allowed is")) << message;
  }
  ASSERT_EQ(::setenv("FILCH_WATCHDOG_MS", "2500", 1), 0);
  EXPECT_EQ(filch::runtime{options{.workers = 1}}.chosen_options().watchdog_ns, 2500 * filch::k_ns_per_ms);
  ASSERT_EQ(::unsetenv("FILCH_WATCHDOG_MS"), 0);
  EXPECT_FALSE(filch::runtime{options{.workers = 1}}.chosen_options().watchdog_ns.has_value());
}

TEST(runtime_options, the_number_of_workers_comes_from_the_environment_when_the_options_leave_it_out) {
  ASSERT_EQ(::setenv("FILCH_WORKERS", "3", 1), 0);
  {
    filch::runtime rt;
    EXPECT_EQ(rt.workers(), 3u);
    EXPECT_TRUE(contains(rt.why_so_many(), "FILCH_WORKERS")) << rt.why_so_many();
    EXPECT_EQ(filch::runtime{options{.workers = 2}}.workers(), 2u);
  }
  ASSERT_EQ(::setenv("FILCH_WORKERS", "none", 1), 0);
  EXPECT_THROW(filch::runtime{}, std::exception);
  EXPECT_EQ(filch::runtime{options{.workers = 1}}.workers(), 1u);
  ASSERT_EQ(::unsetenv("FILCH_WORKERS"), 0);
  filch::runtime rt;
  EXPECT_GE(rt.workers(), 1u);
  EXPECT_FALSE(rt.why_so_many().empty());
}

}  // namespace
