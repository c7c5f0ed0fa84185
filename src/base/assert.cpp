#include <filch/base/assert.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace filch::inline v0 {
namespace {

assert_handler g_handler = nullptr;

void print(const assert_value& value) {
  switch (value.what) {
    case assert_value::kind::signed_number:
      std::fprintf(stderr, "%" PRId64, value.i);
      break;
    case assert_value::kind::unsigned_number:
      std::fprintf(stderr, "%" PRIu64, value.u);
      break;
    case assert_value::kind::real:
      std::fprintf(stderr, "%.17g", value.d);
      break;
    case assert_value::kind::boolean:
      std::fputs(value.u != 0 ? "true" : "false", stderr);
      break;
    case assert_value::kind::text:
      std::fprintf(stderr, "\"%s\"", value.s);
      break;
    case assert_value::kind::pointer:
      std::fprintf(stderr, "%p", value.p);
      break;
  }
}

}  // namespace

assert_handler set_assert_handler(assert_handler handler) noexcept {
  const assert_handler before = g_handler;
  g_handler = handler;
  return before;
}

void assertion_failed(const char* condition, const char* names, const assert_value* values, unsigned value_count,
                      std::source_location where) noexcept {
  if (g_handler != nullptr) g_handler(condition, names, values, value_count, where);
  std::fprintf(stderr, "filch: assertion failed: %s\n    at %s:%u in %s\n", condition, where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name());
  if (value_count != 0) {
    std::fprintf(stderr, "    with %s = ", names);
    for (unsigned i = 0; i != value_count; ++i) {
      if (i != 0) std::fputs(", ", stderr);
      print(values[i]);
    }
    std::fputc('\n', stderr);
  }
  std::fflush(stderr);
  std::abort();
}

}  // namespace filch::inline v0
