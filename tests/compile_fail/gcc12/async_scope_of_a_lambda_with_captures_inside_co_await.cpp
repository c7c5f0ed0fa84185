// g++ 12 would destroy the text twice, so it is refused and the message says what to write.
// expect: g++ before version 13 destroys the captures of a lambda twice
// expect: filch::task t = filch::async_scope(...);
#include <filch/filch.hpp>

#include <string>

filch::task<> print(std::string text);

filch::task<> f(std::string text) {
#ifdef FILCH_VALID
  co_await filch::async_scope([&text](filch::task_group& group) -> filch::task<> {
    group.spawn(print(text));
    co_return;
  });
#else
  co_await filch::async_scope([text](filch::task_group& group) -> filch::task<> {
    group.spawn(print(text));
    co_return;
  });
#endif
}
