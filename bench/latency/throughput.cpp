// What a task costs from its creation to its end, when a worker or an outside thread makes many small ones. The tasks
// only count themselves; the time goes from the first creation to the end of the last task.
#include "program.hpp"

#include <filch/runtime/runtime.hpp>

#include <atomic>
#include <semaphore>

namespace filch_bench {
namespace {

constexpr int k_repetitions = 5;

class throughput {
 public:
  throughput(std::uint32_t workers, std::uint64_t tasks) : tasks_{tasks}, rt_{{.workers = workers}} {}

  metrics from_worker() {
    return measure([this] {
      rt_.spawn([this] {
        for (std::uint64_t i = 0; i != tasks_; ++i) rt_.spawn([this] { finish_one(); });
      });
    });
  }
  metrics from_outside() {
    return measure([this] {
      for (std::uint64_t i = 0; i != tasks_; ++i) (void)rt_.submit([this] { finish_one(); });
    });
  }

 private:
  template <class Make>
  metrics measure(const Make& make) {
    const auto once = [&] {
      left_.store(tasks_, std::memory_order_relaxed);  // before publication
      make();
      done_.acquire();
    };
    return repeat(k_repetitions, tasks_, once, [] {});
  }

  void finish_one() {
    if (left_.fetch_sub(1, std::memory_order_relaxed) == 1) done_.release();  // statistic
  }

  const std::uint64_t tasks_;
  std::atomic<std::uint64_t> left_{0};
  std::binary_semaphore done_{0};
  filch::runtime rt_;  // the last member: its destructor waits for the tasks, which use the others
};

}  // namespace

void add_throughput(std::vector<measurement>& all) {
  all.push_back({"spawn_inside_1/filch", [](std::uint64_t tasks) { return throughput{1, tasks}.from_worker(); }});
  all.push_back({"submit_outside_1/filch", [](std::uint64_t tasks) { return throughput{1, tasks}.from_outside(); }});
  all.push_back({"spawn_inside_2/filch", [](std::uint64_t tasks) { return throughput{2, tasks}.from_worker(); }});
  all.push_back({"submit_outside_2/filch", [](std::uint64_t tasks) { return throughput{2, tasks}.from_outside(); }});
}

}  // namespace filch_bench
