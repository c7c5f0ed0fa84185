// Where a task goes that is submitted from outside: `placement::injector`, `random`, `round_robin`, `least_loaded` or
// `placement::given(worker)`.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>
#include <filch/policy/argmax.hpp>
#include <filch/policy/names.hpp>
#include <filch/policy/view.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace filch::inline v0::policy {

class placement {
 public:
  enum class kind : std::uint8_t { injector, random, round_robin, least_loaded, given };

  static const placement injector;
  static const placement random;
  static const placement round_robin;
  static const placement least_loaded;
  [[nodiscard]] static constexpr placement given(worker_id worker) { return placement{kind::given, worker}; }

  [[nodiscard]] constexpr kind how() const { return how_; }
  // The worker of given; none otherwise.
  [[nodiscard]] constexpr worker_id worker() const { return worker_; }

  friend constexpr bool operator==(placement, placement) = default;

 private:
  constexpr explicit placement(kind how, worker_id worker = worker_id::none()) : how_{how}, worker_{worker} {}

  kind how_;
  worker_id worker_;
};

inline constexpr placement placement::injector{kind::injector};
inline constexpr placement placement::random{kind::random};
inline constexpr placement placement::round_robin{kind::round_robin};
inline constexpr placement placement::least_loaded{kind::least_loaded};

template <>
struct names<placement> {
  static constexpr std::string_view option = "placement";
  static constexpr std::array<std::string_view, 5> all{"injector", "random", "round_robin", "least_loaded",
                                                       "given:WORKER"};
};

// "injector", …, or "given:3".
[[nodiscard]] std::string to_string(placement value);
template <>
[[nodiscard]] parsed<placement> parse<placement>(std::string_view text, std::string_view option);

// Holds the position of round_robin. A body with several submitting threads guards it, or gives each thread its own.
class placement_policy {
 public:
  constexpr placement_policy(placement where, std::uint32_t workers) : where_{where}, workers_{workers} {}

  // The worker whose inbox gets the task, or none for the injector.
  template <load_view View>
  [[nodiscard]] constexpr worker_id choose(const View& view, random_stream& random) {
    switch (where_.how()) {
      case placement::kind::injector:
        break;
      case placement::kind::given:
        return where_.worker();
      case placement::kind::random:
        return worker_id{static_cast<std::uint32_t>(random.below(workers_))};
      case placement::kind::round_robin: {
        const worker_id chosen{next_};
        next_ = next_ + 1 == workers_ ? 0 : next_ + 1;
        return chosen;
      }
      case placement::kind::least_loaded: {
        if constexpr (ranked_load_view<View>) {
          if (view.knows_least_loaded()) return view.least_loaded(random);
        }
        const auto room = [&](std::size_t i) {
          return UINT64_MAX - static_cast<std::uint32_t>(view.size_hint(worker_id{static_cast<std::uint32_t>(i)}));
        };
        return worker_id{static_cast<std::uint32_t>(policy::random_argmax(workers_, room, random))};
      }
    }
    return worker_id::none();
  }

 private:
  placement where_;
  std::uint32_t workers_;
  std::uint32_t next_ = 0;
};

}  // namespace filch::inline v0::policy
