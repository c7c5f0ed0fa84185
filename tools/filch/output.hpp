// The command's standard output and standard error: no control character of a name, a path or a file reaches the
// terminal.
//
// What goes through std::cout and std::cerr is text for people: a guard on each replaces every control character but
// the end of a line. Colours and redrawn lines bypass the guard; texts from outside in them were escaped before.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <streambuf>
#include <string>

namespace filch::tool {

// Replaces control characters in what is written to `stream` while it lives.
class terminal_guard final : public std::streambuf {
 public:
  explicit terminal_guard(std::ostream& stream);
  terminal_guard(const terminal_guard&) = delete;
  terminal_guard& operator=(const terminal_guard&) = delete;
  ~terminal_guard() override;

  // The buffer behind the guard; nullptr: this stream has no guard.
  [[nodiscard]] static std::streambuf* behind(std::ostream& stream);

 protected:
  int_type overflow(int_type one) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  bool pass_on();

  std::ostream& stream_;
  std::streambuf* const out_;
  std::string held_;  // perhaps the beginning of a letter
};

// Writes a text that has commands to the terminal, past the guard of `stream`.
void put_unguarded(std::ostream& stream, const std::string& text);

// A JSON document, for files and for terminals.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document, int indent = 2);

}  // namespace filch::tool
