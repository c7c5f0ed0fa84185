// The atomics policy under which a kernel is checked: the interface of filch::std_atomics, with every operation
// modelled.
//
// Each operation takes its source line as a last, defaulted argument: the schedule shows it and FILCH_CHECK_WEAKEN
// finds the operation by it. Objects of these types exist only inside an execution (check::run).
#pragma once

#include "check.hpp"
#include "engine.hpp"

#include <filch/base/units.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>

namespace filch::check {

// What a discarded atomic may be read as: this pattern, cut to the size of the type.
inline constexpr std::uint64_t k_poison = 0xdeadf11cdeadf11cu;

template <class T>
[[nodiscard]] bool is_poison(const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof k_poison);
  return std::memcmp(&value, &k_poison, sizeof(T)) == 0;
}

struct atomics {
  using place = std::source_location;

  template <class T>
  class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

   public:
    atomic(place where = place::current()) : atomic(T{}, where) {}
    explicit atomic(T value, place where = place::current())
        : id_{engine::get().create(this, encode(value), sizeof(T), shown_as(), where)} {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    ~atomic() { engine::get().kill(this, id_, place::current()); }

    T load(std::memory_order order, place where = place::current()) const {
      return decode(engine::get().load(this, id_, order, where));
    }
    void store(T value, std::memory_order order, place where = place::current()) {
      engine::get().store(this, id_, encode(value), order, where);
    }
    T exchange(T value, std::memory_order order, place where = place::current()) {
      return update(update_kind::exchange, value, order, where);
    }
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure,
                          place where = place::current()) {
      std::uint64_t seen = encode(expected);
      if (engine::get().compare_exchange(this, id_, seen, encode(desired), success, failure, where)) return true;
      expected = decode(seen);
      return false;
    }
    T fetch_add(T value, std::memory_order order, place where = place::current())
      requires std::is_integral_v<T>
    {
      return update(update_kind::add, value, order, where);
    }
    T fetch_sub(T value, std::memory_order order, place where = place::current())
      requires std::is_integral_v<T>
    {
      return update(update_kind::sub, value, order, where);
    }
    T fetch_or(T value, std::memory_order order, place where = place::current())
      requires std::is_integral_v<T>
    {
      return update(update_kind::bit_or, value, order, where);
    }
    T fetch_and(T value, std::memory_order order, place where = place::current())
      requires std::is_integral_v<T>
    {
      return update(update_kind::bit_and, value, order, where);
    }

   private:
    friend atomics;

    static std::uint64_t encode(const T& value) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(T));
      return bits;
    }
    static T decode(std::uint64_t bits) {
      T value;
      std::memcpy(&value, &bits, sizeof(T));
      return value;
    }
    static constexpr value_kind shown_as() {
      if constexpr (std::is_same_v<T, bool>) return value_kind::boolean;
      else if constexpr (std::is_pointer_v<T>) return value_kind::pointer;
      else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return value_kind::signed_number;
      else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return value_kind::unsigned_number;
      else return value_kind::bytes;
    }
    T update(update_kind what, T value, std::memory_order order, place where) {
      return decode(engine::get().update(this, id_, what, encode(value), order, where));
    }

    location_id id_;
  };

  template <class T>
  class var {
   public:
    var(place where = place::current()) : id_{engine::get().create_plain(this, where)} {}
    explicit var(T value, place where = place::current())
        : value_{std::move(value)}, id_{engine::get().create_plain(this, where)} {}
    var(const var&) = delete;
    var& operator=(const var&) = delete;
    ~var() { engine::get().kill_plain(this, id_, place::current()); }

    [[nodiscard]] const T& get(place where = place::current()) const {
      engine::get().read_plain(this, id_, where);
      return value_;
    }
    void set(T value, place where = place::current()) {
      engine::get().write_plain(this, id_, where);
      value_ = std::move(value);
    }

   private:
    T value_{};
    location_id id_;
  };

  class mutex {
   public:
    mutex() : id_{engine::get().create_mutex(this)} {}
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;
    ~mutex() { engine::get().kill_mutex(this, id_, place::current()); }

    void lock(place where = place::current()) { engine::get().lock(this, id_, true, where); }
    bool try_lock(place where = place::current()) { return engine::get().lock(this, id_, false, where); }
    void unlock(place where = place::current()) { engine::get().unlock(this, id_, where); }

   private:
    std::uint32_t id_;
  };

  static void fence(std::memory_order order, place where = place::current()) { engine::get().fence(order, where); }
  // Threads of the checker run in the order of the program: there is no compiler to hold.
  static void light_fence(std::memory_order order, place where = place::current()) {
    engine::get().light_fence(order, where);
  }
  [[nodiscard]] static bool heavy_fence(std::memory_order order, place where = place::current()) {
    engine::get().heavy_fence(order, where);
    return true;
  }
  static void pause(place where = place::current()) { engine::get().pause(where); }

  // make has no line of its own, because its arguments are the object's: reports name the type instead.
  template <class T, class... Args>
  static T* make(Args&&... args) {
    void* memory = engine::get().allocate(sizeof(T), alignof(T), place::current());
    try {
      return ::new (memory) T(std::forward<Args>(args)...);
    } catch (...) {
      engine::get().release(memory, place::current());
      throw;
    }
  }
  template <class T>
  static void destroy(T* object, place where = place::current()) {
    if (object == nullptr) return;
    engine::get().require_allocated(object, where);
    object->~T();
    engine::get().release(object, where);
  }

  template <class T>
  static T* make_array(std::size_t count, place where = place::current()) {
    static_assert(std::is_nothrow_destructible_v<T>);
    if (count > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_array_new_length();
    T* first = static_cast<T*>(engine::get().allocate(count * sizeof(T), alignof(T), where));
    for (std::size_t i = 0; i != count; ++i) ::new (static_cast<void*>(first + i)) T();
    return first;
  }
  template <class T>
  static void destroy_array(T* first, std::size_t count, place where = place::current()) {
    engine::get().require_allocated(first, where);
    for (std::size_t i = 0; i != count; ++i) first[i].~T();
    engine::get().release(first, where);
  }

  // Every atomic in the range is overwritten with k_poison; a reader that has not seen that may read older values.
  template <class T>
  static void discard(T* first, std::size_t count, place where = place::current()) {
    engine::get().poison(first, count * sizeof(T), where);
  }

  static bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, time_ns deadline_ns = k_never_ns,
                         place where = place::current()) {
    return engine::get().futex_wait(&word, word.id_, expected, deadline_ns, where);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count, place where = place::current()) {
    engine::get().futex_wake(&word, word.id_, count, where);
  }
};

// Names for the schedule. `name` lives at least as long as the execution: a literal.
template <class T>
void name(const T* object, const char* text) {
  engine::get().set_name(object, text, 0, false);
}
template <class T>
void name_array(const T* first, std::size_t count, const char* text) {
  for (std::size_t i = 0; i != count; ++i) engine::get().set_name(first + i, text, static_cast<std::uint32_t>(i), true);
}

}  // namespace filch::check
