// Charts as files.
#pragma once

#include <string>

namespace filch::tool {

// Throws bad_usage, naming `option`, unless the name ends in .svg.
void require_plot_name(const std::string& file, const std::string& option);

// Writes the picture and returns what to tell people. Throws `failure` when it cannot.
std::string write_plot_file(const std::string& svg, const std::string& file);

}  // namespace filch::tool
