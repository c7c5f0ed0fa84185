// Its tasks have names that a terminal, a page, a picture or a reader of JSON would take for commands.
#include <filch/filch.hpp>

#include <chrono>

namespace {

const char* const k_names[] = {
    "\x1b[31mred\x1b]0;owned\a",
    "a\nfilch: all is well\r",
    "</script><script>alert(1)</script>",
    "\" ' \\ <&> {{data}}",
    "\xff\xc0\xaf\xed\xa0\x80",
    "\xc2\x9b"
    "31m \xe2\x80\xae"
    "txt.exe",
};

void busy(std::chrono::microseconds how_long) {
  const auto until = std::chrono::steady_clock::now() + how_long;
  while (std::chrono::steady_clock::now() < until) continue;
}

}  // namespace

int main() {
  filch::runtime rt{{.workers = 2}};
  rt.run([&] {
    for (const char* const name : k_names) {
      filch::scope([&](filch::scope_handle& in) {
        for (int i = 0; i != 20; ++i) in.spawn(filch::named(name, [] { busy(std::chrono::microseconds{300}); }));
      });
    }
  });
}
