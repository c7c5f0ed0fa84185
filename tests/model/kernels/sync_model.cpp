// The kernels of locks, semaphores, latches, channels, oneshots and broadcasts under the model checker.
//
// Properties: one at a time holds a lock and sees what the one before did; whoever waits is served, or gives up, never
// both and never neither; who comes out of a lock, a latch or a oneshot may destroy it; every item arrives once, in
// order; a message is received or counted as missed. Oracles: plain data that the checker watches for races and use
// after free, and deadlock.
#include "scenario.hpp"

#include <filch/park/parker.hpp>
#include <filch/sync/broadcast_core.hpp>
#include <filch/sync/channel_core.hpp>
#include <filch/sync/countdown.hpp>
#include <filch/sync/fair_lock.hpp>
#include <filch/sync/oneshot_core.hpp>
#include <filch/sync/permits.hpp>
#include <filch/sync/short_lock.hpp>

#include <optional>

namespace filch::check {
namespace {

using sync::wait_state;

// An entry, and where its owner sleeps.
template <class Entry>
struct sleeping : Entry {
  using Entry::Entry;
  park::parker<atomics> woken;
};

template <class Entry>
void wake(sync::line_entry<atomics>& served) {
  static_cast<sleeping<Entry>&>(static_cast<Entry&>(served)).woken.unpark();
}
template <class Entry>
void wake(const sync::wake_list<atomics>& served) {
  served.wake_each([](sync::line_entry<atomics>& each) { wake<Entry>(each); });
}

// ---- the mutex ------------------------------------------------------------------------------------------------------

using mutex = sync::fair_lock<atomics, 1>;
using mutex_entry = sync::lock_entry<atomics>;
using sync::lock_turn;

// Is woken once for each wait: a second time is a fault, as it is for a gate.
struct mutex_waiter : mutex_entry {
  explicit mutex_waiter(lock_turn how = lock_turn::called) : mutex_entry{how} {}

  void wait() { (void)woken.park(); }
  void renew() { wakes.store(0, std::memory_order_relaxed); }
  void wake() {
    require(wakes.fetch_add(1, std::memory_order_relaxed) == 0, "a waiter is woken once for each wait");
    woken.unpark();
  }

  park::parker<atomics> woken;
  atomics::atomic<int> wakes{0};
};

void wake(mutex_entry* next) {
  if (next != nullptr) static_cast<mutex_waiter*>(next)->wake();
}

// It is in line. Returns when it has the lock or has given up.
void wait_in_line(mutex& of, mutex_waiter& self, int looks = 0) {
  using retry_result = mutex::retry_result;
  while (true) {
    self.wait();
    if (self.turn.get() == lock_turn::handed) return;
    for (int i = 0; i != looks; ++i) {
      if (!of.is_held_by_another() && of.retry(self, true) == retry_result::served) return;
    }
    self.renew();
    if (of.retry(self, false) == retry_result::served) return;
  }
}
// False: it gave up.
bool lock(mutex& of, mutex_waiter& self, int looks = 0) {
  if (of.try_lock()) return true;
  if (of.lock_or_queue(self)) wait_in_line(of, self, looks);
  return self.state.get() == wait_state::granted;
}
void unlock(mutex& of) { wake(of.unlock()); }

struct manner {
  lock_turn other = lock_turn::called;
  int looks = 0;
};

void each_counts(context& c, int threads, int turns, manner how = {}) {
  mutex of;
  atomics::var<int> count{0};
  const auto body = [&](lock_turn how_served) {
    for (int k = 0; k != turns; ++k) {
      mutex_waiter self{how_served};
      require(lock(of, self, how.looks), "nobody gives up");
      count.set(count.get() + 1);
      unlock(of);
    }
  };
  for (int i = 1; i != threads; ++i) c.thread("other", [&] { body(how.other); });
  body(lock_turn::called);
  c.join_all();
  require(count.get() == threads * turns, "no turn is lost");
}

void who_tries_only(context& c) {
  mutex of;
  atomics::var<int> count{0};
  c.thread("other", [&] {
    if (!of.try_lock()) return;
    count.set(count.get() + 1);
    unlock(of);
  });
  mutex_waiter self;
  require(lock(of, self), "who waits gets it");
  count.set(count.get() + 1);
  unlock(of);
  c.join_all();
  require(count.get() >= 1, "who waits gets it");
}

// One waits, another tells it to give up, a third holds the lock and lets go. The lock is free in the end.
void who_waits_gives_up(context& c, bool has_second) {
  mutex of;
  atomics::var<int> count{0};
  mutex_waiter first;
  mutex_waiter second;
  require(of.try_lock(), "it is free");
  c.thread("waits", [&] {
    if (!lock(of, first)) return;
    count.set(count.get() + 1);
    unlock(of);
  });
  if (has_second) {
    c.thread("waits too", [&] {
      require(lock(of, second), "nobody told this one to give up");
      count.set(count.get() + 1);
      unlock(of);
    });
  }
  c.thread("stops", [&] { wake(of.cancel(first)); });
  count.set(count.get() + 1);
  unlock(of);
  c.join_all();
  require(of.try_lock(), "it is free again");
  require(of.unlock() == nullptr, "nobody is left in line");
}

// Two are in line. The first is told to give up when it has been called: the second is served.
void a_called_waiter_gives_up(context& c, lock_turn second_turn) {
  mutex of;
  atomics::var<int> count{0};
  mutex_waiter first;
  mutex_waiter second{second_turn};
  require(of.try_lock(), "it is free");
  require(of.lock_or_queue(first) && of.lock_or_queue(second), "it is held");
  c.thread("first", [&] {
    wait_in_line(of, first);
    if (first.state.get() != wait_state::granted) return;
    count.set(count.get() + 1);
    unlock(of);
  });
  c.thread("second", [&] {
    wait_in_line(of, second);
    require(second.state.get() == wait_state::granted, "nobody told this one to give up");
    count.set(count.get() + 1);
    unlock(of);
  });
  unlock(of);
  wake(of.cancel(first));
  c.join_all();
  require(count.get() == (first.state.get() == wait_state::granted ? 2 : 1), "no turn is lost");
  require(of.try_lock(), "it is free again");
  require(of.unlock() == nullptr, "nobody is left in line");
}

// A waiter is first in line; the one that has unlocked locks again, as often as it can.
void the_first_in_line_is_overtaken_once(context& c) {
  mutex of;
  atomics::var<bool> is_served{false};
  mutex_waiter first;
  require(of.try_lock(), "it is free");
  require(of.lock_or_queue(first), "it is held");
  c.thread("first", [&] {
    wait_in_line(of, first);
    is_served.set(true);
    unlock(of);
  });
  unlock(of);
  int overtakes = 0;
  for (int i = 0; i != 3; ++i) {
    if (!of.try_lock()) continue;
    if (!is_served.get()) ++overtakes;
    require(overtakes <= 1, "the first in line is overtaken once");
    unlock(of);
  }
  c.join_all();
}

void the_last_holder_destroys_it(context& c) {
  auto* const of = atomics::make<mutex>();
  atomics::var<int> count{0};
  const auto body = [&] {
    mutex_waiter self;
    require(lock(*of, self), "nobody gives up");
    count.set(count.get() + 1);
    const bool is_last = count.get() == 2;
    unlock(*of);
    if (is_last) atomics::destroy(of);
  };
  c.thread("other", body);
  body();
  c.join_all();
}

using lock_entry = sync::line_entry<atomics>;
using lock_waiter = sleeping<lock_entry>;

// ---- the short lock -------------------------------------------------------------------------------------------------

void short_turns(context& c, int threads) {
  auto* const of = atomics::make<sync::short_lock<atomics>>();
  atomics::var<int> count{0};
  const auto body = [&] {
    of->lock();
    count.set(count.get() + 1);
    const bool is_last = count.get() == threads;
    of->unlock();
    if (is_last) atomics::destroy(of);
  };
  for (int i = 1; i != threads; ++i) c.thread("other", body);
  body();
  c.join_all();
  require(count.get() == threads, "no turn is lost");
}

// ---- permits --------------------------------------------------------------------------------------------------------

using permit_entry = sync::permit_entry<atomics>;
using permit_waiter = sleeping<permit_entry>;

bool take(sync::permits<atomics>& of, permit_waiter& self) {
  if (of.take_or_queue(self)) (void)self.woken.park();
  return self.state.get() == wait_state::granted;
}

// A reader-writer lock of two permits: two readers and a writer.
void readers_and_a_writer(context& c) {
  sync::permits<atomics> of{2};
  atomics::var<int> data{0};
  c.thread("reader", [&] {
    permit_waiter self{1u};
    require(take(of, self), "nobody gives up");
    (void)data.get();
    wake<permit_entry>(of.give(1));
  });
  c.thread("writer", [&] {
    permit_waiter self{2u};
    require(take(of, self), "nobody gives up");
    data.set(1);
    wake<permit_entry>(of.give(2));
  });
  permit_waiter self{1u};
  require(take(of, self), "nobody gives up");
  (void)data.get();
  wake<permit_entry>(of.give(1));
  c.join_all();
  require(of.available() == 2, "all permits came back");
}

// The first in line wants more than there is; when it gives up, the one behind it resumes.
void who_stands_in_the_way_gives_up(context& c) {
  sync::permits<atomics> of{1};
  permit_waiter much{2u};
  permit_waiter little{1u};
  require(of.take_or_queue(much), "there is one only");
  c.thread("little", [&] {
    require(take(of, little), "nobody told this one to give up");
    wake<permit_entry>(of.give(1));
  });
  c.thread("stops", [&] { wake<permit_entry>(of.cancel(much)); });
  (void)much.woken.park();
  c.join_all();
  require(much.state.get() == wait_state::cancelled, "it never gets two");
  require(of.available() == 1, "all permits came back");
}

void a_permit_or_a_stop(context& c) {
  sync::permits<atomics> of{0};
  permit_waiter self{1u};
  c.thread("gives", [&] { wake<permit_entry>(of.give(1)); });
  c.thread("stops", [&] { wake<permit_entry>(of.cancel(self)); });
  const bool is_taken = take(of, self);
  c.join_all();
  require(of.available() == (is_taken ? 0u : 1u), "the permit is somewhere");
}

// Nobody gives anything: only the stop can end the wait, also if it comes first.
void a_stop_alone(context& c) {
  sync::permits<atomics> of{0};
  permit_waiter self{1u};
  c.thread("stops", [&] { wake<permit_entry>(of.cancel(self)); });
  require(!take(of, self), "there is none");
  c.join_all();
}

// ---- countdown ------------------------------------------------------------------------------------------------------

void who_waited_destroys_the_latch(context& c, bool one_stops) {
  auto* const of = atomics::make<sync::countdown<atomics>>(2u);
  atomics::var<int> done{0};
  lock_waiter self;
  c.thread("one", [&] {
    done.set(1);
    wake<lock_entry>(of->lower(1));
  });
  if (one_stops) {
    c.thread("stops", [&] {
      if (of->cancel(self)) wake<lock_entry>(self);
    });
  }
  wake<lock_entry>(of->lower(1));
  if (of->wait_or_pass(self)) (void)self.woken.park();
  if (self.state.get() == wait_state::granted) require(done.get() == 1, "the other was here");
  if (one_stops) c.join_all();  // who stops may come late, and needs it
  if (one_stops || self.state.get() == wait_state::granted) {
    if (one_stops) require(of->is_zero(), "both were here");
    atomics::destroy(of);
  }
  c.join_all();
}

// ---- the channel ----------------------------------------------------------------------------------------------------

// What is sent: data that its sender wrote.
using datum = atomics::var<int>;
using channel = sync::channel_core<datum*, atomics>;
using send_entry = sync::send_entry<datum*, atomics>;
using receive_entry = sync::receive_entry<datum*, atomics>;
using sender = sleeping<send_entry>;
struct receiver : sleeping<receive_entry> {
  receiver() : sleeping<receive_entry>{got} {}

  std::optional<datum*> got;
};

wait_state send(channel& to, sender& self) {
  lock_entry* woken = nullptr;
  const bool waits = to.send_or_queue(self, woken);
  if (woken != nullptr) wake<receive_entry>(*woken);
  if (waits) (void)self.woken.park();
  return self.state.get();
}
bool try_send(channel& to, datum* item) {
  lock_entry* woken = nullptr;
  const bool is_sent = to.try_send(item, woken) == sync::send_status::sent;
  if (woken != nullptr) wake<receive_entry>(*woken);
  return is_sent;
}
datum* receive(channel& from, receiver& self) {
  lock_entry* woken = nullptr;
  const sync::receive_status status = from.try_receive(self.got, woken);
  bool waits = false;
  if (status == sync::receive_status::empty) waits = from.receive_or_queue(self, woken);
  if (woken != nullptr) wake<send_entry>(*woken);
  if (waits) (void)self.woken.park();
  return self.got.value_or(nullptr);
}
void close(channel& it) {
  sync::wake_list<atomics> receivers;
  sync::wake_list<atomics> senders;
  it.close(receivers, senders);
  wake<receive_entry>(receivers);
  wake<send_entry>(senders);
}

void items_come_in_order(context& c, std::size_t capacity, int count) {
  channel it{capacity};
  datum data[3];
  c.thread("sender", [&] {
    for (int i = 0; i != count; ++i) {
      data[i].set(i + 1);
      if (try_send(it, &data[i])) continue;
      datum* item = &data[i];
      sender self{item};
      require(send(it, self) == wait_state::granted, "it is open");
    }
  });
  for (int i = 0; i != count; ++i) {
    receiver self;
    datum* const got = receive(it, self);
    require(got == &data[i] && got->get() == i + 1, "in order, and complete");
  }
  c.join_all();
  require(it.size() == 0, "nothing is left");
}

void room_lets_in_who_waits_for_it(context& c) {
  channel it{1};
  datum data[2];
  require(try_send(it, &data[0]), "there is room");
  c.thread("sender", [&] {
    datum* item = &data[1];
    sender self{item};
    require(send(it, self) == wait_state::granted, "it is open");
  });
  receiver self;
  require(receive(it, self) == &data[0], "in order");
  c.join_all();
  require(it.size() == 1, "the second is there");
}

void two_receivers(context& c, std::size_t capacity) {
  channel it{capacity};
  datum data[2];
  atomics::atomic<int> sum{0};
  for (int i = 0; i != 2; ++i) {
    c.thread("receiver", [&] {
      receiver self;
      sum.fetch_add(receive(it, self)->get(), std::memory_order_relaxed);
    });
  }
  for (int i = 0; i != 2; ++i) {
    data[i].set(i + 1);
    datum* item = &data[i];
    sender self{item};
    require(send(it, self) == wait_state::granted, "it is open");
  }
  c.join_all();
  require(sum.load(std::memory_order_relaxed) == 3, "each item arrives once");
}

void closing_ends_the_waits(context& c) {
  channel it{1};
  datum data[2];
  atomics::var<int> sent{0};
  c.thread("sender", [&] {
    for (datum& each : data) {
      each.set(1);
      datum* item = &each;
      sender self{item};
      if (send(it, self) == wait_state::granted) sent.set(sent.get() + 1);
    }
  });
  c.thread("closes", [&] { close(it); });
  int received = 0;
  while (true) {
    receiver self;
    if (datum* const got = receive(it, self)) received += got->get();
    else break;
  }
  c.join_all();
  require(received == sent.get(), "what was sent is received, and nothing else");
}

void who_receives_gives_up(context& c) {
  channel it{1};
  datum data;
  receiver self;
  c.thread("sender", [&] {
    data.set(1);
    require(try_send(it, &data), "there is room");
  });
  c.thread("stops", [&] {
    if (it.cancel(self)) wake<receive_entry>(self);
  });
  const bool has_got = receive(it, self) != nullptr;
  c.join_all();
  require(it.size() == (has_got ? 0u : 1u), "the item is somewhere");
}

void who_sends_gives_up(context& c) {
  channel it{1};
  datum data[2];
  data[0].set(1);
  data[1].set(2);
  require(try_send(it, &data[0]), "there is room");
  datum* item = &data[1];
  sender self{item};
  c.thread("receiver", [&] {
    receiver first;
    require(receive(it, first) == &data[0], "in order");
  });
  c.thread("stops", [&] {
    if (it.cancel(self)) wake<send_entry>(self);
  });
  const bool is_sent = send(it, self) == wait_state::granted;
  c.join_all();
  require(it.size() == (is_sent ? 1u : 0u), "the item is somewhere");
}

// ---- the oneshot ----------------------------------------------------------------------------------------------------

using oneshot = sync::oneshot_core<datum*, atomics>;

bool settle(oneshot& it, datum* value) {
  sync::wake_list<atomics> woken;
  const bool is_first = it.settle(value == nullptr ? nullptr : &value, woken);
  wake<lock_entry>(woken);
  return is_first;
}
datum* receive(oneshot& from, lock_waiter& self) {
  if (from.is_settled()) return from.take().value_or(nullptr);
  if (from.wait_or_pass(self)) (void)self.woken.park();
  return self.state.get() == wait_state::cancelled ? nullptr : from.take().value_or(nullptr);
}

void who_received_destroys_the_oneshot(context& c) {
  auto* const it = atomics::make<oneshot>();
  datum value;
  lock_waiter self;
  c.thread("sends", [&] {
    value.set(1);
    require(settle(*it, &value), "nobody else sends");
  });
  datum* const got = receive(*it, self);
  require(got == &value && got->get() == 1, "the value, complete");
  atomics::destroy(it);
  c.join_all();
}

// Of two values and a close one counts.
void the_first_value_counts(context& c, bool one_closes) {
  oneshot it;
  datum values[2];
  atomics::var<bool> is_first{false};
  c.thread("sends", [&] {
    values[0].set(1);
    is_first.set(settle(it, &values[0]));
  });
  values[1].set(2);
  const bool is_mine = settle(it, one_closes ? nullptr : &values[1]);
  lock_waiter self;
  datum* const got = receive(it, self);
  c.join_all();
  require(is_first.get() != is_mine, "one is the first");
  require(got == (is_first.get() ? &values[0] : one_closes ? nullptr : &values[1]), "its value is received");
}

void a_value_or_a_stop(context& c) {
  oneshot it;
  datum value;
  lock_waiter self;
  c.thread("sends", [&] {
    value.set(1);
    require(settle(it, &value), "nobody else sends");
  });
  c.thread("stops", [&] {
    if (it.cancel(self)) wake<lock_entry>(self);
  });
  const bool has_got = receive(it, self) != nullptr;
  c.join_all();
  require(it.take().has_value() != has_got, "the value is somewhere");
}

// ---- the broadcast --------------------------------------------------------------------------------------------------

using broadcast = sync::broadcast_core<datum*, atomics>;

void send(broadcast& to, datum& what) {
  std::optional<datum*> exchanged{&what};
  sync::wake_list<atomics> woken;
  require(to.send(exchanged, woken), "it is open");
  wake<lock_entry>(woken);
}
// False: it gave up.
bool wait_for_news(broadcast& from, std::uint64_t next, lock_waiter& self) {
  if (from.is_served(next)) return true;
  if (from.wait_or_pass(self, next)) (void)self.woken.park();
  return self.state.get() == wait_state::granted;
}

// Message n holds n, from 1 on: so a receiver knows which one it should be.
void every_message_is_received_or_missed(context& c, std::size_t capacity) {
  broadcast it{capacity};
  datum data[2];
  std::uint64_t next = it.subscribe();
  c.thread("sends", [&] {
    for (int i = 0; i != 2; ++i) {
      data[i].set(i + 1);
      send(it, data[i]);
    }
    sync::wake_list<atomics> woken;
    it.close(woken);
    wake<lock_entry>(woken);
  });
  int count = 0;
  while (true) {
    lock_waiter self;
    require(wait_for_news(it, next, self), "nobody gives up");
    const auto got = it.take(next);
    if (!got.has_value()) break;
    count += 1 + static_cast<int>(got->missed);
    require(got->value->get() == count, "in order, complete, and what was missed is counted");
  }
  c.join_all();
  require(count == 2, "nothing is lost in silence");
}

void one_message(context& c, bool one_stops) {
  broadcast it{1};
  datum data;
  std::uint64_t next = it.subscribe();
  lock_waiter self;
  c.thread("sends", [&] {
    data.set(1);
    send(it, data);
  });
  if (one_stops) {
    c.thread("stops", [&] {
      if (it.cancel(self)) wake<lock_entry>(self);
    });
  }
  const bool is_served = wait_for_news(it, next, self);
  require(is_served || one_stops, "nobody gives up");
  if (is_served) require(it.take(next)->value->get() == 1, "who was served has news");
  c.join_all();
  require(next == 1 || it.take(next).has_value(), "the message stays for who gave up");
}

}  // namespace

std::vector<scenario> all_scenarios() {
  const options at_random = sampled(20'000, 2'000'000);  // three threads, or many steps
  return {
      {"two_hold_it_in_turn", bounded(3, 6), [](context& c) { each_counts(c, 2, 1); }},
      {"two_hold_it_twice", bounded(2, 4), [](context& c) { each_counts(c, 2, 2); }},
      {"three_hold_it_in_turn", at_random, [](context& c) { each_counts(c, 3, 1); }},
      {"one_of_two_is_handed_it", bounded(3, 6),
       [](context& c) { each_counts(c, 2, 1, {.other = lock_turn::handed}); }},
      {"one_of_three_is_handed_it", at_random, [](context& c) { each_counts(c, 3, 2, {.other = lock_turn::handed}); }},
      {"called_waiters_stay_awake", at_random, [](context& c) { each_counts(c, 3, 2, {.looks = 2}); }},
      {"the_first_in_line_is_overtaken_once", bounded(3, 6), the_first_in_line_is_overtaken_once},
      {"a_called_waiter_gives_up", bounded(1, 3), [](context& c) { a_called_waiter_gives_up(c, lock_turn::called); }},
      {"a_called_waiter_before_a_handed_one_gives_up", bounded(1, 3),
       [](context& c) { a_called_waiter_gives_up(c, lock_turn::handed); }},
      {"one_tries_only", bounded(3, 6), who_tries_only},
      {"who_waits_gives_up", bounded(1, 3), [](context& c) { who_waits_gives_up(c, false); }},
      {"the_first_of_two_gives_up", at_random, [](context& c) { who_waits_gives_up(c, true); }},
      {"the_last_holder_destroys_the_lock", bounded(3, 6), the_last_holder_destroys_it},
      {"short_turns_of_two", bounded(3, 6), [](context& c) { short_turns(c, 2); }},
      {"short_turns_of_three", bounded(1, 3), [](context& c) { short_turns(c, 3); }},
      {"readers_and_a_writer", at_random, readers_and_a_writer},
      {"who_stands_in_the_way_gives_up", bounded(2, 4), who_stands_in_the_way_gives_up},
      {"a_permit_or_a_stop", at_random, a_permit_or_a_stop},
      {"a_stop_alone", bounded(3, 5), a_stop_alone},
      {"who_waited_destroys_the_latch", bounded(3, 5), [](context& c) { who_waited_destroys_the_latch(c, false); }},
      {"who_waits_for_a_latch_gives_up", at_random, [](context& c) { who_waited_destroys_the_latch(c, true); }},
      {"items_come_in_order", bounded(1, 3), [](context& c) { items_come_in_order(c, channel::k_unbounded, 2); }},
      {"items_come_in_order_through_one_place", at_random, [](context& c) { items_come_in_order(c, 1, 3); }},
      {"sender_and_receiver_meet", at_random, [](context& c) { items_come_in_order(c, 0, 2); }},
      {"room_lets_in_who_waits_for_it", bounded(2, 4), room_lets_in_who_waits_for_it},
      {"two_receivers", at_random, [](context& c) { two_receivers(c, 1); }},
      {"closing_ends_the_waits", at_random, closing_ends_the_waits},
      {"who_receives_gives_up", at_random, who_receives_gives_up},
      {"who_sends_gives_up", at_random, who_sends_gives_up},
      {"who_received_destroys_the_oneshot", bounded(3, 5), who_received_destroys_the_oneshot},
      {"the_first_value_counts", bounded(3, 5), [](context& c) { the_first_value_counts(c, false); }},
      {"a_value_or_a_close", bounded(3, 5), [](context& c) { the_first_value_counts(c, true); }},
      {"a_value_or_a_stop", at_random, a_value_or_a_stop},
      {"one_message", bounded(3, 5), [](context& c) { one_message(c, false); }},
      {"every_message_is_received", at_random, [](context& c) { every_message_is_received_or_missed(c, 2); }},
      {"every_message_is_received_or_missed", at_random, [](context& c) { every_message_is_received_or_missed(c, 1); }},
      {"a_message_or_a_stop", at_random, [](context& c) { one_message(c, true); }},
  };
}

}  // namespace filch::check
