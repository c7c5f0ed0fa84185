// An object that is made when it is needed, perhaps never; then it costs one store and one look.
#pragma once

#include <memory>
#include <utility>

namespace filch::inline v0::sync {

template <class T>
class late {
 public:
  late() noexcept {}
  late(const late&) = delete;
  late& operator=(const late&) = delete;
  ~late() {
    if (is_made_) [[unlikely]]
      std::destroy_at(std::addressof(object_));
  }

  // Once.
  template <class... Args>
  T& make(Args&&... args) {
    std::construct_at(std::addressof(object_), std::forward<Args>(args)...);
    is_made_ = true;
    return object_;
  }
  // Null: it was not made.
  [[nodiscard]] T* get() noexcept { return is_made_ ? std::addressof(object_) : nullptr; }

 private:
  bool is_made_ = false;
  union {
    T object_;
  };
};

}  // namespace filch::inline v0::sync
