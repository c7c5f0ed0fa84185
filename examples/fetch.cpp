// A request that asks several servers at once, each of them twice: whoever answers first counts, and who takes too long
// is given up. When the request has its answers, nothing of it runs any more.
#include <filch/filch.hpp>
#include <filch/time/sleep.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

std::atomic<int> connections{0};

struct connection {
  connection() { ++connections; }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { --connections; }
};

// A server that answers after a while.
filch::task<std::string> ask(std::string server, std::chrono::milliseconds latency) {
  const connection open;
  co_await filch::sleep_for(latency);
  co_return server + " answered";
}

filch::task<std::string> give_up(std::chrono::milliseconds after) {
  co_await filch::sleep_for(after);
  co_return "no answer";
}

// The faster of two replicas, within the limit.
filch::task<std::string> fetch(std::string server, std::chrono::milliseconds latency) {
  auto first = co_await filch::any(ask(server, latency), ask(server, latency + 10s), give_up(2s));
  co_return server + ": " + first.value;
}

filch::task<> request() {
  std::vector<filch::task<std::string>> pages;
  pages.push_back(fetch("text", 1ms));
  pages.push_back(fetch("pictures", 3ms));
  pages.push_back(fetch("advertisements", 60s));
  const std::vector<std::string> answers = co_await filch::all(std::move(pages));
  for (const std::string& each : answers) std::puts(each.c_str());
  std::printf("open connections: %d\n", connections.load());
}

}  // namespace

int main() {
  filch::runtime rt;
  rt.run(request());
}
