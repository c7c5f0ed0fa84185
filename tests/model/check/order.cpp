#include "order.hpp"

#include <filch/base/assert.hpp>

#include <charconv>
#include <stdexcept>

namespace filch::check {

order_bits bits_of(std::memory_order order, access kind) {
  const order_bits possible = kind == access::load    ? order_bits{k_acquire | k_seq_cst}
                              : kind == access::store ? order_bits{k_release | k_seq_cst}
                                                      : order_bits{k_acquire | k_release | k_seq_cst};
  switch (order) {
    case std::memory_order_relaxed:
      return k_relaxed;
    case std::memory_order_consume:
    case std::memory_order_acquire:
      FILCH_ASSERT(kind != access::store, order);
      return k_acquire;
    case std::memory_order_release:
      FILCH_ASSERT(kind != access::load, order);
      return k_release;
    case std::memory_order_acq_rel:
      FILCH_ASSERT(kind == access::update || kind == access::fence, order);
      return k_acquire | k_release;
    case std::memory_order_seq_cst:
      return possible;
  }
  FILCH_ASSERT(false && "no such memory order", order);
  return possible;
}

const char* order_name(order_bits bits) {
  if ((bits & k_seq_cst) != 0) return "seq_cst";
  if (bits == (k_acquire | k_release)) return "acq_rel";
  if (bits == k_acquire) return "acquire";
  if (bits == k_release) return "release";
  return "relaxed";
}

weakening::weakening(std::string_view specification) {
  while (!specification.empty()) {
    const auto comma = specification.find(',');
    rules_.push_back(parse(specification.substr(0, comma)));
    specification = comma == std::string_view::npos ? std::string_view{} : specification.substr(comma + 1);
  }
}

weakening::rule weakening::parse(std::string_view text) {
  const auto bad = [&] {
    return std::invalid_argument("FILCH_CHECK_WEAKEN: \"" + std::string(text) +
                                 "\" is not file:LINE[:how] with how one of next, relaxed, acquire, release, acq_rel, "
                                 "each also with the prefix failure- or success-");
  };
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) throw bad();
  rule out{std::string(text.substr(0, colon)), 0, part::both, true, k_relaxed};
  std::string_view rest = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.line);
  if (error != std::errc{} || out.line == 0) throw bad();
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.empty()) return out;
  if (rest.front() != ':') throw bad();
  rest.remove_prefix(1);
  constexpr std::string_view k_failure = "failure-";
  constexpr std::string_view k_success = "success-";
  if (rest.starts_with(k_failure)) out.which = part::failure, rest.remove_prefix(k_failure.size());
  else if (rest.starts_with(k_success)) out.which = part::success, rest.remove_prefix(k_success.size());
  if (rest == "next") return out;
  out.next = false;
  if (rest == "relaxed") out.limit = k_relaxed;
  else if (rest == "acquire") out.limit = k_acquire;
  else if (rest == "release") out.limit = k_release;
  else if (rest == "acq_rel") out.limit = k_acquire | k_release;
  else throw bad();
  return out;
}

void weakening::apply_rules(const std::source_location& where, order_bits& success, order_bits* failure) {
  const auto weaker = [](order_bits bits, const rule& r) -> order_bits {
    if (!r.next) return bits & r.limit;
    if ((bits & k_seq_cst) != 0) return bits & static_cast<order_bits>(~k_seq_cst);
    if (bits == (k_acquire | k_release)) return k_acquire;
    return k_relaxed;
  };
  for (const rule& r : rules_) {
    if (where.line() != r.line) continue;
    const std::string_view file = where.file_name();
    if (!file.ends_with(r.file)) continue;
    if (file.size() > r.file.size() && file[file.size() - r.file.size() - 1] != '/') continue;
    if (failure == nullptr && r.which == part::failure) continue;
    ++matched;
    bool is_changed = false;
    if (r.which != part::failure) {
      const order_bits now = weaker(success, r);
      is_changed |= now != success;
      success = now;
    }
    if (failure != nullptr && r.which != part::success) {
      const order_bits now = weaker(*failure, r);
      is_changed |= now != *failure;
      *failure = now;
    }
    if (is_changed) ++changed;
  }
}

}  // namespace filch::check
