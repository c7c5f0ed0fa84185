// g++ 12 would destroy the text twice, so it is refused and the message says what to write.
// expect: g++ before version 13 destroys the captures of a lambda twice
// expect: filch::future f = rt.submit(...);
#include <filch/filch.hpp>

#include <string>

filch::task<std::size_t> f(filch::runtime& rt, std::string text) {
#ifdef FILCH_VALID
  co_await rt.submit([&text] { text += '.'; });
  filch::future size = rt.submit([text] { return text.size(); });
  co_return co_await std::move(size);
#else
  co_return co_await rt.submit([text] { return text.size(); });
#endif
}
