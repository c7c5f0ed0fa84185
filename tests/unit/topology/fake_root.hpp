// A directory tree that stands for "/" in a test, removed at its end.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

class fake_root {
 public:
  fake_root() {
    std::string name = (std::filesystem::temp_directory_path() / "filch-root-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary directory";
    path_ = name;
  }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;
  ~fake_root() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  // `file` is given from the root: "sys/devices/…".
  fake_root& write(const std::string& file, std::string_view content) {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream out{path_ / file, std::ios::binary};
    out << content;
    if (!out) ADD_FAILURE() << "cannot write " << file;
    return *this;
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
