#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::for_each_problem([](auto items) {
  tbb::parallel_for(tbb::blocked_range<std::uint32_t*>{items.data(), items.data() + items.size()},
                    [](const auto& range) {
                      for (std::uint32_t& each : range) filch::bench::cheap_step(each);
                    });
})};
