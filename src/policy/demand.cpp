#include <filch/policy/demand.hpp>

#include <filch/policy/options.hpp>

#include "text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace filch::inline v0::policy {
namespace {

struct cost_field {
  std::string_view name;
  std::string_view member;  // as validate() calls it
  time_ns demand::* where;
  time_ns least_ns;
};
// 0 ns would be a pause without an end between two looks of the monitor thread, or of a worker that lingers.
constexpr std::array<cost_field, 4> k_costs{{{"notify", "notify_ns", &demand::notify_ns, 0},
                                             {"wake", "wake_ns", &demand::wake_ns, 1},
                                             {"transfer", "transfer_ns", &demand::transfer_ns, 1},
                                             {"migrate", "migrate_ns", &demand::migrate_ns, 0}}};
constexpr time_ns k_longest_cost_ns = k_ns_per_s;

struct switch_field {
  std::string_view name;
  bool demand::* where;
};
constexpr std::array<switch_field, 3> k_switches{
    {{"throttle", &demand::throttle}, {"join_first", &demand::join_first}, {"one_place", &demand::one_place}}};

constexpr std::array<std::string_view, 8> k_field_names{"notify",   "wake",       "transfer",  "migrate",
                                                        "throttle", "join_first", "one_place", "searchers"};
constexpr std::uint32_t k_most_searchers = 1u << 20;

// Sets one field, whose name is known. The answer is what would have been allowed, or nothing when all went well.
std::string_view set_field(demand& out, std::string_view key, std::string_view value) {
  for (const cost_field& field : k_costs) {
    if (field.name != key) continue;
    const std::optional<time_ns> read = read_time(value);
    if (!read) return "a whole number with ns, us, ms or s";
    out.*field.where = *read;
    return "";
  }
  for (const switch_field& field : k_switches) {
    if (field.name != key) continue;
    const std::optional<bool> read = read_switch(value);
    if (!read) return "on or off";
    out.*field.where = *read;
  }
  if (key != k_field_names.back()) return "";
  const std::optional<std::uint32_t> read = read_number<std::uint32_t>(value);
  if (!read) return "a whole number from 1 on";
  out.searchers = *read;
  return "";
}

}  // namespace

std::string describe(const demand& rules) {
  std::string out;
  const auto add = [&out](std::string_view name, std::string_view value) {
    out.append(out.empty() ? "" : ",").append(name).append("=").append(value);
  };
  for (const cost_field& field : k_costs) add(field.name, time_text(rules.*field.where));
  for (const switch_field& field : k_switches) add(field.name, switch_text(rules.*field.where));
  add(k_field_names.back(), std::to_string(rules.searchers));
  return out;
}

template <>
parsed<demand> parse<demand>(std::string_view text, std::string_view option) {
  demand out;
  if (text == names<demand>::all.front()) return parsed<demand>::ok(out);
  if (text.find('=') == std::string_view::npos) {
    return parsed<demand>::failed(unknown_name(option, text, names<demand>::all) + ", or fields such as " +
                                  describe(out));
  }
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(','));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    const std::string_view key = field.substr(0, field.find('='));
    const std::string_view value = field.size() == key.size() ? std::string_view{} : field.substr(key.size() + 1);
    if (std::ranges::find(k_field_names, key) == k_field_names.end()) {
      return parsed<demand>::failed(unknown_name(std::string{option}.append(" field"), key, k_field_names));
    }
    const std::string_view allowed = set_field(out, key, value);
    if (!allowed.empty()) {
      std::string message{option};
      message.append(".").append(key).append(" = \"").append(value).append("\": allowed is ").append(allowed);
      return parsed<demand>::failed(std::move(message));
    }
  }
  return parsed<demand>::ok(out);
}

std::vector<problem> validate(const demand& rules) {
  std::vector<problem> out;
  for (const cost_field& field : k_costs) {
    const time_ns value = rules.*field.where;
    if (value >= field.least_ns && value <= k_longest_cost_ns) continue;
    out.push_back({std::string{names<demand>::option}.append(".").append(field.member), std::to_string(value),
                   "a time from " + std::to_string(field.least_ns) + " ns to 1 s"});
  }
  if (rules.searchers < 1 || rules.searchers > k_most_searchers) {
    out.push_back({"demand.searchers", std::to_string(rules.searchers), "a number from 1 to 1048576"});
  }
  return out;
}

}  // namespace filch::inline v0::policy
