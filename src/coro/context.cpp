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

using stop_nodes_told = stop_nodes<stop_node>;

// Made when somebody asks for a token.
class stop_node final : public stop_node_base<stop_node> {
 public:
  void request_stop() noexcept { (void)source_.request_stop(); }
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

  // What is requested of `other` is requested of `with`.
  void follow(context& with, std::stop_token other) noexcept;
  void follow_nobody() noexcept { followed_.reset(); }

 private:
  struct pass_on {
    context& to;
    std::stop_token followed;
    void operator()() const noexcept { to.request_stop_after(followed); }
  };

  std::stop_source source_;
  std::optional<std::stop_callback<pass_on>> followed_;
};

namespace {

void let_go(stop_node* node) noexcept {
  if (node->release()) delete node;
}

// Null: there is no memory for it.
stop_node* make_node() noexcept {
  try {
    return new stop_node;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Tells nodes of a request. What is called may request further stops. Where it is a context that follows the token of
// another one, its nodes are told inside the call, since a callback that comes next may wait for them; but in a long
// chain of such contexts after the call, so that the chain takes little stack. Its points are marked at once.
class telling {
 public:
  explicit telling(stop_nodes_told told) noexcept
      : told_{told},
        stack_{current_latent_stack()},
        outer_{std::exchange(innermost, this)},
        depth_{outer_ != nullptr ? outer_->depth_ + 1 : 0} {
    if (stack_ != nullptr) ++stack_->stays;  // whoever is called and waits comes back to this thread
  }
  telling(const telling&) = delete;
  telling& operator=(const telling&) = delete;
  // While a callback waits its thread may run other stacks, and what they tell may end later than this.
  ~telling() {
    telling** here = &innermost;
    while (*here != this) here = &(*here)->outer_;
    *here = outer_;
    if (stack_ != nullptr) --stack_->stays;
  }

  void run() noexcept {
    while (stop_node* const node = told_.pop()) {
      now_ = node->token();
      node->request_stop();
      let_go(node);
    }
  }

  // Called because of `followed`. False: the caller tells them, as the chain is short, or this thread is not telling
  // that token.
  [[nodiscard]] static bool put_off(stop_nodes_told told, const std::stop_token& followed) noexcept {
    if (innermost == nullptr || innermost->depth_ < k_deepest || innermost->now_ != followed) return false;
    innermost->told_.add(told);
    return true;
  }

 private:
  static constexpr std::uint32_t k_deepest = 32;  // guess

  stop_nodes_told told_;
  std::stop_token now_;
  latent_stack* const stack_;
  telling* outer_;
  const std::uint32_t depth_;  // how many have begun before it on this thread and have not ended, or more

  static constinit thread_local telling* innermost;  // the last that has begun on this thread and has not ended
};
constinit thread_local telling* telling::innermost = nullptr;

// Nodes that are told by a task of their own.
class told_apart final : public task_base {
 public:
  explicit told_apart(stop_nodes_told told) noexcept : task_base{1}, told_{told} {
    ignores_shutdown = true;  // tasks wait for what is told
  }

  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_frame_or_null(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

  [[nodiscard]] const char* label() const noexcept override { return "request to stop"; }

 private:
  void run() noexcept override { telling{told_}.run(); }
  void abandon() noexcept override {}

  const stop_nodes_told told_;
};

// False: there is no memory for it.
bool tell_apart(stop_nodes_told told) noexcept {
  auto* const made = new (std::nothrow) told_apart{told};
  if (made == nullptr) return false;
  try {
    port::enqueue(port::here(), *made);
  } catch (const std::bad_alloc&) {
    return false;  // the deque could not grow; the task is gone
  }
  return true;
}

}  // namespace

void stop_node::follow(context& with, std::stop_token other) noexcept {
  pass_on call{with, other};
  followed_.emplace(std::move(other), std::move(call));
}

context::~context() {
  stop_node* const node = stop_.look().node;
  if (node == nullptr) return;
  node->follow_nobody();
  let_go(node);
}

void context::request_stop() noexcept {
  const auto told = stop_.request();
  if (!told.is_empty()) telling{told}.run();
}

void context::request_stop_apart() noexcept {
  const auto told = stop_.request();
  if (!told.is_empty() && !tell_apart(told)) telling{told}.run();
}

void context::request_stop_after(const std::stop_token& followed) noexcept {
  const auto told = stop_.request();
  if (!told.is_empty() && !telling::put_off(told, followed)) telling{told}.run();
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
