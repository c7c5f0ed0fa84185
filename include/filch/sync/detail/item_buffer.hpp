// A buffer that is filled at one end of a channel, swapped to the other end and emptied there: never both at a time.
// kernel: light headers only
#pragma once

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace filch::inline v0::sync {

template <class T, class A = std_atomics>
class item_buffer {
  static_assert(std::is_nothrow_move_constructible_v<T>, "items are moved under a lock: their move must not throw");
  static_assert(std::is_nothrow_destructible_v<T>);

 public:
  // Throws std::bad_alloc.
  explicit item_buffer(std::size_t room) { room_.set(room), slots_.set(make(room)); }
  item_buffer(const item_buffer&) = delete;
  item_buffer& operator=(const item_buffer&) = delete;
  ~item_buffer() {
    for (std::size_t i = first_.get(); i != end_.get(); ++i) slots_.get()[i].item.~T();
    drop();
  }

  [[nodiscard]] bool is_empty() const { return first_.get() == end_.get(); }

  // Throws std::bad_alloc if the buffer is full and cannot grow; the buffer is then unchanged.
  void push(T& item, bool may_grow) {
    const std::size_t at = end_.get();
    if (at == room_.get() && may_grow) [[unlikely]]
      grow(at == 0 ? k_least_room : 2 * at);
    ::new (static_cast<void*>(&slots_.get()[at].item)) T(std::move(item));
    end_.set(at + 1);
  }
  void pop(std::optional<T>& into) {
    const std::size_t at = first_.get();
    T& item = slots_.get()[at].item;
    into.emplace(std::move(item));
    item.~T();
    first_.set(at + 1);
  }

  // Called while this buffer is empty. `may_shrink`: frees the memory of this buffer if it has become much too large.
  void swap(item_buffer& filled, bool may_shrink) {
    if (may_shrink && room_.get() > k_kept_room && first_.get() < room_.get() / 8) {
      drop();
      slots_.set(nullptr), room_.set(0);
    }
    slot* const slots = slots_.get();
    const std::size_t room = room_.get();
    slots_.set(filled.slots_.get()), room_.set(filled.room_.get());
    first_.set(0), end_.set(filled.end_.get());
    filled.slots_.set(slots), filled.room_.set(room);
    filled.first_.set(0), filled.end_.set(0);
  }

 private:
  static constexpr std::size_t k_least_room = 16;   // guess
  static constexpr std::size_t k_kept_room = 1024;  // guess

  union slot {
    slot() noexcept {}
    ~slot() {}
    T item;
  };

  static slot* make(std::size_t room) { return room == 0 ? nullptr : A::template make_array<slot>(room); }
  void drop() {
    if (slots_.get() != nullptr) A::destroy_array(slots_.get(), room_.get());
  }
  [[gnu::noinline]] void grow(std::size_t room) {
    slot* const larger = make(room);
    slot* const slots = slots_.get();
    for (std::size_t i = 0; i != end_.get(); ++i) {
      ::new (static_cast<void*>(&larger[i].item)) T(std::move(slots[i].item));
      slots[i].item.~T();
    }
    drop();
    slots_.set(larger), room_.set(room);
  }

  typename A::template var<slot*> slots_{nullptr};
  typename A::template var<std::size_t> room_{0};
  typename A::template var<std::size_t> first_{0};
  typename A::template var<std::size_t> end_{0};
};

}  // namespace filch::inline v0::sync
