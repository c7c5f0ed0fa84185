#include <filch/topology/load_machine.hpp>
#include <filch/topology/machine_file.hpp>

#include "fake_root.hpp"
#include "thrown_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

using namespace filch::topology;

const std::filesystem::path k_data = FILCH_TEST_DATA;

const char* const k_small_json = R"({
  "format": "filch-machine",
  "version": 1,
  "packages": [{"os_id": 0}],
  "nodes": [{"os_id": 0}],
  "cores": [{"package": 0, "node": 0, "cpus": "0-1"}]
})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = k_small_json;
  const auto at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << from << " is not in the text";
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  return thrown_text([&] { static_cast<void>(machine_from_json(text, "m.json")); });
}

// Every test that reads JSON says nothing in a build that cannot.
class machine_json : public testing::Test {
 protected:
  void SetUp() override {
    // A build without the JSON library has no machine files to read; CI builds with it, and there nothing is skipped.
    if (!built_with_json()) GTEST_SKIP() << "built without FILCH_WITH_JSON";
  }
};

TEST_F(machine_json, a_written_machine_is_read_back_the_same) {
  machine odd = machine::synthetic({.packages = 2,
                                    .nodes_per_package = 2,
                                    .cores_per_node = 3,
                                    .threads_per_core = 2,
                                    .efficiency_cores_per_node = 5,
                                    .memory_per_node_bytes = 1ull << 40});
  odd.name = "a \"name\" with \\ and \n and ü";
  for (machine m : {odd, machine::synthetic({}), flat_machine(cpu_set{3, 5}), load_machine()}) {
    const machine back = machine_from_json(to_json(m), "m.json");
    EXPECT_EQ(back.source, "JSON file m.json");
    m.source = back.source;
    EXPECT_EQ(back, m) << to_json(m);
  }
}

TEST_F(machine_json, a_file_is_written_and_read) {
  const fake_root directory;
  const auto file = directory.path() / "m.json";
  const machine m = machine::synthetic({.packages = 2, .cores_per_node = 4});
  save_machine_file(file, m);
  EXPECT_EQ(load_machine_file(file).cores, m.cores);
}

TEST_F(machine_json, what_is_left_out_has_a_default) {
  const machine m = machine_from_json(k_small_json, "m.json");
  EXPECT_EQ(m.summary(), "1 package, 1 NUMA node, 1 core, 2 CPUs");
  EXPECT_EQ(m.cores[0].kind, core_kind::uniform);
  EXPECT_EQ(m.cores[0].speed_permille, 1000u);
  EXPECT_TRUE(m.node_distances.empty());
}

TEST_F(machine_json, the_example_in_the_document_is_a_machine) {
  std::ifstream in{FILCH_TEST_DOCUMENT};
  std::ostringstream content;
  content << in.rdbuf();
  const std::string text = content.str();
  const auto begin = text.find("```json\n");
  ASSERT_NE(begin, std::string::npos);
  const auto end = text.find("```", begin + 8);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(machine_from_json(std::string_view{text}.substr(begin + 8, end - begin - 8), "example").summary(),
            "2 packages, 2 NUMA nodes, 4 cores, 8 CPUs");
}

TEST_F(machine_json, a_syntax_error_names_file_and_line) {
  const std::string text = complaint(with("\"version\": 1,", "\"version\": 1"));
  contains(text, "m.json: ");
  contains(text, "line 4");
  contains(complaint(""), "m.json: ");
  contains(complaint(std::string{k_small_json} + "x"), "line 7");
}

TEST_F(machine_json, a_wrong_value_names_file_field_value_and_what_is_allowed) {
  EXPECT_EQ(complaint(with("\"package\": 0", "\"package\": 3")),
            "m.json: cores[0].package: 3 is not allowed; allowed: 0 to 0");
  EXPECT_EQ(complaint(with("\"package\": 0", "\"package\": -1")),
            "m.json: cores[0].package: '-1' is not allowed; allowed: a whole number from 0 to 4294967295");
  EXPECT_EQ(complaint(with("\"version\": 1", "\"version\": 2")),
            "m.json: version: '2' is not allowed; allowed: a whole number from 1 to 1");
  EXPECT_EQ(complaint(with("filch-machine", "other")),
            "m.json: format: 'other' is not allowed; allowed: filch-machine");
  EXPECT_EQ(complaint(with("\"0-1\"", "\"1-0\"")),
            "m.json: cores[0].cpus: '1-0' is not allowed; allowed: a list such as \"0-3,8\" of CPU numbers from 0 to "
            "65535");
  EXPECT_EQ(complaint(with("\"node\": 0,", "\"node\": 0, \"kind\": \"fast\",")),
            "m.json: cores[0].kind: 'fast' is not allowed; allowed: uniform, performance, efficiency");
  EXPECT_EQ(complaint(with("\"node\": 0", "\"node\": 0.5")).find("m.json: cores[0].node: '0.5'"), 0u);
  EXPECT_EQ(complaint(with("[{\"os_id\": 0}]", "{}")), "m.json: packages: '{}' is not allowed; allowed: a list");
  EXPECT_EQ(complaint(with("{\"os_id\": 0}", "4")), "m.json: packages[0]: '4' is not allowed; allowed: an object");
}

TEST_F(machine_json, unknown_missing_and_repeated_fields_are_errors) {
  EXPECT_EQ(complaint(with("\"node\": 0,", "\"node\": 0, \"colour\": 1,")),
            "m.json: cores[0].colour: an unknown field is not allowed; allowed: package, node, kind, speed_permille, "
            "cpus");
  EXPECT_EQ(complaint(with("\"package\": 0, ", "")), "m.json: cores[0].package: this field is missing");
  EXPECT_EQ(complaint(with("\"node\": 0,", "\"node\": 0, \"node\": 0,")),
            "m.json: node: this field is given twice in one object");
}

TEST_F(machine_json, distances_must_be_square) {
  const auto distances = [](const char* rows) {
    return complaint(with("\"cores\"", std::string{"\"node_distances\": "} + rows + ", \"cores\""));
  };
  contains(distances("[[10],[20]]"), "node_distances: 2 rows is not allowed");
  contains(distances("[[10,20]]"), "node_distances[0]: '[10,20]' is not allowed; allowed: a list of 1 numbers");
  contains(distances("[[0]]"), "node_distances[0][0]: '0' is not allowed");
}

TEST_F(machine_json, deep_nesting_is_an_error_and_not_a_crash) {
  contains(complaint("{\"format\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
           "m.json: nesting: more than 16 levels is not allowed");
}

TEST(machine_file, a_build_without_json_says_so) {
  if (built_with_json()) {
    EXPECT_EQ(machine_from_json(k_small_json, "x").cores.size(), 1u);
  } else {
    EXPECT_EQ(complaint(k_small_json), "m.json: reading JSON needs FILCH_WITH_JSON");
  }
}

TEST(machine_file, an_unreadable_or_strange_file_is_an_error_that_names_it) {
  fake_root directory;
  const auto missing = directory.path() / "missing.json";
  EXPECT_EQ(thrown_text([&] { static_cast<void>(load_machine_file(missing)); }),
            missing.string() + ": cannot be read: No such file or directory");
  contains(thrown_text([&] { static_cast<void>(load_machine_file(directory.path())); }),
           "cannot be read: Is a directory");
  directory.write("odd", "cores: 4");
  contains(thrown_text([&] { static_cast<void>(load_machine_file(directory.path() / "odd")); }),
           "begins with 'cores: 4'; allowed: a JSON object");
  contains(thrown_text([&] { save_machine_file(directory.path() / "no/such/place", machine::synthetic({})); }),
           "cannot be written");
}

TEST(machine_file, hwloc_xml_describes_a_machine_when_hwloc_is_built_in_and_says_so_when_not) {
  const auto file = k_data / "two_packages.xml";
  if (!built_with_hwloc()) {
    EXPECT_EQ(thrown_text([&] { static_cast<void>(load_machine_file(file)); }),
              file.string() + ": hwloc XML needs FILCH_WITH_HWLOC");
    return;
  }
  const machine m = load_machine_file(file);
  EXPECT_EQ(m.summary(), "2 packages, 2 NUMA nodes, 8 cores, 16 CPUs");
  EXPECT_EQ(m.cores[1].cpus, (cpu_set{2, 3}));
  EXPECT_EQ(m.cores[4].package, 1u);
  EXPECT_EQ(m.cores[4].node, 1u);
  EXPECT_EQ(m.node_distance(0, 1), 21u);
  ASSERT_EQ(m.caches.size(), 2u);
  EXPECT_EQ(m.caches[1].level, 3u);
  EXPECT_EQ(m.caches[1].size_bytes, 16u * 1024 * 1024);
  EXPECT_EQ(m.caches[1].cpus, *cpu_set::parse("8-15"));
  EXPECT_EQ(m.cores[0].kind, core_kind::performance);
  EXPECT_EQ(m.cores[7].kind, core_kind::efficiency);
  EXPECT_EQ(m.cores[7].speed_permille, 600u);
  contains(m.source, "hwloc XML file ");
}

TEST(machine_file, xml_that_is_no_machine_is_an_error_that_names_the_file) {
  fake_root directory;
  directory.write("m.xml", "<html></html>");
  contains(thrown_text([&] { static_cast<void>(load_machine_file(directory.path() / "m.xml")); }), "m.xml: ");
}

}  // namespace
