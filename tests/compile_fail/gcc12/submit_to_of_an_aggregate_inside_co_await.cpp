// What g++ 12 does to a lambda it does to an aggregate with a call operator.
// expect: g++ before version 13 destroys the captures of a lambda twice
#include <filch/filch.hpp>

#include <string>

struct length {
  std::string text;
  std::size_t operator()() const { return text.size(); }
};

filch::task<std::size_t> f(filch::runtime& rt, std::string text) {
#ifdef FILCH_VALID
  filch::future size = rt.submit_to(filch::worker_id{0}, length{text});
  co_return co_await std::move(size);
#else
  co_return co_await rt.submit_to(filch::worker_id{0}, length{text});
#endif
}
