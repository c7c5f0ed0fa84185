// Something of which a limited number of processes can hold a share at a time.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/sim/environment.hpp>
#include <filch/sim/wait_list.hpp>

#include <cstdint>

namespace filch::inline v0::sim {

class resource {
 public:
  // A share of a resource, given back when it is destroyed. It may outlive the resource.
  class [[nodiscard]] hold : public list_link {
   public:
    hold(hold&& other) noexcept : of_{other.of_} {
      if (!other.is_linked()) return;
      link_before(other);
      other.unlink();
    }
    hold& operator=(hold&&) = delete;
    ~hold() { release(); }

    // Gives it back early.
    void release() noexcept {
      if (!is_linked()) return;
      unlink();
      of_->returned();
    }

   private:
    friend class resource;
    explicit hold(resource& of) : of_{&of} { link_before(of.holds_); }

    resource* of_;
  };

  explicit resource(std::uint32_t shares) : free_{shares} { FILCH_ASSERT(shares >= 1, shares); }
  ~resource() { holds_.dissolve(); }

  // auto held = co_await resource.acquire(): continues at once when a share is free. Waiters are served by rank, the
  // lowest first, and within a rank in the order in which they came.
  [[nodiscard]] auto acquire(std::int32_t rank = 0) { return acquiring{*this, rank}; }

  [[nodiscard]] std::uint32_t free_shares() const { return free_; }

 private:
  class acquiring : public wait_node {
   public:
    acquiring(resource& of, std::int32_t rank) : of_{&of}, rank_{rank} {}

    [[nodiscard]] bool await_ready() {
      if (of_->free_ == 0) return false;
      --of_->free_;
      return granted_ = true;
    }
    void await_suspend(process::handle frame) { stand_before(of_->place_of(rank_), frame.promise()); }
    hold await_resume() {
      finish();
      granted_ = false;
      return hold{*of_};
    }
    void give_up() noexcept override {
      unlink();
      if (granted_) of_->returned();
      granted_ = false;
    }

   private:
    friend class resource;
    resource* of_;
    std::int32_t rank_;
    bool granted_ = false;
  };

  // Before the first of a higher rank.
  [[nodiscard]] list_link& place_of(std::int32_t rank) {
    list_link* at = &line_.end().next();
    while (at != &line_.end() && static_cast<acquiring&>(*at).rank_ <= rank) at = &at->next();
    return *at;
  }

  void returned() noexcept {
    if (line_.is_empty()) {
      ++free_;
      return;
    }
    auto& next = static_cast<acquiring&>(line_.first());
    next.granted_ = true;
    next.wake();
  }

  std::uint32_t free_;
  wait_list line_;
  list_link holds_;
};

}  // namespace filch::inline v0::sim
