// Recordings and seeds that several tests of the trace layer share.
#pragma once

#include <filch/base/random.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/recording.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace filch_trace_test {

using namespace filch;
using namespace filch::trace;

// FILCH_SEED, or `otherwise`; printed, so that a failure can be repeated.
inline std::uint64_t chosen_seed(std::uint64_t otherwise) {
  const char* text = std::getenv("FILCH_SEED");
  const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
  std::printf("FILCH_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

inline recording empty_recording(std::uint32_t workers) {
  recording out;
  out.about.workers = workers;
  out.about.seed = 42;
  out.about.source = "simulation";
  out.about.policy = "nearest victim, steal half";
  out.about.machine = "2 cores, \"quoted\" and\nbroken";
  out.about.clock = "virtual";
  out.about.version = "0.1.0";
  out.workers.resize(workers);
  return out;
}

// Task 1 starts on worker 0 and spawns 2 and 3; worker 1 steals 2 and runs it; 1 waits for it and goes on at worker 1.
inline recording migrating_task() {
  recording out = empty_recording(2);
  out.about.extra = {{"scenario", "joining"}};
  out.names = {{"root", rgb{30, 144, 255}}, {"child", std::nullopt}, {"join", std::nullopt}, {"load", rgb{1, 2, 3}}};
  time_ns now_ns = 0;
  virtual_recorder w0{worker_id{0}, now_ns, out.workers[0]};
  virtual_recorder w1{worker_id{1}, now_ns, out.workers[1]};
  virtual_recorder outside{worker_id::none(), now_ns, out.outside};
  const task_id root{1}, two{2}, three{3};
  const auto at = [&](time_ns t) { now_ns = t; };

  outside.spawn(root, task_id::none(), name_id{0});
  outside.inject(root);
  outside.notify(worker_id{0});
  w1.park();
  at(1'000), w0.start(root);
  at(1'500), w0.spawn(two, root, name_id{1}), w0.spawn(three, root), w0.queue_length(2);
  at(2'000), w1.wake(worker_id{0}), w1.steal_attempt(worker_id{0});
  at(2'100), w1.steal_success(worker_id{0}, two, 1);
  at(2'200), w1.start(two);
  at(2'500), w0.suspend(root, name_id{2}), w0.start(three), w0.counter(name_id{3}, -7);
  at(2'750), w0.block(three), w0.name(three, name_id{1});
  at(2'900), w0.unblock(three);
  at(3'000), w0.end(three), w0.steal_attempt(worker_id{1}), w0.steal_empty(worker_id{1}), w0.park();
  at(4'123), w1.end(two), w1.resume(root);
  at(5'000), w1.steal_lost(worker_id{0}), w1.cancel(task_id{9}), w1.end(root);
  return out;
}

inline void add_random_usage(random_stream& random, recording& into, std::size_t count) {
  into.usage.resize(into.about.workers);
  for (auto& samples : into.usage) {
    thread_sample sample;
    sample.at_ns = -50;
    for (std::size_t i = 0; i != count; ++i) {
      sample.at_ns += static_cast<time_ns>(random.below(1'000'000));
      sample.begins = random.below(9) == 0 ? random.bits() : 0;
      for (std::uint64_t& each : sample.used.at) each = random.below(3) == 0 ? random.bits() >> random.below(64) : 0;
      samples.push_back(sample);
    }
  }
}

// `count` events per list with arbitrary fields; times do not decrease.
inline recording random_recording(random_stream& random, std::uint32_t workers, std::size_t count) {
  recording out = empty_recording(workers);
  for (std::uint64_t i = 0, n = random.below(5); i != n; ++i) {
    out.names.push_back({"name " + std::to_string(i), std::nullopt});
    if (random.below(2) == 0) out.names.back().colour = rgb{static_cast<std::uint8_t>(random.below(256)), 0, 255};
  }
  const auto fill = [&](std::vector<event>& list, std::uint16_t worker) {
    std::int64_t time_ns = random.below(4) == 0 ? 1'000'000 : 0;
    for (std::size_t i = 0; i != count; ++i) {
      event e;
      time_ns += static_cast<std::int64_t>(random.below(random.below(8) == 0 ? 1'000'000'000 : 300));
      e.time_ns = time_ns;
      e.worker = worker;
      e.kind = static_cast<event_kind>(random.below(k_kind_count));
      if (random.below(3) != 0) e.task = random.below(4) == 0 ? random.bits() : random.below(100);
      if (random.below(3) == 0) e.argument = random.below(4) == 0 ? random.bits() : random.below(100);
      if (random.below(3) == 0) e.detail = static_cast<std::uint32_t>(random.below(8));
      list.push_back(e);
    }
  };
  for (std::uint32_t w = 0; w != workers; ++w) fill(out.workers[w], static_cast<std::uint16_t>(w));
  fill(out.outside, k_outside);
  if (workers != 0 && count != 0 && random.below(2) == 0) add_random_usage(random, out, count);
  return out;
}

}  // namespace filch_trace_test
