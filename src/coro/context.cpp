#include <filch/coro/context.hpp>

#include "runtime/port.hpp"

#include <filch/coro/detail/frame_memory.hpp>
#include <filch/share/latent.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace filch::inline v0::coro {

using stop_node_list = stop_nodes<stop_node>;

// Made by the first call of stop_token() or follow().
class stop_node final : public stop_node_base<stop_node> {
 public:
  void request_stop() noexcept { (void)source_.request_stop(); }
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

  // From now on a stop requested of `other` is also requested of `with`.
  void follow(context& with, std::stop_token other) noexcept;
  void follow_nobody() noexcept { followed_.reset(); }

 private:
  struct forward {
    context& to;
    std::stop_token followed;
    void operator()() const noexcept { to.request_stop_from(followed); }
  };

  std::stop_source source_;
  std::optional<std::stop_callback<forward>> followed_;
};

namespace {

void release(stop_node* node) noexcept {
  if (node->release()) delete node;
}

// Null: there is no memory.
stop_node* make_node() noexcept {
  try {
    return new stop_node;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Notifies the nodes that a request returned. The callbacks may request further stops. A context that follows a token
// requests its own stop inside such a callback: it marks its points at once and normally notifies its nodes inside the
// callback too, because the next callback of the token may wait for them. In a long chain of such contexts it hands its
// nodes to the enclosing delivery instead, so that the chain takes little stack.
class stop_delivery {
 public:
  explicit stop_delivery(stop_node_list to_notify) noexcept
      : to_notify_{to_notify},
        stack_{current_latent_stack()},
        outer_{std::exchange(innermost, this)},
        depth_{outer_ != nullptr ? outer_->depth_ + 1 : 0} {
    if (stack_ != nullptr) ++stack_->stays;  // a callback that waits resumes on this thread
  }
  stop_delivery(const stop_delivery&) = delete;
  stop_delivery& operator=(const stop_delivery&) = delete;
  // While a callback waits, its thread may run other stacks, whose deliveries may end later than this one: so this is
  // not always the innermost.
  ~stop_delivery() {
    stop_delivery** here = &innermost;
    while (*here != this) here = &(*here)->outer_;
    *here = outer_;
    if (stack_ != nullptr) --stack_->stays;
  }

  void run() noexcept {
    while (stop_node* const node = to_notify_.pop()) {
      now_ = node->token();
      node->request_stop();
      release(node);
    }
  }

  // Hands the nodes of a request that the token `followed` caused to the innermost delivery. False: the chain is short,
  // or this thread is not notifying that token; the caller then notifies the nodes itself.
  [[nodiscard]] static bool defer(stop_node_list to_notify, const std::stop_token& followed) noexcept {
    if (innermost == nullptr || innermost->depth_ < k_deepest || innermost->now_ != followed) return false;
    innermost->to_notify_.add(to_notify);
    return true;
  }

 private:
  static constexpr std::uint32_t k_deepest = 32;  // guess

  stop_node_list to_notify_;
  std::stop_token now_;
  latent_stack* const stack_;
  stop_delivery* outer_;
  const std::uint32_t depth_;  // at least the number of deliveries that enclose this one on this thread

  static constinit thread_local stop_delivery* innermost;  // of the unfinished ones on this thread, the last to begin
};
constinit thread_local stop_delivery* stop_delivery::innermost = nullptr;

// A task that notifies nodes.
class deferred_delivery final : public task_base {
 public:
  explicit deferred_delivery(stop_node_list to_notify) noexcept : task_base{1}, to_notify_{to_notify} {
    ignores_shutdown = true;  // tasks wait for the callbacks
  }

  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_frame_or_null(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

  [[nodiscard]] const char* label() const noexcept override { return "request to stop"; }

 private:
  void run() noexcept override { stop_delivery{to_notify_}.run(); }
  void abandon() noexcept override {}

  const stop_node_list to_notify_;
};

// False: there is no memory for the task.
bool deliver_later(stop_node_list to_notify) noexcept {
  auto* const made = new (std::nothrow) deferred_delivery{to_notify};
  if (made == nullptr) return false;
  try {
    port::enqueue(port::here(), *made);
  } catch (const std::bad_alloc&) {
    return false;  // the deque could not grow; enqueue() has destroyed the task
  }
  return true;
}

}  // namespace

void stop_node::follow(context& with, std::stop_token other) noexcept {
  forward call{with, other};
  followed_.emplace(std::move(other), std::move(call));
}

context::~context() {
  stop_node* const node = stop_.look().node;
  if (node == nullptr) return;
  node->follow_nobody();
  release(node);
}

void context::request_stop() noexcept {
  const auto to_notify = stop_.request();
  if (!to_notify.is_empty()) stop_delivery{to_notify}.run();
}

void context::request_stop_deferred() noexcept {
  const auto to_notify = stop_.request();
  if (!to_notify.is_empty() && !deliver_later(to_notify)) stop_delivery{to_notify}.run();
}

void context::request_stop_from(const std::stop_token& followed) noexcept {
  const auto to_notify = stop_.request();
  if (!to_notify.is_empty() && !stop_delivery::defer(to_notify, followed)) stop_delivery{to_notify}.run();
}

std::stop_token context::stop_token() noexcept {
  const auto now = stop_.look();
  if (now.node != nullptr) return now.node->token();
  if (now.is_final && !now.is_requested) return {};
  stop_node* const made = make_node();
  if (made == nullptr) return {};
  stop_node* const holds = stop_.publish(*made);
  if (holds != made) delete made;
  return holds->token();
}

void context::follow(std::stop_token other) {
  stop_node* const made = make_node();
  if (made == nullptr) throw std::bad_alloc();
  stop_.publish(*made)->follow(*this, std::move(other));
}

}  // namespace filch::inline v0::coro
