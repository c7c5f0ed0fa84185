#include "plot_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "../errors.hpp"
#include "../option_reading.hpp"

namespace filch::tool {

void require_plot_name(const std::string& file, const std::string& option) {
  if (!file.ends_with(".svg")) refuse(option, file, "a name that ends in .svg");
}

std::string write_plot_file(const std::string& svg, const std::string& file) {
  std::ofstream out{file, std::ios::binary | std::ios::trunc};
  if (!out) throw failure(file + " cannot be written: " + std::generic_category().message(errno));
  out << svg;
  out.flush();
  if (!out) throw failure(file + " could not be written: " + std::generic_category().message(errno));
  return "Wrote "s + file + ".\n";
}

}  // namespace filch::tool
