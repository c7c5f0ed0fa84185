// The list of a stack's latent frames, seen from its old end.
// kernel: light headers only
//
// A fork links its frame to the older one and no more. A thread that needs the oldest latent frame, or all of them,
// goes through the list from its newest end and links the frames the other way. A frame that was seen so stays seen
// until its join, which takes it out (forget): so a frame is gone over once, however often work is requested, and the
// join of a frame that was not seen does nothing.
//
//   bottom ◄─► [shared] ◄─► [recorded] ◄─► [seen] ◄── [fresh] ◄── newest
//
// `Stack` is latent_stack (include/filch/share/latent.hpp), or the model checker's. Who may call what: the thread that
// runs on the stack, with its share point closed, or a visitor; its signal handler with the share point locked.
// `newest` is what the caller has found as the newest frame.
//
//   (N1) bottom ≤ last_shared ≤ last_recorded ≤ last_seen ≤ newest in the order of the list. A visitor that comes while
//        join_latent() unlinks a seen frame finds `newest` one before `last_seen`, and perhaps before the other two.
//   (N2) The frames up to last_seen are linked both ways, and each one's `offer` is null, a number, or an offer.
//   (N3) The join limit is the address of last_seen, above all addresses if that is the bottom, or a request.
#pragma once

#include "share/request_cell.hpp"

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

// The frame behind `last`, which was seen, or null.
template <class Frame>
[[nodiscard]] Frame* frame_behind(Frame* newest, Frame* last) {
  if (newest == last || newest == last->older) return nullptr;
  return last->newer;
}

// The join limit at which joins of seen frames take the slow path.
template <class Stack>
[[nodiscard]] std::uintptr_t join_limit_of(const Stack& stack) {
  const auto* const seen = stack.last_seen.load(std::memory_order_relaxed);  // ordered by [V1]
  return seen == &stack.bottom ? Stack::k_no_join_limit : reinterpret_cast<std::uintptr_t>(seen);
}

// Joins of seen frames take the slow path from now on. A request stands: then every join does.
template <class Stack>
void watch_seen_frames(Stack& stack) {
  set_unless_requested(stack.join_limit, Stack::k_join_requested, join_limit_of(stack));
}

// The same, and no request stands any more. True: one did.
template <class A = std_atomics, class Stack>
[[nodiscard]] bool take_request(Stack& stack) {
  return take_request<A>(stack.join_limit, Stack::k_join_requested, join_limit_of(stack));
}

// Sees all frames.
template <class Stack, class Frame>
void see_frames(Stack& stack, Frame* newest) {
  Frame* const last_seen = stack.last_seen.load(std::memory_order_relaxed);  // ordered by [V1]
  if (newest == last_seen || newest == last_seen->older) return;
  for (Frame* each = newest; each != last_seen; each = each->older) {
    each->offer = nullptr;
    each->older->newer = each;
  }
  stack.last_seen.store(newest, std::memory_order_relaxed);  // ordered by [V2]
  watch_seen_frames(stack);
}

// The oldest frame that others cannot take yet, or null.
template <class Stack, class Frame>
[[nodiscard]] Frame* oldest_latent(Stack& stack, Frame* newest) {
  Frame* const shared = stack.last_shared.load(std::memory_order_relaxed);                   // ordered by [V1]
  if (shared == stack.last_seen.load(std::memory_order_relaxed)) see_frames(stack, newest);  // ordered by [V1]
  return frame_behind(newest, shared);
}

// `oldest`, which oldest_latent() found, is for others from now on.
template <class Stack, class Frame>
void share_oldest(Stack& stack, Frame& oldest) {
  if (stack.last_recorded.load(std::memory_order_relaxed) == oldest.older) {  // ordered by [V1]
    stack.last_recorded.store(&oldest, std::memory_order_relaxed);            // ordered by [V2]
  }
  stack.last_shared.store(&oldest, std::memory_order_relaxed);  // ordered by [V2]
}

// The oldest frame of which a thief can get something, or null. Spent ones count as shared: pass_if_spent(Frame&),
// which is found beside `Frame`, tells which.
template <class Stack, class Frame>
[[nodiscard]] Frame* oldest_to_give(Stack& stack, Frame* newest) {
  Frame* oldest = oldest_latent(stack, newest);
  for (; oldest != nullptr && pass_if_spent(*oldest); oldest = oldest_latent(stack, newest)) {
    share_oldest(stack, *oldest);
  }
  return oldest;
}

// The last seen frame was unlinked. True: it was shared.
template <class Stack, class Frame>
[[nodiscard]] bool forget(Stack& stack, const Frame& frame) {
  stack.last_seen.store(frame.older, std::memory_order_relaxed);  // ordered by [V2]
  watch_seen_frames(stack);
  if (stack.last_recorded.load(std::memory_order_relaxed) == &frame) {  // ordered by [V1]
    stack.last_recorded.store(frame.older, std::memory_order_relaxed);  // ordered by [V2]
  }
  if (stack.last_shared.load(std::memory_order_relaxed) != &frame) return false;  // ordered by [V1]
  stack.last_shared.store(frame.older, std::memory_order_relaxed);                // ordered by [V2]
  return true;
}

}  // namespace filch::inline v0
