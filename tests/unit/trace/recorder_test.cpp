#include <filch/trace/recorder.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace filch;
using namespace filch::trace;

std::vector<event> take_all(recorder& r) {
  std::vector<event> out;
  event e;
  while (r.take(e)) out.push_back(e);
  return out;
}

template <event_recorder R>
void say_everything(R& r) {
  const task_id task{7};
  const worker_id worker{3};
  const name_id name{5};
  r.spawn(task, task_id{6}, name), r.start(task), r.end(task);
  r.steal_attempt(worker), r.steal_success(worker, task, 2), r.steal_lost(worker), r.steal_empty(worker);
  r.inject(task, worker), r.park(), r.wake(worker), r.notify(worker);
  r.suspend(task, name), r.resume(task), r.block(task, name), r.unblock(task);
  r.name(task, name), r.cancel(task), r.queue_length(9), r.counter(name, -4);
  r.join(task, task_id{6}), r.woken(task, task_id{6}, name);
}

TEST(recorder, each_verb_makes_an_event_of_its_kind_with_the_fields_of_the_table) {
  recorder r{worker_id{1}, 64, when_full::refuse_new, clock_source::monotonic};
  r.enable(true);
  say_everything(r);
  const auto events = take_all(r);
  ASSERT_EQ(events.size(), k_kind_count - 1u);  // all but `dropped`
  for (std::size_t i = 0; i != events.size(); ++i) {
    EXPECT_EQ(events[i].kind, static_cast<event_kind>(i < 19 ? i : i + 1));
    EXPECT_EQ(events[i].worker, 1u);
    EXPECT_GT(events[i].time_ns, 0);
    if (i != 0) {
      EXPECT_GE(events[i].time_ns, events[i - 1].time_ns);
    }
  }
  const auto fields = [&](event_kind kind) {
    const event& e = events[static_cast<std::size_t>(kind)];
    return std::vector<std::uint64_t>{e.task, e.argument, e.detail};
  };
  using row = std::vector<std::uint64_t>;
  EXPECT_EQ(fields(event_kind::spawn), (row{7, 6, 5}));
  EXPECT_EQ(fields(event_kind::start), (row{7, 0, k_no_detail}));
  EXPECT_EQ(fields(event_kind::steal_attempt), (row{k_no_task, 0, 3}));
  EXPECT_EQ(fields(event_kind::steal_success), (row{7, 2, 3}));
  EXPECT_EQ(fields(event_kind::inject), (row{7, 0, 3}));
  EXPECT_EQ(fields(event_kind::park), (row{k_no_task, 0, k_no_detail}));
  EXPECT_EQ(fields(event_kind::wake), (row{k_no_task, 0, 3}));
  EXPECT_EQ(fields(event_kind::suspend), (row{7, 0, 5}));
  EXPECT_EQ(fields(event_kind::name), (row{7, 0, 5}));
  EXPECT_EQ(fields(event_kind::queue_length), (row{k_no_task, 9, k_no_detail}));
  EXPECT_EQ(fields(event_kind::counter), (row{k_no_task, static_cast<std::uint64_t>(-4), 5}));
  EXPECT_EQ(events[events.size() - 2].argument, 6u);
  EXPECT_EQ(events.back().argument, 6u);
  EXPECT_EQ(events.back().detail, 5u);
}

TEST(recorder, records_nothing_while_it_is_off) {
  recorder r{worker_id{0}, 64, when_full::refuse_new, clock_source::monotonic};
  say_everything(r);
  EXPECT_TRUE(take_all(r).empty());
  r.enable(true), r.park();
  r.enable(false), r.wake();
  EXPECT_EQ(take_all(r).size(), 1u);
  EXPECT_FALSE(recorder::off().is_enabled());
}

TEST(recorder, a_full_ring_is_followed_by_a_dropped_event_with_the_number_so_far) {
  recorder r{worker_id{0}, 2, when_full::refuse_new, clock_source::monotonic};
  r.enable(true);
  for (int i = 0; i != 5; ++i) r.park();
  EXPECT_EQ(r.refused(), 3u);
  EXPECT_EQ(take_all(r).size(), 2u);
  r.wake();
  auto events = take_all(r);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, event_kind::dropped);
  EXPECT_EQ(events[0].argument, 3u);
  EXPECT_EQ(events[1].kind, event_kind::wake);
}

TEST(recorder, a_gap_that_fits_without_its_event_is_not_reported_twice) {
  recorder r{worker_id{0}, 2, when_full::refuse_new, clock_source::monotonic};
  r.enable(true);
  for (int i = 0; i != 3; ++i) r.park();
  event e;
  ASSERT_TRUE(r.take(e));
  r.park();  // the `dropped` event takes the one free slot, the event itself does not fit
  EXPECT_EQ(r.refused(), 2u);
  auto events = take_all(r);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, event_kind::dropped);
  EXPECT_EQ(events[1].argument, 1u);
  r.wake();
  events = take_all(r);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].argument, 2u);
}

TEST(virtual_recorder, stamps_events_with_simulated_time) {
  time_ns now_ns = 10;
  std::vector<event> out;
  virtual_recorder r{worker_id{4}, now_ns, out};
  r.start(task_id{1});
  now_ns = 25;
  r.end(task_id{1});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].time_ns, 10);
  EXPECT_EQ(out[1].time_ns, 25);
  EXPECT_EQ(out[1].worker, 4u);
}

TEST(null_recorder, takes_every_verb_and_no_space) {
  struct worker {
    [[no_unique_address]] null_recorder r;
    int x;
  };
  static_assert(sizeof(worker) == sizeof(int));
  null_recorder r;
  say_everything(r);
  EXPECT_FALSE(r.is_enabled());
}

TEST(event_kind, every_kind_has_a_name) {
  EXPECT_EQ(name_of(event_kind::spawn), "spawn");
  EXPECT_EQ(name_of(event_kind::steal_empty), "steal_empty");
  EXPECT_EQ(name_of(event_kind::cancel), "cancel");
  EXPECT_EQ(name_of(event_kind::dropped), "dropped");
  EXPECT_EQ(name_of(static_cast<event_kind>(k_kind_count)), "unknown");
}

}  // namespace
