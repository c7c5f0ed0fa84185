// An object that is constructed on demand. If it never is, it costs one store and one test.
#pragma once

#include <memory>
#include <utility>

namespace filch::inline v0::sync {

template <class T>
class lazy {
 public:
  lazy() noexcept {}
  lazy(const lazy&) = delete;
  lazy& operator=(const lazy&) = delete;
  ~lazy() {
    if (is_made_) [[unlikely]]
      std::destroy_at(std::addressof(object_));
  }

  // Constructs the object. Call it once.
  template <class... Args>
  T& make(Args&&... args) {
    std::construct_at(std::addressof(object_), std::forward<Args>(args)...);
    is_made_ = true;
    return object_;
  }
  // Null: the object was not constructed.
  [[nodiscard]] T* get() noexcept { return is_made_ ? std::addressof(object_) : nullptr; }

 private:
  bool is_made_ = false;
  union {
    T object_;
  };
};

}  // namespace filch::inline v0::sync
