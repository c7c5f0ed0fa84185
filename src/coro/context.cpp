#include <filch/coro/context.hpp>

#include <new>
#include <optional>
#include <utility>

namespace filch::inline v0::coro {

// Made when somebody asks for a token.
class stop_node {
 public:
  // What requests a stop above requests it here.
  explicit stop_node(std::stop_token above) {
    if (above.stop_possible()) above_.emplace(std::move(above), pass_on{*this});
  }

  void request_stop() noexcept { (void)source_.request_stop(); }
  [[nodiscard]] bool is_stop_requested() const noexcept { return source_.stop_requested(); }
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  struct pass_on {
    stop_node& to;
    void operator()() const noexcept { to.request_stop(); }
  };

  std::stop_source source_;
  std::optional<std::stop_callback<pass_on>> above_;
};

context::~context() { delete stop_.look().node; }

void context::request_stop() noexcept {
  if (stop_node* const told = stop_.request()) told->request_stop();
}

bool context::is_requested_of(const stop_node& node) noexcept { return node.is_stop_requested(); }

std::stop_token context::stop_token() noexcept {
  // [N12] acquire load: whoever sees that nobody can request a stop any more sees the requests before that ← [N11].
  const bool nobody_can = is_unstoppable_.load(std::memory_order_acquire);
  const auto now = stop_.look();
  if (now.node != nullptr) return now.node->token();
  if (nobody_can && above_ == nullptr && !now.is_requested) return {};
  try {
    follow(above_ != nullptr ? above_->stop_token() : std::stop_token{});
  } catch (const std::bad_alloc&) {
    return {};
  }
  const stop_node* const holds = stop_.look().node;
  return holds != nullptr ? holds->token() : std::stop_token{};
}

void context::follow(std::stop_token other) {
  auto* const made = new stop_node{std::move(other)};
  if (stop_.publish(*made) != made) delete made;
}

}  // namespace filch::inline v0::coro
