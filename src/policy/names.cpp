#include <filch/policy/names.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace filch::inline v0::policy {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances from the first i characters of a to each beginning of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string unknown_name(std::string_view option, std::string_view text, std::span<const std::string_view> valid) {
  const auto nearest =
      std::ranges::min_element(valid, {}, [&](std::string_view name) { return edit_distance(text, name); });
  std::string message;
  message.append(option).append(" = \"").append(text).append("\": unknown name; did you mean \"");
  message.append(*nearest).append("\"? Valid are ");
  for (std::size_t i = 0; i != valid.size(); ++i) {
    if (i != 0) message.append(", ");
    message.append(valid[i]);
  }
  return message;
}

}  // namespace filch::inline v0::policy
