// Memory for one offer, taken ahead of a visit: a visitor must not allocate.
#pragma once

#include "offered_task.hpp"

#include <new>
#include <utility>

namespace filch::inline v0 {

class offer_memory {
 public:
  offer_memory() = default;
  offer_memory(const offer_memory&) = delete;
  offer_memory& operator=(const offer_memory&) = delete;
  ~offer_memory() { ::operator delete(bytes_); }

  // Ahead of take(). False: there is none.
  [[nodiscard]] bool prepare() noexcept {
    if (bytes_ == nullptr) bytes_ = ::operator new(sizeof(offered_task), std::nothrow);
    return bytes_ != nullptr;
  }
  // For a new offered_task; null: there is none.
  [[nodiscard]] void* take() noexcept { return prepare() ? std::exchange(bytes_, nullptr) : nullptr; }

 private:
  static_assert(alignof(offered_task) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  void* bytes_ = nullptr;
};

}  // namespace filch::inline v0
