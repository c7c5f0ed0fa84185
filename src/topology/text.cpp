#include "topology/text.hpp"

#include "base/escape.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>

namespace filch::inline v0::topology {

namespace {

constexpr std::string_view k_blanks = " \t\r\n";

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& file) {
  const std::unique_ptr<std::FILE, file_closer> in{std::fopen(file.c_str(), "rbe")};
  if (!in) return std::nullopt;
  std::string text;
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, in.get())) text.append(part, count);
  if (std::ferror(in.get()) != 0) return std::nullopt;
  return text;
}

std::optional<std::string> read_line(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  return std::string{trim(std::string_view{*text}.substr(0, text->find('\n')))};
}

std::optional<std::int64_t> read_number(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  return parse_number(trim(*text));
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(k_blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(k_blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto begin = text.find_first_not_of(k_blanks);
    if (begin == std::string_view::npos) return found;
    text.remove_prefix(begin);
    const auto end = text.find_first_of(k_blanks);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end);
  }
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool starts_with_digit(std::string_view text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t k_longest = 80;
  std::size_t length = std::min(text.size(), k_longest);
  while (length != text.size() && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u) --length;
  std::string out = "'";
  out += escape::shown(text.substr(0, length));
  if (text.size() > k_longest) out += "…";
  out += '\'';
  return out;
}

}  // namespace filch::inline v0::topology
