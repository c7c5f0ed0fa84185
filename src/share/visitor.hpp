// A visit: a thread takes from an owner that does not come to a fork or a join, and puts it into the owner's cell.
//
// Who may call what: any thread but the owner; several at a time lose nothing.
#pragma once

#include "offer_memory.hpp"
#include "share_point.hpp"

namespace filch::inline v0 {

class share_visitor {
 public:
  explicit share_visitor(share_point& of) : of_{of} {}

  // Offers the oldest frame there, of a loop the upper half, or a child of a coroutine, or a ready coroutine. True:
  // something is offered now. If nothing was found the request stands: the next fork or join answers.
  bool visit() noexcept;

 private:
  [[nodiscard]] queue_entry* visit_locked(offer_memory& memory) noexcept;
  [[nodiscard]] queue_entry* take_frame(offer_memory& memory) noexcept;
  [[nodiscard]] queue_entry* take_coroutine() noexcept;

  share_point& of_;
};

}  // namespace filch::inline v0
