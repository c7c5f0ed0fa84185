// A latent frame that was promoted, or a part of a range, as thieves take it.
//
// Who may call what: `run` and `finish` the thread that has taken it; `release` each of its two holders, the frame and
// the taker, once.
#pragma once

#include "child_counter.hpp"

#include <filch/base/ids.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/range_frame.hpp>
#include <filch/share/reference_count.hpp>

#include <exception>

namespace filch::inline v0 {

struct share_point;

class offered_task final : public queue_entry, public task_record {
 public:
  offered_task(latent_frame& of, share_point& at, task_id parent_)
      : queue_entry{entry_kind::offer}, parent{parent_}, point{&at}, frame_{&of} {}

  // Runs the child, or the part, and tells the share point how long it took.
  void run() noexcept;
  // Behind run(). Not null: this stack has waited for the child, and the caller resumes it.
  [[nodiscard]] suspended_stack* finish() noexcept { return children.finish(); }
  void release() noexcept {
    if (references_.drop()) delete this;
  }
  // The frame that it is a part of; null: it is the frame's child.
  [[nodiscard]] detail::range_frame* range() const {
    return frame_->kind->run_part != nullptr ? static_cast<detail::range_frame*>(frame_) : nullptr;
  }

  const task_id parent;
  share_point* const point;  // where it was offered: its stack may have changed its worker since
  child_counter children{1};
  // Of a part.
  index_range part{0, 0};
  offered_task* older_part = nullptr;
  bool is_recorded = false;  // it is only in a recording, and in no cell
  std::exception_ptr error;  // written before finish()

 private:
  latent_frame* const frame_;
  reference_count<> references_{2};
};

}  // namespace filch::inline v0
