// g++ 12 would destroy the text twice, so it is refused and the message says what to write.
// expect: g++ before version 13 destroys the captures of a lambda twice
#include <filch/filch.hpp>

#include <string>

filch::task<> f(filch::once& printed, std::string text, std::string& out) {
#ifdef FILCH_VALID
  filch::task print = printed.async_call([text, &out] { out = text; });
  co_await std::move(print);
#else
  co_await printed.async_call([text, &out] { out = text; });
#endif
}
