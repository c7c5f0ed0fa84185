#include "plot_file.hpp"

#include <output_file.hpp>

#include "../errors.hpp"
#include "../option_reading.hpp"

namespace filch::tool {

void require_plot_name(const std::string& file, const std::string& option) {
  if (!file.ends_with(".svg")) refuse(option, file, "a name that ends in .svg");
  output_file::require(file);
}

std::string write_plot_file(const std::string& svg, const std::string& file) {
  output_file out{file};
  out.stream() << svg;
  out.finish();
  return "Wrote "s + file + ".\n";
}

}  // namespace filch::tool
