// What is spawned is kept until it runs: one that can only be moved must be given away.
// expect: spawnable_function
#include <filch/fork/scope.hpp>

#include <memory>
#include <utility>

void f() {
  filch::scope([](filch::scope_handle& s) {
    auto child = [held = std::make_unique<int>(1)] { return *held; };
#ifdef FILCH_VALID
    s.spawn(std::move(child));
#else
    s.spawn(child);
#endif
  });
}
