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

}  // namespace filch::inline v0::trace
