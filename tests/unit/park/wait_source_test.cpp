#include <filch/park/wait_source.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

namespace {

using filch::k_never_ns;
using filch::time_ns;
using filch::worker_id;
using filch::park::keeper_call;
using filch::park::source_kind;
using kind = filch::park::keeper_call::kind;

// A source that does as it is told and writes down what it is asked.
class fake_source : public filch::park::wait_source {
 public:
  fake_source(char name, std::string& log) : name_{name}, log_{log} {}

  bool poll(time_ns now_ns) override {
    note('p');
    const bool is_ready = ready_at_ns <= now_ns;
    if (is_ready) ready_at_ns = next_ns;
    return is_ready;
  }
  [[nodiscard]] time_ns deadline_ns() const override { return ready_at_ns; }
  void cancel_waits() noexcept override { note('c'); }
  [[nodiscard]] std::string describe() const override { return std::string{name_}; }

  time_ns ready_at_ns = k_never_ns;
  time_ns next_ns = k_never_ns;

 private:
  void note(char what) { (log_ += what) += name_; }

  char name_;
  std::string& log_;
};

class source_set : public testing::Test {
 protected:
  fake_source& add(source_kind what, char name) {
    return static_cast<fake_source&>(set_.get(what, [&] { return std::make_unique<fake_source>(name, log_); }));
  }
  bool poll(time_ns now_ns) {
    call_ = {};
    return set_.poll(now_ns, call_);
  }

  std::string log_;
  filch::park::source_set set_;
  keeper_call call_;
};

TEST_F(source_set, an_empty_set_has_nothing_and_never_wakes_anybody) {
  EXPECT_TRUE(set_.is_empty());
  EXPECT_FALSE(poll(0));
  EXPECT_EQ(call_.what, kind::nobody);
  EXPECT_EQ(set_.keeper.earliest_ns(), k_never_ns);
  EXPECT_EQ(set_.describe(), "");
}

TEST_F(source_set, a_source_is_made_once_when_it_is_first_asked_for) {
  fake_source& first = add(source_kind::timers, '1');
  EXPECT_FALSE(set_.is_empty());
  EXPECT_EQ(&add(source_kind::timers, '2'), &first);
  EXPECT_NE(&add(source_kind::io, '3'), &first);
  EXPECT_EQ(set_.describe(), "  1\n  3\n");
}

TEST_F(source_set, a_poll_asks_every_source_and_sets_the_earliest_deadline_anew) {
  fake_source& one = add(source_kind::timers, '1');
  fake_source& two = add(source_kind::io, '2');
  one.ready_at_ns = 10;
  one.next_ns = 30;
  two.ready_at_ns = 20;
  EXPECT_EQ(set_.keeper.lower(10).what, kind::vacant);
  EXPECT_EQ(set_.keeper.lower(20).what, kind::nobody);
  EXPECT_TRUE(poll(10));
  EXPECT_EQ(log_, "p1p2");
  EXPECT_EQ(set_.keeper.earliest_ns(), 20);
  EXPECT_TRUE(poll(25));
  EXPECT_EQ(set_.keeper.earliest_ns(), 30);
  EXPECT_FALSE(poll(29));
}

TEST_F(source_set, a_cancellation_reaches_every_source) {
  (void)add(source_kind::timers, '1');
  (void)add(source_kind::io, '2');
  set_.cancel_waits();
  EXPECT_EQ(log_, "c1c2");
}

class keeper : public testing::Test {
 protected:
  filch::park::keeper<> keeper_;
};

TEST_F(keeper, at_most_one_worker_is_the_keeper) {
  EXPECT_FALSE(keeper_.who_hint().is_some());
  ASSERT_TRUE(keeper_.try_take(worker_id{3}));
  EXPECT_EQ(keeper_.who_hint(), worker_id{3});
  EXPECT_FALSE(keeper_.try_take(worker_id{4}));
  keeper_.resign();
  EXPECT_TRUE(keeper_.try_take(worker_id{4}));
}

TEST_F(keeper, a_keeper_is_wanted_while_there_is_a_deadline_and_none) {
  EXPECT_FALSE(keeper_.needs_keeper());
  EXPECT_EQ(keeper_.lower(50).what, kind::vacant);
  EXPECT_TRUE(keeper_.needs_keeper());
  ASSERT_TRUE(keeper_.try_take(worker_id{0}));
  EXPECT_FALSE(keeper_.needs_keeper());
  keeper_.resign();
  EXPECT_TRUE(keeper_.needs_keeper());
}

TEST_F(keeper, only_an_earlier_deadline_wakes_the_keeper_and_only_while_it_sleeps) {
  ASSERT_TRUE(keeper_.try_take(worker_id{2}));
  EXPECT_EQ(keeper_.lower(50).what, kind::nobody);  // it will look
  EXPECT_EQ(keeper_.announce_sleep(), 50);
  EXPECT_EQ(keeper_.lower(60).what, kind::nobody);
  const keeper_call call = keeper_.lower(40);
  EXPECT_EQ(call.what, kind::keeper);
  EXPECT_EQ(call.who, worker_id{2});
  keeper_.wake_up();
  EXPECT_EQ(keeper_.lower(30).what, kind::nobody);
  EXPECT_EQ(keeper_.announce_sleep(), 30);
}

TEST_F(keeper, a_deadline_that_comes_while_the_earliest_is_raised_is_not_lost) {
  EXPECT_EQ(keeper_.lower(10).what, kind::vacant);
  time_ns noted_ns = 100;
  const keeper_call call = keeper_.raise([&] { return std::exchange(noted_ns, 40); });
  EXPECT_EQ(keeper_.earliest_ns(), 40);
  EXPECT_EQ(call.what, kind::vacant);
}

}  // namespace
