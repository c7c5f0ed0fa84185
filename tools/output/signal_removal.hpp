// A file that a signal removes before it ends the process: SIGHUP, SIGINT and SIGTERM, unless the command has set them
// to do something else. SIGKILL leaves the file.
//
// One file at a time: while one is registered, a further one is not.
#pragma once

#include <string>

namespace filch::tool {

class signal_removal {
 public:
  explicit signal_removal(const std::string& file);
  signal_removal(const signal_removal&) = delete;
  signal_removal& operator=(const signal_removal&) = delete;
  // From now on the file stays.
  ~signal_removal();

 private:
  char* mine_ = nullptr;
};

}  // namespace filch::tool
