// How good predictions are: kernels are recorded on one worker, predicted for others, and measured there.
//
// A prediction uses recordings with one worker and the machine file only. Recordings and measured runs take turns, so
// that a slow time of the machine hits both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <machine_file.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace filch::tool {

struct validated_case {
  std::string_view name;    // "uts-T1"
  std::string_view kernel;  // "uts"
  std::string_view tree;
  std::uint64_t size = 0;
  std::uint64_t quick_size = 0;
  bool is_memory_bound = false;
  std::size_t ring_events = std::size_t{1} << 18;  // room for what one run records
};
[[nodiscard]] std::span<const validated_case> validated_cases();

struct validation_row {
  std::string workload;
  bool is_memory_bound = false;
  std::uint32_t workers = 1;
  double predicted_s = 0;  // medians over the rounds
  double measured_s = 0;
  double measured_low_s = 0;  // quartiles
  double measured_high_s = 0;
  double inflation = 1;     // of work, for those bound by memory: measured, and an input of the prediction
  std::uint64_t tasks = 0;  // of a recording
  double span_s = 0;

  // 0.05: 5 % too long.
  [[nodiscard]] double error() const { return predicted_s / measured_s - 1; }
};

struct validation_options {
  std::vector<const validated_case*> cases;
  std::vector<std::uint32_t> workers{1, 2};
  std::uint32_t rounds = 7;
  bool is_quick = false;
  scenario::machine_description machine{};
};

struct validation {
  std::vector<validation_row> rows;
  double cpu_share = 1;  // that a run with one worker had of its CPU, median; less than 1: other programs run too
};

// `say` is told what comes next. Throws `failure` when a kernel gives a wrong result.
[[nodiscard]] validation validate(const validation_options& how, const std::function<void(const std::string&)>& say);

}  // namespace filch::tool
