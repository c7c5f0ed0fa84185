#include <filch/fork/stay_on_thread.hpp>

#include <filch/share/latent.hpp>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace filch::inline v0 {

stay_on_thread::stay_on_thread() {
  if (latent_stack* const stack = current_latent_stack()) ++stack->stays;
}
stay_on_thread::~stay_on_thread() {
  if (latent_stack* const stack = current_latent_stack()) --stack->stays;
}

[[gnu::noinline]] std::thread::id detail::thread_here() noexcept {
  asm volatile("" ::: "memory");  // keeps compilers from merging two calls into one
  return std::this_thread::get_id();
}

void detail::fail_foreign_unlock(std::thread::id locked_by) {
  std::ostringstream text;
  text << "filch: a thread_mutex that thread " << locked_by << " has locked is being unlocked by thread "
       << std::this_thread::get_id()
       << ". It was held across a join, a scope or a co_await, after which code may run on another thread. Use "
          "filch::mutex, or, in a plain function, filch::stay_on_thread around the lock.\n";
  std::fputs(text.str().c_str(), stderr);
  std::abort();
}

void detail::fail_second_lock() {
  std::ostringstream text;
  text
      << "filch: a thread_mutex is being locked by thread " << std::this_thread::get_id()
      << ", which holds it already and would wait for itself. It was held across a join, a scope or a co_await, during "
         "which its thread runs other tasks. Use filch::mutex.\n";
  std::fputs(text.str().c_str(), stderr);
  std::abort();
}

}  // namespace filch::inline v0
