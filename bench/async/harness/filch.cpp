#include "filch.hpp"

namespace filch::bench {
namespace {

runtime* current = nullptr;

}  // namespace

constinit const std::string_view k_runtime = "filch";

runtime& measured_runtime() { return *current; }

void with_threads(unsigned threads, bool, const std::function<void()>& body) {
  runtime rt{{.workers = threads}};
  current = &rt;
  body();
}

}  // namespace filch::bench
