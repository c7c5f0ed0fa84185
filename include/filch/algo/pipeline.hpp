// pipeline: items flow through stages, some one at a time and in order, others several at a time.
//
//   filch::pipeline(8, read_line, filch::parallel(parse), filch::serial(write));
//
// The source gives a std::optional, empty at the end, or is a range; it is asked by one thread at a time. Each stage
// gets what the one before returned; what the last returns is dropped. A serial stage sees the items in the order of
// the source, one at a time; a parallel stage may see several at the same time, in any order. At most `tokens` items
// are between the source and the end at any time.
//
// Who may call what: any thread; it returns when all items have gone through. When the source or a stage throws,
// nothing more is read and no stage is called any more; when all that run have ended, items on their way are destroyed
// and the first exception is rethrown.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/base/atomics.hpp>
#include <filch/fork/scope.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

// Stages, as serial() and parallel() make them.
template <class F>
struct serial_stage {
  static constexpr bool k_is_serial = true;
  F function;
};
template <class F>
struct parallel_stage {
  static constexpr bool k_is_serial = false;
  F function;
};

template <class F>
[[nodiscard]] serial_stage<std::decay_t<F>> serial(F&& function) {
  return {std::forward<F>(function)};
}
template <class F>
[[nodiscard]] parallel_stage<std::decay_t<F>> parallel(F&& function) {
  return {std::forward<F>(function)};
}

// Made by filch::serial(f) or filch::parallel(f).
template <class S>
concept pipeline_stage = requires(std::remove_cvref_t<S>& stage) {
  { std::bool_constant<std::remove_cvref_t<S>::k_is_serial>{} };
  stage.function;
};
// A function that returns a std::optional.
template <class S>
concept pipeline_source = requires(S& source) {
  requires std::same_as<std::invoke_result_t<S&>, std::optional<typename std::invoke_result_t<S&>::value_type>>;
};

namespace algo::detail {

// Can an item of type T go through all stages?
template <class T, class... Stages>
inline constexpr bool k_fits = true;
template <class T, class Stage, class... Rest>
inline constexpr bool k_fits<T, Stage, Rest...> = [] {
  using function = decltype(Stage::function);
  if constexpr (!std::invocable<function&, T>) return false;
  else if constexpr (sizeof...(Rest) == 0) return true;
  else if constexpr (std::is_void_v<std::invoke_result_t<function&, T>>) return false;
  else return k_fits<std::decay_t<std::invoke_result_t<function&, T>>, Rest...>;
}();

}  // namespace algo::detail

// The first stage accepts an item of type T, each other stage what the one before returns, which must be something.
template <class T, class... Stages>
concept stages_fit_together = algo::detail::k_fits<T, std::remove_cvref_t<Stages>...>;

namespace algo::detail {

// Where items wait that reach a serial stage before their turn.
template <class T>
class waiting_room {
 public:
  // True: it is this item's turn. Otherwise the item stays here, and the thread that ends the item before takes it out.
  [[nodiscard]] bool enter(std::size_t number, T& item) {
    const std::lock_guard lock{mutex_};
    if (number == turn_) return true;
    const std::size_t place = number - turn_ - 1;
    if (place >= early_.size()) early_.resize(place + 1);
    early_[place].emplace(std::move(item));
    return false;
  }
  // The stage is free. Returns the next item if it waits.
  [[nodiscard]] std::optional<T> leave() {
    const std::lock_guard lock{mutex_};
    ++turn_;
    if (early_.empty()) return std::nullopt;
    std::optional<T> next = std::move(early_.front());
    early_.pop_front();
    return next;
  }

 private:
  std::mutex mutex_;
  // Guarded by mutex_. Place i is that of the item i + 1 behind the item whose turn it is.
  std::size_t turn_ = 0;
  std::deque<std::optional<T>> early_;
};
struct no_waiting_room {};

// One room for each stage, named by pointers, since rooms cannot be moved. T is what the first stage gets.
template <class T, class... Stages>
struct rooms_of {
  using type = std::tuple<>;
};
template <class T, class Stage, class... Rest>
struct rooms_of<T, Stage, Rest...> {
  using output = std::invoke_result_t<decltype(Stage::function)&, T>;
  using room = std::conditional_t<Stage::k_is_serial, waiting_room<T>, no_waiting_room>;
  using type = decltype(std::tuple_cat(std::declval<std::tuple<room*>>(),
                                       std::declval<typename rooms_of<std::decay_t<output>, Rest...>::type>()));
};

// Makes the rooms that a tuple of pointers names.
template <class Pointers>
struct made_rooms;
template <class... Rooms>
struct made_rooms<std::tuple<Rooms*...>> {
  std::tuple<Rooms...> rooms;
};

template <class Source, class... Stages>
class pipe {
 public:
  using first_item = typename std::invoke_result_t<Source&>::value_type;

  pipe(std::size_t tokens, Source& source, Stages&... stages) : tokens_{tokens}, source_{source}, stages_{stages...} {}

  void run() {
    filch::scope([this](scope_handle& tasks) {
      tasks_ = &tasks;
      read_and_carry();
    });
  }

 private:
  // Reads an item and carries it as far as it goes. If more items may be under way, another thread reads the next.
  void read_and_carry() {
    bool reads_again = true;
    while (reads_again) {
      std::optional<first_item> item = guarded([this] { return std::invoke(source_); });
      std::unique_lock lock{mutex_};
      if (!item.has_value() || is_stopped()) {
        has_ended_ = true;
        return;
      }
      const std::size_t number = read_++;
      ++on_their_way_;
      is_reading_ = on_their_way_ < tokens_;
      const bool hands_on = is_reading_;
      lock.unlock();
      if (hands_on) tasks_->spawn([this] { read_and_carry(); });
      reads_again = carry<0>(number, std::move(*item));
    }
  }

  // Takes an item through the stages from `At` on. True: it has gone through, and the caller shall read.
  template <std::size_t At, class T>
  [[nodiscard]] bool carry(std::size_t number, T item) {
    if constexpr (At == sizeof...(Stages)) {
      return retire();
    } else {
      auto& stage = std::get<At>(stages_);
      if constexpr (std::remove_cvref_t<decltype(stage)>::k_is_serial) {
        if (!guarded([&] { return std::get<At>(rooms_.rooms).enter(number, item); })) return false;
      }
      if (is_stopped()) return false;
      const auto call = [&]() -> decltype(auto) { return std::invoke(stage.function, std::move(item)); };
      if constexpr (At + 1 == sizeof...(Stages)) {
        guarded([&] { (void)call(); });
        let_next_in<At>(number);
        return retire();
      } else {
        auto result = guarded(call);
        let_next_in<At>(number);
        return carry<At + 1>(number, std::move(result));
      }
    }
  }

  template <std::size_t At>
  void let_next_in(std::size_t number) {
    if constexpr (std::remove_cvref_t<decltype(std::get<At>(stages_))>::k_is_serial) {
      auto next = std::get<At>(rooms_.rooms).leave();
      if (!next.has_value()) return;
      // its turn has come: the room lets it pass
      tasks_->spawn([this, number, item = std::move(*next)]() mutable {
        if (carry<At>(number + 1, std::move(item))) read_and_carry();
      });
    }
  }
  [[nodiscard]] bool retire() {
    const std::lock_guard lock{mutex_};
    --on_their_way_;
    if (is_reading_ || has_ended_) return false;
    is_reading_ = true;
    return true;
  }

  template <class F>
  decltype(auto) guarded(F&& function) {
    try {
      return function();
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);  // statistic
      throw;
    }
  }
  [[nodiscard]] bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }  // statistic

  using rooms = made_rooms<typename rooms_of<first_item, std::remove_cvref_t<Stages>...>::type>;

  const std::size_t tokens_;
  Source& source_;
  std::tuple<Stages&...> stages_;
  rooms rooms_;
  scope_handle* tasks_ = nullptr;
  std_atomics::atomic<bool> stopped_{false};

  std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t read_ = 0;          // items
  std::size_t on_their_way_ = 0;  // items
  bool is_reading_ = true;        // a thread reads or is about to
  bool has_ended_ = false;
};

}  // namespace algo::detail

// Throws std::invalid_argument when `tokens` is 0.
template <pipeline_source Source, pipeline_stage... Stages>
  requires(sizeof...(Stages) > 0) && stages_fit_together<typename std::invoke_result_t<Source&>::value_type, Stages...>
void pipeline(std::size_t tokens, Source&& source, Stages&&... stages) {
  if (tokens == 0) throw std::invalid_argument("filch::pipeline: tokens is 0; allowed are 1 and more");
  algo::detail::pipe<std::remove_reference_t<Source>, std::remove_reference_t<Stages>...>{tokens, source, stages...}
      .run();
}
template <std::ranges::input_range R, pipeline_stage... Stages>
  requires(sizeof...(Stages) > 0) && stages_fit_together<std::ranges::range_value_t<R>, Stages...>
void pipeline(std::size_t tokens, R&& range, Stages&&... stages) {
  auto next = std::ranges::begin(range);
  const auto end = std::ranges::end(range);
  bool is_first = true;
  filch::pipeline(
      tokens,
      [&]() -> std::optional<std::ranges::range_value_t<R>> {
        if (!std::exchange(is_first, false)) ++next;
        if (next == end) return std::nullopt;
        return *next;
      },
      std::forward<Stages>(stages)...);
}

}  // namespace filch::inline v0
