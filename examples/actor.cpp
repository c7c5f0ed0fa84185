// A counter that belongs to one task: others send it messages and get answers, nobody locks anything.
#include <filch/filch.hpp>

#include <cstdio>
#include <vector>

struct message {
  int add = 0;
  filch::oneshot<int>* answer = nullptr;  // where to say how much it is, if somebody asks
};

class counter {
 public:
  void add(int n) { inbox_.send({.add = n}); }
  filch::task<int> ask() {
    filch::oneshot<int> answer;
    co_await inbox_.async_send({.answer = &answer});
    co_return *co_await answer.async_receive();
  }
  void close() { inbox_.close(); }

  filch::task<int> run() {
    int value = 0;
    while (const auto next = co_await inbox_.async_receive()) {
      value += next->add;
      if (next->answer != nullptr) next->answer->send(value);
    }
    co_return value;
  }

 private:
  filch::channel<message> inbox_;
};

filch::task<> add_many(counter& to, int times) {
  for (int i = 0; i != times; ++i) to.add(1);
  co_return;
}

int main() {
  filch::runtime rt{{.workers = 2}};
  counter c;
  auto running = filch::spawn(rt, c.run());
  std::vector<filch::join_handle<void>> adding;
  for (int i = 0; i != 10; ++i) adding.push_back(filch::spawn(rt, add_many(c, 100)));
  for (auto& each : adding) each.get();
  std::printf("asked: %d\n", rt.run(c.ask()));
  c.add(5);
  c.close();
  std::printf("in the end: %d\n", running.get());
}
