#include "trace/spill.hpp"

#include "trace/binary_format.hpp"
#include "trace/blocks.hpp"
#include "trace/bytes.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace filch::inline v0::trace {
namespace {

// The run is among the first that the metadata says.
constexpr std::size_t k_head_bytes = std::size_t{1} << 16;

// -1: errno says why.
int open_to_write(const std::string& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) {
    if (errno != ENOENT) return -1;
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    // Another process was faster, or it is a link to nothing.
    if (made >= 0 || errno != EEXIST || ::stat(file.c_str(), &found) != 0) return made;
  }
  if (S_ISBLK(found.st_mode)) return errno = ENOTSUP, -1;
  return ::open(file.c_str(), (S_ISREG(found.st_mode) ? O_RDWR : O_WRONLY) | O_CLOEXEC);
}

// May what lies there be written over? An empty file may, and a recording; a pipe or a device holds nothing.
bool is_replaceable(int descriptor) {
  struct stat found{};
  if (::fstat(descriptor, &found) != 0) return false;
  if (!S_ISREG(found.st_mode) || found.st_size == 0) return true;
  std::array<char, k_magic.size()> head{};
  return ::pread(descriptor, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()) &&
         std::string_view{head.data(), head.size()} == k_magic;
}

bool is_locked_by_another(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// Does a recording of this run lie there? Its head says so in the bytes that this run's own will have.
bool is_of_run(int descriptor, const std::vector<text_pair>& pairs) {
  const auto run = std::ranges::find(pairs, k_run_key, &text_pair::first);
  if (run == pairs.end()) return false;
  std::string said;
  put_text(said, run->first);
  put_text(said, run->second);
  std::string head(k_head_bytes, '\0');
  const ssize_t got = ::pread(descriptor, head.data(), head.size(), 0);
  if (got <= 0) return false;
  head.resize(static_cast<std::size_t>(got));
  return head.starts_with(k_magic) && head.find(said) != std::string::npos;
}

[[noreturn]] void throw_system(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

std::string with_number(const std::string& file, std::uint64_t number) {
  const std::size_t slash = file.rfind('/');
  const std::size_t dot = file.rfind('.');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  std::string out = file.substr(0, has_ending ? dot : file.size());
  out.append(1, '.').append(std::to_string(number));
  if (has_ending) out.append(file, dot);
  return out;
}

spill::spill(const std::string& file, const recording_metadata& about) : owner_{::getpid()} {
  const auto pairs = metadata_pairs(about);
  if (const std::string wrong = check_pairs(pairs); !wrong.empty()) {
    throw std::invalid_argument("filch trace session: about cannot be written: " + wrong);
  }
  said_.file = file;
  descriptor_ = open_to_write(file);
  // The lock says to other processes that this one writes here.
  std::string numbered = file;
  for (std::uint64_t turn = 1; descriptor_ >= 0 && (is_locked_by_another(descriptor_) || is_of_run(descriptor_, pairs));
       ++turn) {
    ::close(descriptor_);
    if (turn == 1) numbered = with_number(file, static_cast<std::uint64_t>(owner_));
    said_.file = turn == 1 ? numbered : with_number(numbered, turn);
    descriptor_ = open_to_write(said_.file);
  }
  if (descriptor_ < 0) throw_system("filch trace session: spill = \"" + said_.file + "\" cannot be written");
  if (!is_replaceable(descriptor_)) {
    ::close(descriptor_);
    throw std::runtime_error("filch trace session: spill = \"" + said_.file +
                             "\" is there already and is no recording: it stays as it is");
  }
  (void)!::ftruncate(descriptor_, 0);  // a pipe or a device has no length
  put_file_head(bytes_);
  put_pairs_block(bytes_, k_block_metadata, pairs);
  flush();
  if (has_failed()) {
    ::close(descriptor_);
    throw std::runtime_error("filch trace session: spill = \"" + said_.file + "\" cannot be written: " + said_.error);
  }
}

spill::~spill() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool spill::is_ours() const { return ::getpid() == owner_; }

void spill::put_names(std::span<const name_entry> all) {
  put_name_blocks(bytes_, all, names_);
  names_ = all.size();
}

void spill::put_events(std::uint64_t worker_code, std::span<const event> events) {
  put_event_blocks(bytes_, worker_code, events);
  said_.events += events.size();
  for (const event& e : events) {
    if (e.kind == event_kind::start) ++said_.tasks;
    if (e.kind == event_kind::dropped) said_.dropped += e.argument;
  }
}

void spill::put_usage(std::uint64_t worker, std::span<const thread_sample> samples) {
  put_usage_blocks(bytes_, worker, samples);
}

void spill::flush() {
  std::string_view left = bytes_;
  while (!left.empty() && !has_failed()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
      said_.bytes += static_cast<std::uint64_t>(written);
    } else if (errno != EINTR) {
      said_.error = std::generic_category().message(errno);
    }
  }
  bytes_.clear();
}

void spill::close(const std::vector<std::pair<std::string, std::string>>& facts) {
  put_pairs_block(bytes_, k_block_facts, facts);
  put_end_block(bytes_, said_.events);
  flush();
  if (descriptor_ >= 0 && ::close(descriptor_) != 0 && !has_failed()) {
    said_.error = std::generic_category().message(errno);
  }
  descriptor_ = -1;
}

}  // namespace filch::inline v0::trace
