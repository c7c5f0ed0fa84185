// filch analyze: what a recording says about its run, in words, as JSON or as a page.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace filch::tool {

struct analyze_arguments {
  std::string file;
  std::string baseline{};  // a recording to compare the work with; empty: none
  std::string report{};    // .html; empty: none
  std::string picture{};   // .svg; empty: none
  bool json = false;
};

void analyze_command(const analyze_arguments& given);

void add_analyze(CLI::App& app, analyze_arguments& into);

}  // namespace filch::tool
