// The choices a scheduler has, as enumerations with the names that the command line and the reports use.
//
// Every enumeration E below has `names<E>`: the option's name and all value names in the order of the enumerators.
// From it come `to_string(value)` and `parse<E>(text)`; a failed parse says which names exist and which is nearest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace filch::inline v0::policy {

// In which order a thief visits the other workers. victim.hpp carries it out.
enum class victims : std::uint8_t {
  random,        // a random order without repetition, drawn lazily
  random_probe,  // independent uniform draws; a victim may come twice
  round_robin,   // by number, continuing after the last visited victim
  largest,       // the largest queue-size hint first, ties at random
  best_of_two,   // two different random candidates, the one with the larger hint
  nearest,       // by distance, ties in random order
  last_victim,   // the last victim that gave work first, then a random order of the rest
};

// Which end of its own queue a worker takes from. Thieves always take the oldest.
enum class order : std::uint8_t { lifo, fifo };

// Whom a submission wakes. wake.hpp carries it out.
enum class wake : std::uint8_t {
  random,
  nearest,  // to the worker where the work is
  recent,   // the most recently parked: its caches are the warmest, and the others sleep on
  all,
};

// The band of a task. The lower the number, the sooner.
enum class priority : std::uint8_t { high, normal, low };

inline constexpr std::size_t k_priorities = 3;

template <class E>
struct names;

template <>
struct names<victims> {
  static constexpr std::string_view option = "victims";
  static constexpr std::array<std::string_view, 7> all{"random",      "random_probe", "round_robin", "largest",
                                                       "best_of_two", "nearest",      "last_victim"};
};

template <>
struct names<order> {
  static constexpr std::string_view option = "order";
  static constexpr std::array<std::string_view, 2> all{"lifo", "fifo"};
};

template <>
struct names<wake> {
  static constexpr std::string_view option = "wake";
  static constexpr std::array<std::string_view, 4> all{"random", "nearest", "recent", "all"};
};

template <>
struct names<priority> {
  static constexpr std::string_view option = "priority";
  static constexpr std::array<std::string_view, k_priorities> all{"high", "normal", "low"};
};

// An enumeration that has names.
template <class E>
concept named = std::is_enum_v<E> && requires { names<E>::all.size(); };

template <named E>
[[nodiscard]] constexpr bool is_known(E value) {
  return static_cast<std::size_t>(value) < names<E>::all.size();
}

template <named E>
[[nodiscard]] constexpr std::string_view to_string(E value) {
  return policy::is_known(value) ? names<E>::all[static_cast<std::size_t>(value)] : std::string_view{"?"};
}

// What a parse gave: a value, or the text of an error that names the option, the value and what is allowed.
template <class T>
struct parsed {
  std::optional<T> value;
  std::string error;

  [[nodiscard]] explicit operator bool() const { return value.has_value(); }
  [[nodiscard]] const T& operator*() const { return *value; }

  [[nodiscard]] static parsed ok(T value) { return {std::move(value), {}}; }
  [[nodiscard]] static parsed failed(std::string error) { return {std::nullopt, std::move(error)}; }
};

// How many insertions, deletions and replacements of one character turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// `victims = "nearst": unknown name; did you mean "nearest"? Valid are random, …`
[[nodiscard]] std::string unknown_name(std::string_view option, std::string_view text,
                                       std::span<const std::string_view> valid);

// A value by its name. `option` is what the error calls it, for example "--victims".
template <class T>
[[nodiscard]] parsed<T> parse(std::string_view text, std::string_view option = names<T>::option) {
  static_assert(named<T>);
  for (std::size_t i = 0; i != names<T>::all.size(); ++i) {
    if (names<T>::all[i] == text) return parsed<T>::ok(static_cast<T>(i));
  }
  return parsed<T>::failed(policy::unknown_name(option, text, names<T>::all));
}

}  // namespace filch::inline v0::policy
