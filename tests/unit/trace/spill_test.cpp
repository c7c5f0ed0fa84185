// Sessions that write to a file while they record.
#include <filch/trace/binary.hpp>
#include <filch/trace/session.hpp>

#include "sample.hpp"
#include "trace/spill.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace filch_trace_test;

// A name in the directory for temporary files that no other test has.
std::string file_for_this_test() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string{"filch_"} + test->name() + "." + std::to_string(::getpid()) + ".filch";
  return (std::filesystem::temp_directory_path() / name).string();
}

read_result read_file(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  return read_binary(in);
}

TEST(spill, a_session_with_a_file_writes_what_it_would_have_collected) {
  const std::string file = file_for_this_test();
  session s{{.workers = 2, .about = {.seed = 5, .policy = "p", .extra = {{"k", "v"}}}, .spill = file}};
  s.start();
  const name_id fib = s.names().intern("fib", rgb{1, 2, 3});
  s.of_worker(worker_id{1}).spawn(task_id{1}, task_id::none(), fib);
  s.outside().inject(task_id{1});
  s.drain();
  s.of_worker(worker_id{1}).start(task_id{1});
  s.of_worker(worker_id{1}).end(task_id{1});
  const spill_summary said = s.finish();
  EXPECT_EQ(said.file, file);
  EXPECT_EQ(said.error, "");
  EXPECT_EQ(said.events, 4u);
  EXPECT_EQ(said.tasks, 1u);
  EXPECT_EQ(said.bytes, std::filesystem::file_size(file));
  EXPECT_EQ(s.finish().events, 4u);  // a second time changes nothing

  const read_result back = read_file(file);
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value.check(), "");
  EXPECT_EQ(back.value.about.seed, 5u);
  EXPECT_EQ(back.value.about.source, "threads");
  EXPECT_FALSE(back.value.about.clock.empty());
  EXPECT_EQ(back.value.names, (std::vector<name_entry>{{"fib", rgb{1, 2, 3}}}));
  EXPECT_EQ(back.value.workers[1].size(), 3u);
  EXPECT_EQ(back.value.outside.size(), 1u);
  EXPECT_THROW((void)s.collect(), std::logic_error);
  std::filesystem::remove(file);
}

// Property: no event is lost, however small the rings are, because a recorder whose ring is full has it emptied.
TEST(spill, a_full_ring_is_emptied_by_who_finds_it_full) {
  const std::string file = file_for_this_test();
  constexpr std::uint64_t k_events = 20'000;
  {
    session s{{.workers = 2, .ring_events = 64, .spill = file}};
    s.start();
    const auto record = [&](auto& to) {
      for (std::uint64_t i = 0; i != k_events; ++i) to.queue_length(i + 1);
    };
    std::thread first{[&] { record(s.of_worker(worker_id{0})); }};
    std::thread second{[&] { record(s.of_worker(worker_id{1})); }};
    record(s.outside());
    first.join(), second.join();
  }
  const read_result back = read_file(file);
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value.check(), "");
  EXPECT_EQ(back.value.dropped_count(), 0u);
  for (const auto* list : {&back.value.workers[0], &back.value.workers[1], &back.value.outside}) {
    ASSERT_EQ(list->size(), k_events);
    EXPECT_EQ(list->back().argument, k_events);
  }
  std::filesystem::remove(file);
}

TEST(spill, what_is_no_recording_stays_as_it_is) {
  const std::string file = file_for_this_test();
  const auto text_of = [&] {
    std::ostringstream out;
    out << std::ifstream{file, std::ios::binary}.rdbuf();
    return out.str();
  };
  for (const std::string before : {"notes", "a longer text than the head of a recording\n",
                                   "\x89"
                                   "filc"}) {
    std::ofstream{file, std::ios::binary} << before;
    EXPECT_THROW((session{{.workers = 1, .spill = file}}), std::runtime_error);
    EXPECT_EQ(text_of(), before);
  }
  std::filesystem::remove(file);
  std::ofstream{file}.close();
  for (const std::uint64_t seed : {1u, 2u}) {
    session s{{.workers = 1, .about = {.seed = seed}, .spill = file}};
    EXPECT_EQ(s.finish().error, "");
    EXPECT_EQ(read_file(file).value.about.seed, seed);
  }
  std::filesystem::remove(file);
  std::filesystem::create_symlink(file + ".nothing", file);
  EXPECT_THROW((session{{.workers = 1, .spill = file}}), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(file + ".nothing"));
  std::filesystem::remove(file);
  EXPECT_THROW((session{{.workers = 1, .spill = "/dev/full"}}), std::runtime_error);
}

TEST(spill, what_a_process_wrote_before_it_was_killed_is_readable) {
  const std::string file = file_for_this_test();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    session s{{.workers = 1, .spill = file}};
    s.start();
    s.of_worker(worker_id{0}).start(task_id{1});
    s.drain();
    s.of_worker(worker_id{0}).end(task_id{1});
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const read_result back = read_file(file);
  ASSERT_TRUE(back.error);
  EXPECT_EQ(back.error->why, read_error::reason::truncated);
  EXPECT_TRUE(back.is_usable);
  ASSERT_GE(back.value.workers[0].size(), 1u);
  EXPECT_EQ(back.value.workers[0][0].kind, event_kind::start);
  std::filesystem::remove(file);
}

TEST(spill, a_child_of_fork_leaves_the_file_to_its_parent) {
  const std::string file = file_for_this_test();
  auto* const s = new session{{.workers = 1, .spill = file}};
  s->start();
  s->of_worker(worker_id{0}).start(task_id{1});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    s->finish_in_emergency();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  s->of_worker(worker_id{0}).end(task_id{1});
  delete s;
  const read_result back = read_file(file);
  ASSERT_FALSE(back.error) << back.error->text();
  EXPECT_EQ(back.value.workers[0].size(), 2u);
  std::filesystem::remove(file);
}

TEST(spill, a_file_that_another_session_writes_gets_a_number_and_one_that_cannot_be_made_an_error) {
  const std::string file = file_for_this_test();
  session first{{.workers = 1, .spill = file}};
  session second{{.workers = 1, .spill = file}};
  const std::string other = second.finish().file;
  EXPECT_EQ(other, with_number(file, static_cast<std::uint64_t>(::getpid())));
  EXPECT_FALSE(read_file(other).error);
  (void)first.finish();
  EXPECT_FALSE(read_file(file).error);
  std::filesystem::remove(file), std::filesystem::remove(other);

  EXPECT_THROW((session{{.workers = 1, .spill = file + "/inside"}}), std::system_error);
}

// Property: programs that one program starts one after another do not write over each other's recordings; those of an
// earlier run are written over.
TEST(spill, a_file_that_the_same_run_has_written_gets_a_number) {
  const std::string file = file_for_this_test();
  const std::string other = with_number(file, static_cast<std::uint64_t>(::getpid()));
  const auto record = [&](const std::string& run, std::uint64_t seed) {
    session s{{.workers = 1, .about = {.seed = seed, .extra = {{std::string{k_run_key}, run}}}, .spill = file}};
    return s.finish().file;
  };
  EXPECT_EQ(record("one", 1), file);
  EXPECT_EQ(record("one", 2), other);
  EXPECT_EQ(read_file(file).value.about.seed, 1u);
  EXPECT_EQ(read_file(other).value.about.seed, 2u);
  // A program that starts another one in its place keeps its process.
  const std::string third = with_number(other, 2);
  EXPECT_EQ(record("one", 5), third);
  EXPECT_EQ(read_file(other).value.about.seed, 2u);
  EXPECT_EQ(record("two", 3), file);
  EXPECT_EQ(read_file(file).value.about.seed, 3u);
  session{{.workers = 1, .about = {.seed = 4}, .spill = file}};
  EXPECT_EQ(read_file(file).value.about.seed, 4u);
  for (const std::string& each : {file, other, third}) std::filesystem::remove(each);
}

TEST(spill, a_full_disk_ends_the_recording_and_says_why) {
  // A full disk is played by a device that Linux has and other systems and some containers lack; CI has it.
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full to write to";
  EXPECT_THROW((session{{.workers = 1, .spill = "/dev/full"}}), std::runtime_error);
}

TEST(spill, numbers_go_before_the_ending) {
  EXPECT_EQ(with_number("run.filch", 2), "run.2.filch");
  EXPECT_EQ(with_number("a.b/run", 3), "a.b/run.3");
  EXPECT_EQ(with_number("a/.run", 4), "a/.run.4");
}

}  // namespace
