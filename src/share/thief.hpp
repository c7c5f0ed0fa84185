// What a thread does that wants work of another one: requests it, defers the request, takes an offer.
//
// Who may call what: any thread.
#pragma once

#include "share_point.hpp"

#include <filch/base/units.hpp>

namespace filch::inline v0 {

class share_thief {
 public:
  explicit share_thief(share_point& of) : of_{of} {}

  // The owner shall offer something at its next fork, join or turn of a coroutine. True: it has something to offer, and
  // nothing is offered.
  bool request() const {
    if (of_.coroutines != nullptr) of_.coroutines->request_work();
    of_.requests.request(of_.rules);
    return withholds(of_);
  }
  // The same by a worker that is about to sleep. Where the throttle forbids it, the request is deferred.
  void request_before_sleep(time_ns now_ns) const {
    if (of_.throttle.value().may_wake(now_ns)) (void)request();
    else of_.requests.defer();
  }
  // Makes a deferred request, if the throttle allows it. True: it has requested.
  bool flush(time_ns now_ns) const { return of_.throttle.value().may_wake(now_ns) && flush_now(); }
  bool flush_now() const {
    if (!of_.requests.take_deferred()) return false;
    (void)request();
    return true;
  }
  // Null: another thread was quicker, or nothing is offered.
  [[nodiscard]] queue_entry* take() const { return of_.offers.take(); }

 private:
  share_point& of_;
};

}  // namespace filch::inline v0
