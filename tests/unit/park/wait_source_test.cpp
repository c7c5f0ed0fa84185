#include <filch/park/wait_source.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace {

using filch::k_never_ns;
using filch::time_ns;

// A source that does as it is told and writes down what it is asked.
class fake_source : public filch::park::wait_source {
 public:
  fake_source(char name, std::string& log) : name_{name}, log_{log} {}

  bool poll(time_ns now_ns) override {
    note('p');
    return has_ready(now_ns);
  }
  [[nodiscard]] bool has_ready(time_ns now_ns) const override { return ready_at_ns <= now_ns; }
  [[nodiscard]] bool announce_sleep() override {
    note('a');
    return lets_sleep;
  }
  void retract_sleep() noexcept override { note('r'); }
  [[nodiscard]] time_ns deadline_ns() const override { return ready_at_ns; }

  time_ns ready_at_ns = k_never_ns;
  bool lets_sleep = true;

 private:
  void note(char what) { (log_ += what) += name_; }

  char name_;
  std::string& log_;
};

class source_set : public testing::Test {
 protected:
  void add_all() {
    set_.add(one_);
    set_.add(two_);
    set_.add(three_);
  }

  std::string log_;
  fake_source one_{'1', log_};
  fake_source two_{'2', log_};
  fake_source three_{'3', log_};
  filch::park::source_set set_;
};

TEST_F(source_set, an_empty_set_needs_no_keeper_and_never_wakes_anybody) {
  EXPECT_TRUE(set_.is_empty());
  EXPECT_FALSE(set_.try_become_keeper());
  EXPECT_FALSE(set_.poll(0));
  EXPECT_TRUE(set_.announce_sleep());
  set_.retract_sleep();
  EXPECT_EQ(set_.deadline_ns(), k_never_ns);
}

TEST_F(source_set, at_most_one_worker_is_the_keeper) {
  add_all();
  EXPECT_FALSE(set_.is_empty());
  ASSERT_TRUE(set_.try_become_keeper());
  std::thread{[&] { EXPECT_FALSE(set_.try_become_keeper()); }}.join();
  set_.resign();
  std::thread{[&] {
    ASSERT_TRUE(set_.try_become_keeper());
    set_.resign();
  }}.join();
}

TEST_F(source_set, a_poll_asks_every_source_even_after_one_had_something) {
  add_all();
  EXPECT_FALSE(set_.poll(10));
  EXPECT_EQ(log_, "p1p2p3");
  one_.ready_at_ns = 10;
  log_.clear();
  EXPECT_FALSE(set_.poll(9));
  EXPECT_TRUE(set_.poll(10));
  EXPECT_EQ(log_, "p1p2p3p1p2p3");
}

TEST_F(source_set, a_sleep_is_announced_to_all_and_retracted_from_all) {
  add_all();
  EXPECT_TRUE(set_.announce_sleep());
  EXPECT_EQ(log_, "a1a2a3");
  set_.retract_sleep();
  EXPECT_EQ(log_, "a1a2a3r1r2r3");
}

TEST_F(source_set, a_source_that_is_ready_forbids_the_sleep_and_those_before_it_forget_it) {
  add_all();
  three_.lets_sleep = false;
  EXPECT_FALSE(set_.announce_sleep());
  EXPECT_EQ(log_, "a1a2a3r2r1");
  log_.clear();
  two_.lets_sleep = false;
  EXPECT_FALSE(set_.announce_sleep());
  EXPECT_EQ(log_, "a1a2r1");
  log_.clear();
  one_.lets_sleep = false;
  EXPECT_FALSE(set_.announce_sleep());
  EXPECT_EQ(log_, "a1");
}

TEST_F(source_set, the_deadline_is_that_of_the_earliest_source) {
  add_all();
  EXPECT_EQ(set_.deadline_ns(), k_never_ns);
  two_.ready_at_ns = 50;
  EXPECT_EQ(set_.deadline_ns(), 50);
  three_.ready_at_ns = 40;
  EXPECT_EQ(set_.deadline_ns(), 40);
  one_.ready_at_ns = -1;
  EXPECT_EQ(set_.deadline_ns(), -1);
}

}  // namespace
