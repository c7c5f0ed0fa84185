#include "os_thread.hpp"

#include <filch/base/assert.hpp>
#include <filch/topology/pin_thread.hpp>

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

namespace filch::inline v0 {
namespace {

struct thread_start {
  std::string name;
  std::function<void()> body;
};

void* run_thread(void* argument) noexcept {
  const std::unique_ptr<thread_start> start{static_cast<thread_start*>(argument)};
  ::pthread_setname_np(::pthread_self(), start->name.substr(0, 15).c_str());
  start->body();
  return nullptr;
}

}  // namespace

os_thread::~os_thread() { FILCH_ASSERT(!is_running_); }

std::error_code os_thread::start(std::string name, std::size_t stack_bytes, std::function<void()> body) noexcept {
  FILCH_ASSERT(!is_running_);
  pthread_attr_t attributes;
  int failed = ::pthread_attr_init(&attributes);
  if (failed != 0) return {failed, std::generic_category()};
  if (stack_bytes != 0) {
    failed = ::pthread_attr_setstacksize(&attributes, stack_bytes);
  }
  std::unique_ptr<thread_start> start{new (std::nothrow) thread_start{std::move(name), std::move(body)}};
  if (start == nullptr) failed = ENOMEM;
  if (failed == 0) failed = ::pthread_create(&handle_, &attributes, &run_thread, start.get());
  ::pthread_attr_destroy(&attributes);
  if (failed != 0) return {failed, std::generic_category()};
  (void)start.release();  // the thread owns it now
  is_running_ = true;
  return {};
}

void os_thread::bind(topology::cpu_number cpu) noexcept {
  if (is_running_) (void)topology::pin_thread(handle_, cpu);
}

void os_thread::join() {
  if (!is_running_) return;
  FILCH_ASSERT(::pthread_join(handle_, nullptr) == 0);
  is_running_ = false;
}

}  // namespace filch::inline v0
