// The timers of a runtime as one wait source: a shard for each worker and one for all external threads.
//
// Who may call what: any thread. A timer is started in the shard of the calling thread; any thread may cancel it.
#pragma once

#include "time/timer_shard.hpp"
#include "time/timer_wheel.hpp"

#include <filch/base/units.hpp>
#include <filch/park/wait_source.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/time/detail/timer_node.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace filch::inline v0::time {

class timers final : public park::wait_source {
 public:
  using shard = timer_shard<timer_wheel<timer_node>>;

  explicit timers(runtime::core& home);

  // The timers of that runtime.
  [[nodiscard]] static timers& of(runtime::core& home);

  // The shard for the calling thread's timers.
  [[nodiscard]] shard& own_shard() const;

  // Starts a timer, which may be fired at any moment from then on; the caller does not touch it afterwards. False: the
  // timer was cancelled before, or the runtime ends; the timer is not fired and stays with the caller.
  [[nodiscard]] bool start(timer_node& timer, shard& at) const;

  bool poll(time_ns now_ns) override;
  [[nodiscard]] time_ns deadline_ns() const override;
  void cancel_waits() noexcept override;
  [[nodiscard]] std::string describe() const override;

 private:
  runtime::core& home_;
  const std::uint32_t shard_count_;
  const std::unique_ptr<shard[]> shards_;
};

}  // namespace filch::inline v0::time
