// The timers of a runtime: a shard for each worker and one for all other threads, as one wait source.
//
// Who may call what: any thread; a shard is given to the thread that asks for it, and any thread may cancel there.
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

  // Those of that runtime.
  [[nodiscard]] static timers& of(runtime::core& home);

  // Where the calling thread's timers go.
  [[nodiscard]] shard& own_shard() const;

  // Starts it. From then on it may be fired at any moment; the caller touches it only if the answer is false: then it
  // was cancelled before, or the runtime ends, and is not fired.
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
