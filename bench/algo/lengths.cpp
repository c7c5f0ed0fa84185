// length_bench [--workers 16] [--rounds n] [--without throttle|join_first|one_place|linger]
//
// Loops by length and place: one `for_each` over doubles, whose serial length is given, in a row, each behind a pause
// of 100 µs and each behind one of 2 ms, called inside run() and from the main thread. Serial loops and all others take
// turns; medians in µs are printed, and the half-efficiency length: the shortest serial length at which the workers are
// half as many times as fast. Shorter rows than that show what waking and dividing cost.
#include <filch/algo/for_each.hpp>
#include <filch/runtime/runtime.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;

constexpr std::array<double, 5> k_lengths_us{40, 105, 380, 1300, 6400};
constexpr std::array<int, 3> k_pauses_us{0, 100, 2000};
constexpr int k_in_a_row = 10;

void work(double& x) { x = x * 1.0000001 + 0.0000001; }

double us_since(steady::time_point began) {
  return std::chrono::duration<double, std::micro>(steady::now() - began).count();
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

// Spins, as a program does that computes something else.
void pause(int span_us) {
  const auto began = steady::now();
  while (us_since(began) < span_us) {}
}

template <class Loop>
double mean_us(std::vector<double>& xs, int pause_us, const Loop& loop) {
  double sum_us = 0;
  for (int i = 0; i != k_in_a_row; ++i) {
    if (pause_us != 0) pause(pause_us);
    const auto began = steady::now();
    loop(xs);
    sum_us += us_since(began);
  }
  return sum_us / k_in_a_row;
}

void serial(std::vector<double>& xs) {
  for (double& x : xs) work(x);
}
void parallel(std::vector<double>& xs) { filch::for_each(xs, &work); }

// How many doubles take so long serially.
std::size_t size_of(double length_us) {
  std::vector<double> xs(1'000'000, 0.5);
  serial(xs);
  std::vector<double> each;
  for (int i = 0; i != 9; ++i) {
    const auto began = steady::now();
    serial(xs);
    each.push_back(us_since(began));
  }
  return static_cast<std::size_t>(length_us / median(each) * static_cast<double>(xs.size()));
}

struct row {
  std::vector<double> serial_us, inside_us, outside_us;
};

void show(const char* name, const std::vector<std::vector<row>>& rows, std::vector<double> row::* which,
          unsigned workers) {
  std::printf("%-10s", name);
  for (std::size_t p = 0; p != k_pauses_us.size(); ++p) {
    double half_us = 0;
    for (std::size_t l = k_lengths_us.size(); l-- != 0;) {
      if (median(rows[p][l].serial_us) / median(rows[p][l].*which) < workers / 2.0) break;
      half_us = median(rows[p][l].serial_us);
    }
    for (const row& each : rows[p]) std::printf(" %6.0f", median(each.*which));
    half_us == 0 ? std::printf("  (half: >%.0f)", k_lengths_us.back()) : std::printf("  (half: %.0f)", half_us);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  unsigned workers = std::thread::hardware_concurrency();
  int rounds = 15;
  filch::options how;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string value = argv[i + 1];
    if (std::strcmp(argv[i], "--workers") == 0) workers = static_cast<unsigned>(std::atoi(argv[i + 1]));
    else if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::max(std::atoi(argv[i + 1]), 1);
    else if (value == "throttle") how.demand.throttle = false;
    else if (value == "join_first") how.demand.join_first = false;
    else if (value == "one_place") how.demand.one_place = false;
    else if (value == "linger") how.idle.linger_ns = 0;
  }
  how.workers = workers;
  ::setenv("FILCH_WORKERS", std::to_string(workers).c_str(), 1);
  filch::runtime rt{how};
  std::vector<std::vector<row>> rows(k_pauses_us.size(), std::vector<row>(k_lengths_us.size()));
  std::array<std::vector<double>, k_lengths_us.size()> data;
  for (std::size_t l = 0; l != data.size(); ++l) data[l].assign(size_of(k_lengths_us[l]), 0.5);
  for (int round = -1; round != rounds; ++round) {
    for (std::size_t p = 0; p != k_pauses_us.size(); ++p) {
      for (std::size_t l = 0; l != data.size(); ++l) {
        const double alone = mean_us(data[l], k_pauses_us[p], &serial);
        const double inside = rt.run([&] { return mean_us(data[l], k_pauses_us[p], &parallel); });
        const double outside = mean_us(data[l], k_pauses_us[p], &parallel);
        if (round < 0) continue;  // warm-up
        rows[p][l].serial_us.push_back(alone);
        rows[p][l].inside_us.push_back(inside);
        rows[p][l].outside_us.push_back(outside);
      }
    }
  }
  std::printf("%u workers, us per loop: in a row | behind 100 us | behind 2 ms\n", workers);
  show("serial", rows, &row::serial_us, 1);
  show("inside", rows, &row::inside_us, workers);
  show("outside", rows, &row::outside_us, workers);
}
