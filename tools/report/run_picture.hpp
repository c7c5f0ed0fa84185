// A run as one small SVG picture: what each worker ran, in the colours of the tasks' names, the critical path below,
// and a bar with the shares of the workers' time. For documents; to look closer there is the page.
#pragma once

#include <findings.hpp>
#include <string>

namespace filch::report {

// Columns that hold more than one task have the colour of the one that ran longest in them. At most 64 workers are
// drawn, and the seven names with the most work have colours of their own.
[[nodiscard]] std::string run_picture(const analysis::dag& graph, const analysis::findings& found,
                                      std::string_view title);

}  // namespace filch::report
