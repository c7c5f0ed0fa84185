// How late handlers start that come from outside while all threads sleep.
#include "../harness/asio.hpp"

namespace filch::bench {
namespace {

constexpr auto k_start = [](auto function) { asio::post(measured_pool(), std::move(function)); };

const added k_wake{wake_shape("wake", 0.5, k_start)};
const added k_wake_p99{wake_shape("wake_p99", 0.99, k_start)};

}  // namespace
}  // namespace filch::bench
