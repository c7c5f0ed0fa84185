// Names of the values that carry a number: steal::fixed(n) and placement::given(worker).
#include <filch/policy/placement.hpp>
#include <filch/policy/steal.hpp>

#include "text.hpp"

#include <string>
#include <string_view>

namespace filch::inline v0::policy {
namespace {

constexpr std::string_view k_fixed = "fixed:";
constexpr std::string_view k_given = "given:";

std::string bad_number(std::string_view option, std::string_view text, std::string_view allowed) {
  std::string message;
  return message.append(option).append(" = \"").append(text).append("\": allowed is ").append(allowed);
}

}  // namespace

std::string to_string(steal value) {
  if (value == steal::half) return "half";
  if (value == steal::one) return "one";
  return std::string{k_fixed}.append(std::to_string(value.count()));
}

template <>
parsed<steal> parse<steal>(std::string_view text, std::string_view option) {
  if (text == "half") return parsed<steal>::ok(steal::half);
  if (text == "one") return parsed<steal>::ok(steal::one);
  if (!text.starts_with(k_fixed)) return parsed<steal>::failed(unknown_name(option, text, names<steal>::all));
  const auto count = read_number<std::uint32_t>(text.substr(k_fixed.size()));
  if (!count || *count == 0) {
    return parsed<steal>::failed(bad_number(option, text, "fixed:N with a whole number N from 1 to 4294967295"));
  }
  return parsed<steal>::ok(steal::fixed(*count));
}

std::string to_string(placement value) {
  if (value.how() == placement::kind::given) {
    return std::string{k_given}.append(std::to_string(value.worker().value));
  }
  return std::string{names<placement>::all[static_cast<std::size_t>(value.how())]};
}

template <>
parsed<placement> parse<placement>(std::string_view text, std::string_view option) {
  for (const placement known :
       {placement::injector, placement::random, placement::round_robin, placement::least_loaded}) {
    if (to_string(known) == text) return parsed<placement>::ok(known);
  }
  if (!text.starts_with(k_given)) {
    return parsed<placement>::failed(unknown_name(option, text, names<placement>::all));
  }
  const auto worker = read_number<std::uint32_t>(text.substr(k_given.size()));
  if (!worker || !worker_id{*worker}.is_some()) {
    return parsed<placement>::failed(bad_number(option, text, "given:WORKER with a worker's number from 0 on"));
  }
  return parsed<placement>::ok(placement::given(worker_id{*worker}));
}

}  // namespace filch::inline v0::policy
