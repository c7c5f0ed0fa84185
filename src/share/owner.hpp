// What the owner of a share point does with it: says which stack runs, promotes its oldest frame, wakes a sleeper.
//
// Who may call what: the thread that holds the point.
#pragma once

#include "offer_memory.hpp"
#include "share_point.hpp"

namespace filch::inline v0 {

// An offer of the oldest frame of a stack that others cannot take yet, or null: there is none, or no memory. What a
// range gives is chosen by the caller. With the point closed or visited.
[[nodiscard]] offered_task* promote_frame(share_point& at, latent_stack& stack, latent_frame* newest,
                                          offer_memory& memory) noexcept;
// It can be taken from now on.
void put_offer(share_point& at, queue_entry& made) noexcept;

class share_owner {
 public:
  explicit share_owner(share_point& of) : of_{of} {}

  // The calling thread holds the point from now on, and this is the stack that runs, or none. Requests that the one
  // before may have got are made good by looking once. The point is closed, or was held by no thread.
  void enter(latent_stack* stack, bool may_have_missed) noexcept;
  // The calling thread does not hold it any more.
  void leave() noexcept;

  // Offers the oldest latent frame of `stack`, if there is one and nothing is offered; of a range one half, or all that
  // is left. With the point closed.
  using share = detail::range_frame::share;
  bool promote_oldest(latent_stack& stack, share how = share::half) noexcept;
  // It has promoted one, with the point open.
  void announce() noexcept;
  // A request was taken, and nothing was offered for it: what lies in the cell may be for another thief, or a visitor
  // has offered the only frame before. The thread that requested may sleep.
  void defer() noexcept;

 private:
  share_point& of_;
};

}  // namespace filch::inline v0
