#include <filch/runtime/runtime.hpp>

#include "program.hpp"

namespace filch::bench {

constinit const std::string_view k_runtime = "filch";

void with_threads(unsigned threads, bool is_inside, const std::function<void()>& body) {
  runtime rt{{.workers = threads}};
  if (is_inside) rt.run([&body] { body(); });
  else body();
}

}  // namespace filch::bench
