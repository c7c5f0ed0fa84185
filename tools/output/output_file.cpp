#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace filch::tool {
namespace {

namespace fs = std::filesystem;

std::string system_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw output_refused{name + " " + why}; }
[[noreturn]] void cannot(const std::string& name, int error) {
  refuse(name, "cannot be written: " + system_text(error));
}

std::string beginning_of(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::string out(k_telling_bytes, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(in.gcount()));
  return out;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What filch's own writers put at the head of each kind of file. A sign is more than a user would write by chance: it
// is the beginning, and for kinds that others write too, a mark close behind it.
struct sign {
  std::string_view begins;
  std::string_view has = {};
  std::size_t within = 0;  // bytes
};
constexpr std::string_view k_recording{
    "\x89"
    "filch\r\n"};
// Perfetto's first packet: process 1 is called filch.
constexpr std::string_view k_first_packet{
    "\x0a\x14h\x01P\x01\xe2\x03\x0d\x08\x01\x1a\x09\x08\x01\x32\x05"
    "filch"};
constexpr std::array<sign, 9> k_signs{{
    {k_recording},
    {k_first_packet},
    {"<!doctype html>\n", "<meta name=\"generator\" content=\"filch\">", 256},
    {"<svg ", "<!-- filch -->", 512},
    {"{\"displayTimeUnit\":\"ns\",\"otherData\":{", "\"args\":{\"name\":\"filch\"}",
     k_telling_bytes},                                                       // Chrome's trace
    {"{\n  \"written_by\": \"filch "},                                       // figures
    {"{\n  \"name\": \"", "\"title\": \"measured by filch calibrate", 512},  // a machine
    {"{\n \"context\": {", "\"kind\": \"workloads\"", 64},                   // filch bench
    {"{\n \"context\": {", "\"kind\": \"async\"", 64},                       // filch bench async
}};

constexpr const char* k_foreign = "exists, and filch has not written it. Remove it, or choose another name";

// Of a name that leads to no link: is it an empty file, or one that filch has written?
bool is_replaceable(const std::string& file) {
  struct stat found{};
  if (::lstat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  return found.st_size == 0 || is_written_by_filch(beginning_of(file));
}

void require_folder(const std::string& name, const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) cannot(name, errno);
}

// ---- names of files. Each returns 0 or errno ------------------------------------------------------------------------

bool is_unsupported(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }

int exchange_names(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
}

int rename_over(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// EEXIST: something has the name `to`. Not every file system can say "only if there is none", and not every one of
// those has hard links; on what is left, a file that is put there between the last two calls is lost.
int rename_to_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (!is_unsupported(errno)) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno != EPERM && !is_unsupported(errno)) return errno;
  struct stat found{};
  if (::lstat(to.c_str(), &found) == 0) return EEXIST;
  return errno == ENOENT ? rename_over(from, to) : errno;
}

}  // namespace

bool is_written_by_filch(std::string_view begins) {
  return std::ranges::any_of(k_signs, [&](const sign& each) {
    return begins.starts_with(each.begins) && has(begins.substr(0, each.within), each.has);
  });
}

output_file::place output_file::look_at(const std::string& name) {
  struct stat found{};
  if (::stat(name.c_str(), &found) != 0) {
    const int error = errno;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(name, ignored))) refuse(name, "is a link to a file that is not there");
    if (error != ENOENT) cannot(name, error);
    return {.file = name};
  }
  if (S_ISDIR(found.st_mode)) refuse(name, "is a folder");
  if (S_ISBLK(found.st_mode)) refuse(name, "is a disk");
  if (!S_ISREG(found.st_mode)) return {.file = name, .is_there = true, .is_device = true};
  std::error_code problem;
  place out{.file = fs::canonical(name, problem).string(), .is_there = true, .mode = found.st_mode & 07777u};
  if (problem) cannot(name, problem.value());
  if (::access(out.file.c_str(), W_OK) != 0) cannot(name, errno);
  if (found.st_size != 0 && !is_written_by_filch(beginning_of(out.file))) {
    refuse(name, k_foreign);
  }
  return out;
}

void output_file::require(const std::string& name) {
  const place where = look_at(name);
  if (!where.is_device) require_folder(name, where.file);
}

void output_file::require_in_place(const std::string& name) {
  const place where = look_at(name);
  if (!where.is_there) require_folder(name, where.file);
}

output_file::output_file(const std::string& name) : name_{name}, where_{look_at(name)} {
  if (!where_.is_device) open_beside();
  out_.open(where_.is_device ? where_.file : unfinished_, std::ios::binary);
  if (out_) return;
  const int error = errno;
  give_up();
  cannot(name_, error);
}

output_file::~output_file() { give_up(); }

void output_file::open_beside() {
  constexpr int k_tries = 100;  // another command may leave one behind when it is killed
  int descriptor = -1;
  for (int i = 0; i != k_tries && descriptor < 0; ++i) {
    unfinished_ = where_.file;
    unfinished_.append(".unfinished").append(std::to_string(::getpid()));
    if (i != 0) unfinished_.append(".").append(std::to_string(i));
    descriptor = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) {
    const int error = errno;
    unfinished_.clear();
    cannot(name_, error);
  }
  removal_.emplace(unfinished_);
  if (where_.is_there) (void)::fchmod(descriptor, where_.mode);
  struct stat made{};
  (void)::fstat(descriptor, &made);
  device_ = made.st_dev;
  inode_ = made.st_ino;
  ::close(descriptor);
}

std::optional<std::uint64_t> output_file::bytes() {
  if (where_.is_device) return std::nullopt;
  return static_cast<std::uint64_t>(out_.tellp());
}

void output_file::finish(const std::optional<std::string>& problem) {
  // Once a write has failed the stream tries no other, and closing it says nothing new.
  const int error_before = errno == 0 ? EIO : errno;
  errno = 0;
  out_.close();
  if (!out_) refuse(name_, "could not be written: " + system_text(errno == 0 ? error_before : errno));
  if (problem) refuse(name_, "could not be written: " + *problem);
  if (!unfinished_.empty()) take_name();
}

void output_file::take_name() {
  // A signal must not remove what comes out of an exchange of names.
  removal_.reset();
  if (where_.is_there) return replace();
  if (const int error = rename_to_free(unfinished_, where_.file)) {
    refuse(name_, "could not be written: " + system_text(error));
  }
  unfinished_.clear();
}

// What is there may be another file than the one that was looked at. So the two files exchange their names at once, and
// what came out is looked at before it is removed.
void output_file::replace() {
  int error = exchange_names(unfinished_, where_.file);
  const bool is_exchanged = error == 0;
  if (error == ENOENT) error = rename_to_free(unfinished_, where_.file);
  else if (is_unsupported(error)) {
    if (!is_replaceable(where_.file)) refuse(name_, k_foreign);
    error = rename_over(unfinished_, where_.file);
  }
  if (error != 0) refuse(name_, "could not be written: " + system_text(error));
  if (is_exchanged && !is_replaceable(unfinished_)) {
    if (exchange_names(unfinished_, where_.file) == 0 && is_own(unfinished_)) refuse(name_, k_foreign);
    const std::string kept = std::exchange(unfinished_, {});
    refuse(name_, "was replaced by another program meanwhile. Its file is now " + kept);
  }
  give_up();
}

bool output_file::is_own(const std::string& file) const {
  struct stat found{};
  return ::lstat(file.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
}

void output_file::give_up() noexcept {
  if (!unfinished_.empty()) (void)::unlink(unfinished_.c_str());
  unfinished_.clear();
  removal_.reset();
}

}  // namespace filch::tool
