// What the function makes of an element must be a value that the operation combines.
// expect: gives_value
#include <filch/algo/reduce.hpp>

#include <string>
#include <vector>

std::size_t f(const std::vector<std::string>& xs) {
#ifdef FILCH_VALID
  return filch::transform_reduce(xs, std::size_t{0}, std::plus<>{}, [](const std::string& x) { return x.size(); });
#else
  return filch::transform_reduce(xs, std::size_t{0}, std::plus<>{}, [](const std::string& x) { return x + "."; });
#endif
}
