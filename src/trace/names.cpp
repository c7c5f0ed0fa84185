#include <filch/trace/names.hpp>

#include <filch/base/assert.hpp>

namespace filch::inline v0::trace {

std::string to_text(rgb colour) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "#";
  for (const unsigned part : {unsigned{colour.red}, unsigned{colour.green}, unsigned{colour.blue}}) {
    out += digits[part >> 4];
    out += digits[part & 15];
  }
  return out;
}

name_id names_table::intern(std::string_view text, std::optional<rgb> colour) {
  text = text.substr(0, k_max_name_bytes);
  const std::lock_guard lock{mutex_};
  auto found = index_.find(text);
  if (found == index_.end()) {
    FILCH_ASSERT(entries_.size() < k_no_detail, entries_.size());
    found = index_.emplace(std::string{text}, static_cast<std::uint32_t>(entries_.size())).first;
    entries_.push_back({std::string{text}, std::nullopt});
  }
  if (colour) entries_[found->second].colour = colour;
  return name_id{found->second};
}

std::vector<name_entry> names_table::snapshot() const {
  const std::lock_guard lock{mutex_};
  return entries_;
}

// "const char* filch::v0::detail::type_label() [with F = main()::<lambda()>]" (gcc) or "… [F = (lambda at
// main.cpp:7:3)]" (clang): of the first remains "main", of the second "main.cpp:7". What stands in brackets of any kind
// is left out.
std::string readable_label(std::string_view label) {
  constexpr std::string_view k_mark = "F = ";
  const std::size_t mark =
      label.find("type_label()") != std::string_view::npos ? label.find(k_mark) : std::string_view::npos;
  if (mark == std::string_view::npos) return std::string{label};
  std::string_view type = label.substr(mark + k_mark.size());
  if (type.ends_with(']')) type.remove_suffix(1);
  constexpr std::string_view k_lambda = "(lambda at ";
  if (const std::size_t at = type.rfind(k_lambda); at != std::string_view::npos) {
    std::string_view place = type.substr(at + k_lambda.size());
    place = place.substr(0, place.find(')'));
    place = place.substr(0, place.rfind(':'));
    return std::string{place.substr(place.rfind('/') + 1)};
  }
  std::string out;
  int depth = 0;
  for (const char c : type) {
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    else if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    else if (depth == 0) out += c;
  }
  for (const std::string_view inner : {"filch::v0::", "detail::"}) {
    for (std::size_t at = out.find(inner); at != std::string::npos; at = out.find(inner)) out.erase(at, inner.size());
  }
  while (!out.empty() && (out.back() == ':' || out.back() == ' ' || out.back() == '&')) out.pop_back();
  return out.empty() ? std::string{type} : out;
}

}  // namespace filch::inline v0::trace
