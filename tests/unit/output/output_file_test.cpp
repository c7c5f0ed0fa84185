// The files that the command writes, where others write too, where a signal ends the command, and on file systems that
// can do less.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <cstdio>
#include <fstream>
#include <functional>
#include <output_file.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

// What the file system says to flags of renameat2() and to hard links; 0: what it really says.
int flags_error = 0;
int link_error = 0;
// Called at each exchange of names, before it.
std::function<void()> before_exchange;

// access() says that this path cannot be written to.
std::string denied;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (flags == RENAME_EXCHANGE && before_exchange) before_exchange();
  if (flags != 0 && flags_error != 0) return errno = flags_error, -1;
  return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to, flags);
}

extern "C" int link(const char* from, const char* to) noexcept {
  if (link_error != 0) return errno = link_error, -1;
  return real<int(const char*, const char*)>("link")(from, to);
}

extern "C" int access(const char* path, int mode) noexcept {
  if (denied == path && (mode & W_OK) != 0) return errno = EACCES, -1;
  return real<int(const char*, int)>("access")(path, mode);
}

namespace {

namespace fs = std::filesystem;
using filch::tool::output_file;
using filch::tool::output_refused;

const std::string k_foreign = "what somebody has written\n";
const std::string k_page = "<!doctype html>\n<meta name=\"generator\" content=\"filch\">\n";

class files : public ::testing::Test {
 protected:
  files() { fs::create_directory(folder_); }
  ~files() override {
    flags_error = link_error = 0;
    before_exchange = nullptr;
    denied.clear();
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static void put(const std::string& file, const std::string& text) { std::ofstream{file, std::ios::binary} << text; }
  static std::string text_of(const std::string& file) {
    std::ostringstream out;
    out << std::ifstream{file, std::ios::binary}.rdbuf();
    return out.str();
  }
  [[nodiscard]] std::vector<std::string> in_folder() const {
    std::vector<std::string> out;
    for (const auto& each : fs::directory_iterator{folder_}) out.push_back(each.path().filename().string());
    std::ranges::sort(out);
    return out;
  }

  void write(const std::string& name, const std::string& text = k_page) const {
    output_file out{at(name)};
    out.stream() << text;
    out.finish();
  }

 private:
  const fs::path folder_ = fs::temp_directory_path() / ("filch_output." + std::to_string(::getpid()));
};

using names = std::vector<std::string>;

TEST_F(files, a_file_that_is_put_in_the_place_of_filchs_own_meanwhile_stays) {
  put(at("page.html"), k_page);
  for (const int error : {0, EINVAL}) {
    flags_error = error;
    {
      output_file out{at("page.html")};
      out.stream() << k_page << "new";
      put(at("mine.txt"), k_foreign);
      fs::rename(at("mine.txt"), at("page.html"));
      EXPECT_THROW(out.finish(), output_refused);
      EXPECT_EQ(text_of(at("page.html")), k_foreign);
    }
    EXPECT_EQ(text_of(at("page.html")), k_foreign);
    EXPECT_EQ(in_folder(), names{"page.html"});
    put(at("page.html"), k_page);
  }
}

TEST_F(files, folders_and_links_that_are_put_there_meanwhile_stay) {
  put(at("mine.txt"), k_page);
  const auto replaced_by = [&](const std::function<void()>& put_there) {
    fs::remove_all(at("page.html"));
    put(at("page.html"), k_page);
    output_file out{at("page.html")};
    out.stream() << k_page << "new";
    fs::remove(at("page.html"));
    put_there();
    EXPECT_THROW(out.finish(), output_refused);
  };
  replaced_by([&] { fs::create_directory(at("page.html")); });
  EXPECT_TRUE(fs::is_directory(at("page.html")));
  replaced_by([&] { fs::create_symlink(at("mine.txt"), at("page.html")); });
  EXPECT_TRUE(fs::is_symlink(at("page.html")));
  EXPECT_EQ(text_of(at("mine.txt")), k_page);
  EXPECT_EQ(in_folder(), (names{"mine.txt", "page.html"}));
}

TEST_F(files, a_file_that_comes_between_the_two_exchanges_of_names_stays) {
  put(at("page.html"), k_page);
  int exchanges = 0;
  {
    output_file out{at("page.html")};
    out.stream() << k_page;
    before_exchange = [&] {
      ++exchanges;
      const std::string text = exchanges == 1 ? k_foreign : "third\n";
      put(at("mine.txt"), text);
      fs::rename(at("mine.txt"), at("page.html"));
    };
    EXPECT_THROW(out.finish(), output_refused);
  }
  EXPECT_EQ(exchanges, 2);
  const names left = in_folder();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(text_of(at("page.html")), k_foreign);
  EXPECT_EQ(text_of(at(left[1])), "third\n") << left[1];
}

TEST_F(files, a_file_that_is_gone_meanwhile_is_written_anew) {
  put(at("page.html"), k_page);
  output_file out{at("page.html")};
  out.stream() << k_page << "new";
  fs::remove(at("page.html"));
  out.finish();
  EXPECT_EQ(text_of(at("page.html")), k_page + "new");
  EXPECT_EQ(in_folder(), names{"page.html"});
}

TEST_F(files, are_written_on_file_systems_that_know_no_flags_of_rename_and_no_hard_links) {
  for (const int flags : {EINVAL, ENOSYS, ENOTSUP}) {
    for (const int hard_link : {0, EPERM, ENOTSUP, ENOSYS}) {
      flags_error = flags;
      link_error = hard_link;
      write("page.html");
      write("page.html", k_page + "again");
      EXPECT_EQ(text_of(at("page.html")), k_page + "again") << flags << " " << hard_link;
      EXPECT_EQ(in_folder(), names{"page.html"});
      fs::remove(at("page.html"));

      output_file out{at("page.html")};
      put(at("page.html"), k_foreign);
      EXPECT_THROW(out.finish(), output_refused);
      EXPECT_EQ(text_of(at("page.html")), k_foreign) << flags << " " << hard_link;
      fs::remove(at("page.html"));
    }
  }
}

TEST_F(files, that_are_not_finished_are_removed_by_the_signal_that_ends_the_command) {
  put(at("old.html"), k_page);
  for (const char* const name : {"new.html", "old.html"}) {
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        output_file out{at(name)};
        out.stream() << k_page << "new" << std::flush;
        (void)std::raise(signal);
        ::_exit(1);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
      EXPECT_EQ(in_folder(), names{"old.html"}) << name << ", signal " << signal;
      EXPECT_EQ(text_of(at("old.html")), k_page);
    }
  }
}

TEST_F(files, that_are_finished_stay_when_a_signal_ends_the_command) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    write("first.html");
    write("second.html");
    (void)std::raise(SIGINT);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_EQ(in_folder(), (names{"first.html", "second.html"}));
}

TEST_F(files, a_signal_that_the_command_ignores_ends_nothing) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    output_file out{at("page.html")};
    out.stream() << k_page;
    (void)std::raise(SIGHUP);
    out.finish();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(in_folder(), names{"page.html"});
}

TEST_F(files, that_are_written_over_in_their_place_need_no_folder_that_can_be_written_to) {
  put(at("run.filch"), k_page);
  output_file::require(at("run.filch"));
  denied = fs::path{at("run.filch")}.parent_path().string();
  EXPECT_THROW(output_file::require(at("run.filch")), output_refused);
  output_file::require_in_place(at("run.filch"));
  EXPECT_THROW(output_file::require_in_place(at("new.filch")), output_refused);
  denied = at("run.filch");
  EXPECT_THROW(output_file::require_in_place(at("run.filch")), output_refused);
}

TEST_F(files, tell_their_size_and_pipes_do_not) {
  output_file out{at("page.html")};
  out.stream() << k_page;
  EXPECT_EQ(out.bytes(), k_page.size());
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  // Open on both ends, so that nobody waits for the other.
  std::fstream reader{at("pipe")};
  output_file pipe{at("pipe")};
  pipe.stream() << k_page;
  EXPECT_EQ(pipe.bytes(), std::nullopt);
}

}  // namespace
