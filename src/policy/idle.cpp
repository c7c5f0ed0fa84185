#include <filch/policy/idle.hpp>

#include "text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace filch::inline v0::policy {
namespace {

constexpr std::array<std::pair<std::string_view, const idle*>, 3> k_presets{
    {{"eco", &idle::eco}, {"balanced", &idle::balanced}, {"latency", &idle::latency}}};

constexpr std::array<std::string_view, 6> k_keys{"attempts", "initial", "factor", "cap", "cycles", "linger"};

std::string number_text(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

template <class T>
bool assign(T& field, std::optional<T> value) {
  if (value) field = *value;
  return value.has_value();
}

// Sets one field. The answer is what would have been allowed, or nothing when all went well.
std::string_view set_field(idle& out, std::string_view key, std::string_view value) {
  constexpr std::string_view k_whole = "a whole number from 0 to 4294967295";
  constexpr std::string_view k_time = "a whole number with ns, us, ms or s";
  if (key == "attempts") return assign(out.attempts_per_cycle, read_number<std::uint32_t>(value)) ? "" : k_whole;
  if (key == "initial") return assign(out.initial_ns, read_time(value)) ? "" : k_time;
  if (key == "cap") return assign(out.cap_ns, read_time(value)) ? "" : k_time;
  if (key == "linger") return assign(out.linger_ns, read_time(value)) ? "" : k_time;
  if (key == "factor") return assign(out.factor, read_number<double>(value)) ? "" : "a number from 1 on";
  if (value == "forever") {
    out.cycles = idle::k_forever;
    return "";
  }
  return assign(out.cycles, read_number<std::uint32_t>(value)) ? "" : "a whole number from 1 on, or forever";
}

}  // namespace

time_ns total_wait_ns(const idle& options) {
  if (options.cycles == idle::k_forever) return k_never_ns;
  backoff waits{options};
  time_ns sum = 0;
  for (std::uint32_t cycle = 1; cycle < options.cycles; ++cycle) {
    if (__builtin_add_overflow(sum, waits.next(), &sum)) return k_never_ns;
  }
  return sum;
}

std::string to_string(const idle& value) {
  for (const auto& [name, preset] : k_presets) {
    if (value == *preset) return std::string{name};
  }
  const std::string cycles = value.cycles == idle::k_forever ? "forever" : std::to_string(value.cycles);
  return "attempts=" + std::to_string(value.attempts_per_cycle) + ",initial=" + time_text(value.initial_ns) +
         ",factor=" + number_text(value.factor) + ",cap=" + time_text(value.cap_ns) + ",cycles=" + cycles +
         (value.linger_ns != 0 ? ",linger=" + time_text(value.linger_ns) : "");
}

template <>
parsed<idle> parse<idle>(std::string_view text, std::string_view option) {
  for (const auto& [name, preset] : k_presets) {
    if (text == name) return parsed<idle>::ok(*preset);
  }
  if (text.find('=') == std::string_view::npos) {
    return parsed<idle>::failed(unknown_name(option, text, names<idle>::all) +
                                ", or fields such as attempts=0,initial=1us,factor=2,cap=32us,cycles=8");
  }
  idle out = idle::balanced;
  out.linger_ns = 0;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(','));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    const std::string_view key = field.substr(0, field.find('='));
    const std::string_view value = field.size() == key.size() ? std::string_view{} : field.substr(key.size() + 1);
    if (std::ranges::find(k_keys, key) == k_keys.end()) {
      return parsed<idle>::failed(unknown_name(std::string{option}.append(" field"), key, k_keys));
    }
    const std::string_view allowed = set_field(out, key, value);
    if (!allowed.empty()) {
      std::string message{option};
      message.append(".").append(key).append(" = \"").append(value).append("\": allowed is ").append(allowed);
      return parsed<idle>::failed(std::move(message));
    }
  }
  return parsed<idle>::ok(out);
}

}  // namespace filch::inline v0::policy
