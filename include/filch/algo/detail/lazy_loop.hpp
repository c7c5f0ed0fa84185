// The loop below most algorithms: serial until a thief asks for work. See indexed_loop.hpp and walked_loop.hpp.
#pragma once

#include <filch/algo/detail/indexed_loop.hpp>
#include <filch/algo/detail/pace.hpp>
#include <filch/algo/detail/positions.hpp>
#include <filch/algo/detail/walked_loop.hpp>

#include <cstddef>
#include <type_traits>

namespace filch::inline v0::algo::detail {

// Site is a type that stands for the call site: usually that of the user's function.
template <class Site, class At, class Body>
void run_lazily(At first, std::size_t count, hint given, Body&& body, pace::trust how = pace::trust::site) {
  const pace fresh{given, cost_at<Site>, how};
  if constexpr (is_indexable<At>) indexed_loop<At, std::remove_reference_t<Body>>{body, first, count, fresh}.run();
  else walked_loop<At, std::remove_reference_t<Body>>{body, count, fresh}.run(first);
}

}  // namespace filch::inline v0::algo::detail
