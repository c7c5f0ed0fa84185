// Numbers and tables for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace filch::tool {

// Sums of texts begin with a literal like "this"s: g++ 12 warns without cause about sums that begin with an array.
using namespace std::string_literals;

// "3.14" for (3.14159, 2).
[[nodiscard]] std::string fixed(double value, int digits);
// "850 ns", "62.3 µs", "1.24 ms", "6.23 s": three digits and the unit that fits.
[[nodiscard]] std::string duration_text(double seconds);
// "12.3 M", "950 k": three digits and a decimal prefix.
[[nodiscard]] std::string magnitude_text(double value);
// "1 task", "3 tasks".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);

// How many terminal columns `text` takes: every code point counts one.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// `text` with blanks on its left or right up to `width` columns.
[[nodiscard]] std::string padded_left(std::string_view text, std::size_t width);
[[nodiscard]] std::string padded_right(std::string_view text, std::size_t width);
// A sentence or several as lines of at most 110 columns, each with a newline at its end.
[[nodiscard]] std::string wrapped(std::string_view text);

// Columns as wide as their widest cell; the first is aligned to the left, the others to the right.
class text_table {
 public:
  explicit text_table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }

  // Control characters in the cells are replaced by their pictures.
  void add(std::vector<std::string> row);
  // The last column holds sentences: it is aligned to the left too.
  void end_with_text() { ends_with_text_ = true; }

  // Every line begins with `indent` blanks and ends with a newline.
  [[nodiscard]] std::string text(std::size_t indent = 2) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool ends_with_text_ = false;
};

}  // namespace filch::tool
