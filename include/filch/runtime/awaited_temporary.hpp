// Guards against a fault of g++ before 13: what a lambda captures, or an aggregate holds, is destroyed twice if the
// lambda or the aggregate is made inside a co_await and the member has a destructor.
//
//   co_await rt.submit([text] { return text.size(); });        does not compile there, and the message says why
//
//   filch::future size = rt.submit([text] { return text.size(); });
//   co_await std::move(size);                                  right with every compiler
//
// A function that takes a function and returns something to await returns `awaitable_of`: a type that refuses to be
// awaited if the function may be such a temporary. With other compilers it is the plain type. Options that own
// something hold it in a type that is destroyed once, with every compiler, so that all agree on the layout. The guide
// says what cannot be refused (docs/guide/coroutines.md).
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

namespace filch::inline v0::detail {

// ---- functions -----------------------------------------------------------------------------------------------------

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13

// Also true of a type that is made from a lambda, as std::bind makes one: the lambda is a temporary, too.
template <class F>
consteval bool is_made_of_lambda() {
  return std::string_view{__PRETTY_FUNCTION__}.find("<lambda(") != std::string_view::npos;
}

// What a constructor or a function has made is destroyed once: only lambdas and aggregates are copied bit by bit.
template <class F>
inline constexpr bool may_be_destroyed_twice = [] {
  if constexpr (std::is_reference_v<F> || std::is_trivially_destructible_v<F>) return false;
  else return std::is_aggregate_v<F> || is_made_of_lambda<F>();
}();

// Everything that an Awaitable is, but for being awaited. Converted to one it can be: by then the temporaries of the
// expression that made it are gone.
template <class Awaitable>
class [[nodiscard]] stored_before_awaited : public Awaitable {
 public:
  explicit stored_before_awaited(Awaitable&& plain) : Awaitable{std::move(plain)} {}

  // Its type is written out: whether there is one can be asked without being refused.
  template <class Self = Awaitable>
  Awaitable operator co_await() && {
    static_assert(!std::is_same_v<Self, Awaitable>,
                  "filch: g++ before version 13 destroys the captures of a lambda twice if the lambda is made inside a "
                  "co_await. Store first, with the template named and not with auto "
                  "(filch::future f = rt.submit(...); or filch::task t = filch::async_scope(...);), then co_await "
                  "std::move(f)");
    return static_cast<Awaitable&&>(*this);
  }
};

// The result of a function that was given an F, and returns an Awaitable.
template <class Awaitable, class F>
using awaitable_of = std::conditional_t<may_be_destroyed_twice<F>, stored_before_awaited<Awaitable>, Awaitable>;

template <class T>
struct stored_type {
  using type = T;
};
template <class Awaitable>
struct stored_type<stored_before_awaited<Awaitable>> {
  using type = Awaitable;
};
// What a T is stored as before it is awaited.
template <class T>
using stored_as = typename stored_type<T>::type;

#else

template <class Awaitable, class F>
using awaitable_of = Awaitable;
template <class T>
using stored_as = T;

#endif

// ---- options -------------------------------------------------------------------------------------------------------

// A stop token as a member of an aggregate. The fault makes the member elsewhere, copies its bits into the aggregate
// and destroys both: the one that does not lie where it was constructed is the copy, and owns nothing.
class stop_option {
 public:
  stop_option() : stop_option{std::stop_token{}} {}
  // Implicit: an option is written as a stop token.
  stop_option(std::stop_token token) noexcept : token_{std::move(token)} {}
  stop_option(const stop_option& other) noexcept : token_{other.token_} {}
  stop_option(stop_option&& other) noexcept : token_{std::move(other.token_)} {}
  stop_option& operator=(const stop_option& other) noexcept {
    token_ = other.token_;
    return *this;
  }
  stop_option& operator=(stop_option&& other) noexcept {
    token_ = std::move(other.token_);
    return *this;
  }
  ~stop_option() {
    if (made_at_ == this) std::destroy_at(&token_);
  }

  operator const std::stop_token&() const noexcept { return token_; }
  [[nodiscard]] bool stop_requested() const noexcept { return token_.stop_requested(); }
  [[nodiscard]] bool stop_possible() const noexcept { return token_.stop_possible(); }

 private:
  union {
    std::stop_token token_;
  };
  const stop_option* made_at_ = this;
};

}  // namespace filch::inline v0::detail
