#include "output.hpp"

#include <base/escape.hpp>
#include <nlohmann/json.hpp>
#include <string_view>

namespace filch::tool {

terminal_guard::terminal_guard(std::ostream& stream) : stream_{stream}, out_{stream.rdbuf()} { stream.rdbuf(this); }

terminal_guard::~terminal_guard() {
  held_ = escape::shown_lines(held_);
  (void)out_->sputn(held_.data(), static_cast<std::streamsize>(held_.size()));
  (void)out_->pubsync();
  stream_.rdbuf(out_);
}

std::streambuf* terminal_guard::behind(std::ostream& stream) {
  auto* const guard = dynamic_cast<terminal_guard*>(stream.rdbuf());
  return guard != nullptr ? guard->out_ : nullptr;
}

// All but the beginning of a letter whose end has not come yet.
bool terminal_guard::pass_on() {
  std::size_t whole = held_.size();
  for (std::size_t back = 1; back <= 3 && back <= held_.size(); ++back) {
    const std::string_view end = std::string_view{held_}.substr(held_.size() - back);
    if (escape::first_of(end).is_cut_off) whole = held_.size() - back;
  }
  const std::string text = escape::shown_lines(std::string_view{held_}.substr(0, whole));
  held_.erase(0, whole);
  return out_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

terminal_guard::int_type terminal_guard::overflow(int_type one) {
  if (traits_type::eq_int_type(one, traits_type::eof())) return traits_type::not_eof(one);
  held_ += traits_type::to_char_type(one);
  return pass_on() ? one : traits_type::eof();
}

std::streamsize terminal_guard::xsputn(const char* text, std::streamsize count) {
  held_.append(text, static_cast<std::size_t>(count));
  return pass_on() ? count : 0;
}

int terminal_guard::sync() { return pass_on() ? out_->pubsync() : -1; }

void put_unguarded(std::ostream& stream, const std::string& text) {
  stream.flush();
  std::streambuf* const behind = terminal_guard::behind(stream);
  if (behind == nullptr) {
    stream << text;
  } else if (behind->sputn(text.data(), static_cast<std::streamsize>(text.size())) !=
             static_cast<std::streamsize>(text.size())) {
    stream.setstate(std::ios::badbit);
  }
}

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  using json = nlohmann::ordered_json;
  return escape::json_document(document.dump(indent, ' ', false, json::error_handler_t::replace));
}

}  // namespace filch::tool
