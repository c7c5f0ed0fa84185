#include <filch/topology/error.hpp>
#include <filch/topology/machine_file.hpp>

#include "topology/loaders.hpp"
#include "topology/text.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace filch::inline v0::topology {

namespace {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(byte));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

// "name": [ one element per line ]
template <class List, class Write>
std::string json_list(const char* name, const List& list, Write write) {
  std::string out = std::string{"  \""} + name + "\": [";
  bool is_first = true;
  for (const auto& element : list) {
    out += (is_first ? "\n    " : ",\n    ") + write(element);
    is_first = false;
  }
  return out + (is_first ? "]" : "\n  ]");
}

std::string json_distances(const machine& m) {
  const std::size_t n = m.nodes.size();
  std::vector<std::string> rows;
  for (std::size_t i = 0; i != m.node_distances.size(); ++i) {
    if (i % n == 0) rows.emplace_back("[");
    rows.back() += std::to_string(m.node_distances[i]) + (i % n == n - 1 ? "]" : ", ");
  }
  return json_list("node_distances", rows, [](const std::string& row) { return row; });
}

}  // namespace

std::string to_json(const machine& m) {
  const auto number = [](const char* name, std::uint64_t value) {
    return std::string{"\""} + name + "\": " + std::to_string(value);
  };
  std::string out = "{\n  \"format\": \"filch-machine\",\n  \"version\": 1,\n  \"name\": " + json_text(m.name) + ",\n";
  out += json_list("packages", m.packages, [&](const package& p) { return '{' + number("os_id", p.os_id) + '}'; });
  out += ",\n" + json_list("nodes", m.nodes, [&](const numa_node& n) {
           return '{' + number("os_id", n.os_id) + ", " + number("memory_bytes", n.memory_bytes) + '}';
         });
  out += ",\n" + json_distances(m);
  out += ",\n" + json_list("caches", m.caches, [&](const cache& c) {
           return '{' + number("level", c.level) + ", " + number("size_bytes", c.size_bytes) + ", \"cpus\": \"" +
                  c.cpus.to_string() + "\"}";
         });
  out += ",\n" + json_list("cores", m.cores, [&](const core& c) {
           return '{' + number("package", c.package) + ", " + number("node", c.node) + ", \"kind\": \"" +
                  to_string(c.kind) + "\", " + number("speed_permille", c.speed_permille) + ", \"cpus\": \"" +
                  c.cpus.to_string() + "\"}";
         });
  return out + "\n}\n";
}

machine load_machine_file(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) throw topology_error{file.string() + ": cannot be read: " + std::strerror(errno)};
  const std::string_view content = trim(*text);
  if (content.starts_with('{')) return machine_from_json(*text, file.string());
  if (content.starts_with('<')) return load_from_hwloc_xml(file);
  throw topology_error{file.string() + ": begins with " + in_quotes(content.substr(0, 20)) +
                       "; allowed: a JSON object '{…}' or hwloc XML '<…>'"};
}

void save_machine_file(const std::filesystem::path& file, const machine& m) {
  std::ofstream out{file, std::ios::binary | std::ios::trunc};
  out << to_json(m);
  out.close();
  if (!out) throw topology_error{file.string() + ": cannot be written"};
}

}  // namespace filch::inline v0::topology
