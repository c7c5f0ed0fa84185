// Values are combined with each other: an operation that takes an element and a sum of another type cannot do that.
// expect: combines_values
#include <filch/algo/reduce.hpp>

#include <string>
#include <vector>

std::size_t f(const std::vector<std::string>& xs) {
#ifdef FILCH_VALID
  return filch::transform_reduce(xs, std::size_t{0}, std::plus<>{}, [](const std::string& x) { return x.size(); });
#else
  return filch::reduce(xs, std::size_t{0}, [](std::size_t sum, const std::string& x) { return sum + x.size(); });
#endif
}
