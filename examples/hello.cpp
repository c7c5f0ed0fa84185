// A runtime, a task, its result.
#include <filch/filch.hpp>

#include <cstdio>
#include <string>

int main() {
  filch::runtime rt;  // as many workers as this process may use CPUs

  const int answer = rt.run([] { return 6 * 7; });  // runs on a worker, waits, returns
  std::printf("the answer is %d\n", answer);

  auto greeting = rt.submit([] { return std::string{"hello from a worker"}; });  // does not wait
  std::printf("%s\n", greeting.get().c_str());
}  // the destructor waits for whatever is still there
