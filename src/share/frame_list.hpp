// The list of a stack's latent frames, seen from its old end.
//
// A fork links its frame to the older one and no more. Whoever wants the oldest latent frame, or all of them, goes
// through the list from its newest end and links the frames the other way. A frame that was seen so stays seen until
// its join, which tells the list (forget): so a frame is gone over once, however often somebody asks, and a join of one
// that nobody has seen does nothing.
//
//   bottom ◄─► [shared] ◄─► [noted] ◄─► [seen] ◄── [fresh] ◄── newest
//
// Who may call what: the thread that runs on the stack, with its share point closed, or one who visits it; its signal
// handler with the share point locked. `newest` is what the caller has found as the newest frame.
//
//   (N1) bottom ≤ last_shared ≤ last_recorded ≤ last_seen ≤ newest in the order of the list. One who comes while
//        join_latent() unlinks a seen frame finds `newest` one before `last_seen`, and perhaps before the other two.
//   (N2) The frames up to last_seen are linked both ways, and each one's `offer` is null, a number, or an offer.
//   (N3) The watch is the address of last_seen, above all addresses if that is the bottom, or asks.
#pragma once

#include "request_cell.hpp"

#include <filch/share/range_frame.hpp>
#include <filch/share/latent.hpp>

#include <atomic>
#include <cstdint>

namespace filch::inline v0 {

// The frame behind `last`, which was seen, or null.
[[nodiscard]] inline latent_frame* frame_behind(const latent_frame* newest, const latent_frame* last) {
  return newest == last || newest == last->older ? nullptr : last->newer;
}

// What is to be watched so that joins of seen frames are heard.
[[nodiscard]] inline std::uintptr_t join_limit_of(const latent_stack& stack) {
  const latent_frame* const seen = stack.last_seen.load(std::memory_order_relaxed);  // ordered by [V1]
  return seen == &stack.bottom ? latent_stack::k_no_join_limit : reinterpret_cast<std::uintptr_t>(seen);
}

// Joins of seen frames are heard from now on. A request stands: then every join is.
inline void watch_seen_frames(latent_stack& stack) {
  set_unless_requested(stack.join_limit, latent_stack::k_join_requested, join_limit_of(stack));
}

// The same, and no request stands any more. True: one did.
[[nodiscard]] inline bool take_request(latent_stack& stack) {
  return take_request(stack.join_limit, latent_stack::k_join_requested, join_limit_of(stack));
}

// Sees all frames.
inline void see_frames(latent_stack& stack, latent_frame* newest) {
  latent_frame* const last_seen = stack.last_seen.load(std::memory_order_relaxed);  // ordered by [V1]
  if (newest == last_seen || newest == last_seen->older) return;
  for (latent_frame* each = newest; each != last_seen; each = each->older) {
    each->offer = nullptr;
    each->older->newer = each;
  }
  stack.last_seen.store(newest, std::memory_order_relaxed);  // ordered by [V2]
  watch_seen_frames(stack);
}

// The oldest frame that others cannot take yet, or null.
[[nodiscard]] inline latent_frame* oldest_latent(latent_stack& stack, latent_frame* newest) {
  const latent_frame* const shared = stack.last_shared.load(std::memory_order_relaxed);      // ordered by [V1]
  if (shared == stack.last_seen.load(std::memory_order_relaxed)) see_frames(stack, newest);  // ordered by [V1]
  return frame_behind(newest, shared);
}

// `oldest`, which oldest_latent() found, is for others from now on.
inline void share_oldest(latent_stack& stack, latent_frame& oldest) {
  if (stack.last_recorded.load(std::memory_order_relaxed) == oldest.older) {  // ordered by [V1]
    stack.last_recorded.store(&oldest, std::memory_order_relaxed);            // ordered by [V2]
  }
  stack.last_shared.store(&oldest, std::memory_order_relaxed);  // ordered by [V2]
}

// The oldest frame of which a thief can get something, or null. Ranges of which too little is left count as shared.
[[nodiscard]] inline latent_frame* oldest_to_give(latent_stack& stack, latent_frame* newest) {
  latent_frame* oldest = oldest_latent(stack, newest);
  for (; oldest != nullptr && oldest->kind->run_part != nullptr; oldest = oldest_latent(stack, newest)) {
    auto& range = static_cast<detail::range_frame&>(*oldest);
    if (!range.is_passed() && range.can_divide()) return oldest;
    range.pass();
    share_oldest(stack, *oldest);
  }
  return oldest;
}

// The last seen frame was unlinked. True: it was shared.
[[nodiscard]] inline bool forget(latent_stack& stack, const latent_frame& frame) {
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
