// Reads filch's JSON description of a machine, strictly: unknown, repeated and missing fields are errors.
#include <filch/topology/error.hpp>
#include <filch/topology/machine_file.hpp>

#include "topology/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>

namespace filch::inline v0::topology {

namespace {

using json = nlohmann::json;

constexpr int k_max_depth = 16;

[[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& allowed) {
  throw topology_error{field + ": " + found + " is not allowed; allowed: " + allowed};
}

std::string shown(const json& value) { return in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace)); }

// One object of the file. `path` names it in errors: "cores[3]", or "" for the whole.
class object_reader {
 public:
  object_reader(const json& value, std::string path, std::initializer_list<const char*> fields)
      : value_{value}, path_{std::move(path)} {
    if (!value.is_object()) refuse(path_, shown(value), "an object");
    for (const auto& [key, unused] : value.items()) {
      if (std::find(fields.begin(), fields.end(), key) != fields.end()) continue;
      std::string allowed;
      for (const char* field : fields) allowed += (allowed.empty() ? "" : ", ") + std::string{field};
      refuse(name_of(key), "an unknown field", allowed);
    }
  }

  [[nodiscard]] bool has(const char* field) const { return value_.contains(field); }
  [[nodiscard]] std::string name_of(const std::string& field) const {
    return path_.empty() ? field : path_ + '.' + field;
  }

  [[nodiscard]] std::uint64_t number(const char* field, std::uint64_t low, std::uint64_t high) const {
    return number_in(get(field), name_of(field), low, high);
  }
  [[nodiscard]] std::uint32_t small(const char* field, std::uint32_t low = 0, std::uint32_t high = UINT32_MAX) const {
    return static_cast<std::uint32_t>(number(field, low, high));
  }
  [[nodiscard]] std::string text(const char* field) const {
    const json& v = get(field);
    if (!v.is_string()) refuse(name_of(field), shown(v), "a text");
    return v.get<std::string>();
  }
  [[nodiscard]] cpu_set cpus(const char* field) const {
    const std::string list = text(field);
    auto parsed = cpu_set::parse(list);
    if (!parsed) {
      refuse(name_of(field), in_quotes(list),
             "a list such as \"0-3,8\" of CPU numbers from 0 to " + std::to_string(k_max_cpus - 1));
    }
    return std::move(*parsed);
  }
  [[nodiscard]] const json& list(const char* field) const {
    const json& v = get(field);
    if (!v.is_array()) refuse(name_of(field), shown(v), "a list");
    return v;
  }

  static std::uint64_t number_in(const json& v, const std::string& name, std::uint64_t low, std::uint64_t high) {
    if (!v.is_number_unsigned() || v.get<std::uint64_t>() < low || v.get<std::uint64_t>() > high) {
      refuse(name, shown(v), "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return v.get<std::uint64_t>();
  }

 private:
  [[nodiscard]] const json& get(const char* field) const {
    const auto at = value_.find(field);
    if (at == value_.end()) throw topology_error{name_of(field) + ": this field is missing"};
    return *at;
  }

  const json& value_;
  std::string path_;
};

core_kind read_kind(const object_reader& in) {
  if (!in.has("kind")) return core_kind::uniform;
  const std::string text = in.text("kind");
  for (const core_kind kind : {core_kind::uniform, core_kind::performance, core_kind::efficiency}) {
    if (text == to_string(kind)) return kind;
  }
  refuse(in.name_of("kind"), in_quotes(text), "uniform, performance, efficiency");
}

void read_distances(machine& m, const json& rows) {
  const std::size_t n = m.nodes.size();
  if (rows.empty()) return;
  if (rows.size() != n) {
    refuse("node_distances", std::to_string(rows.size()) + " rows",
           "none, or one for each of " + std::to_string(n) + " nodes");
  }
  for (std::size_t i = 0; i != n; ++i) {
    const std::string row = "node_distances[" + std::to_string(i) + "]";
    if (!rows[i].is_array() || rows[i].size() != n) {
      refuse(row, shown(rows[i]), "a list of " + std::to_string(n) + " numbers");
    }
    for (std::size_t k = 0; k != n; ++k) {
      m.node_distances.push_back(static_cast<std::uint32_t>(
          object_reader::number_in(rows[i][k], row + '[' + std::to_string(k) + ']', 1, 65535)));
    }
  }
}

// Calls read(object_reader) for each element of a list of objects.
template <class Read>
void each(const json& list, const char* name, std::initializer_list<const char*> fields, Read read) {
  for (std::size_t i = 0; i != list.size(); ++i) {
    read(object_reader{list[i], std::string{name} + '[' + std::to_string(i) + ']', fields});
  }
}

machine read_machine(const json& document) {
  const object_reader in{
      document, "", {"format", "version", "name", "packages", "nodes", "node_distances", "caches", "cores"}};
  if (const std::string format = in.text("format"); format != "filch-machine") {
    refuse("format", in_quotes(format), "filch-machine");
  }
  static_cast<void>(in.small("version", 1, 1));
  machine m;
  if (in.has("name")) m.name = in.text("name");
  each(in.list("packages"), "packages", {"os_id"},
       [&](const object_reader& p) { m.packages.push_back({p.small("os_id")}); });
  each(in.list("nodes"), "nodes", {"os_id", "memory_bytes"}, [&](const object_reader& n) {
    m.nodes.push_back({n.small("os_id"), n.has("memory_bytes") ? n.number("memory_bytes", 0, UINT64_MAX) : 0});
  });
  if (in.has("node_distances")) read_distances(m, in.list("node_distances"));
  if (in.has("caches")) {
    each(in.list("caches"), "caches", {"level", "size_bytes", "cpus"}, [&](const object_reader& c) {
      m.caches.push_back({c.small("level", 1, k_max_cache_level),
                          c.has("size_bytes") ? c.number("size_bytes", 0, UINT64_MAX) : 0, c.cpus("cpus")});
    });
  }
  each(in.list("cores"), "cores", {"package", "node", "kind", "speed_permille", "cpus"}, [&](const object_reader& c) {
    m.cores.push_back({.package = c.small("package"),
                       .node = c.small("node"),
                       .kind = read_kind(c),
                       .speed_permille = c.has("speed_permille") ? c.small("speed_permille", 1, 1000) : 1000,
                       .cpus = c.cpus("cpus")});
  });
  normalize(m);
  return m;
}

json parse(std::string_view text) {
  std::vector<std::set<std::string>> open_objects;
  const auto check_event = [&](int depth, json::parse_event_t event, json& parsed) {
    // The format needs three levels; printing a wrong value recurses, so a thousand levels must not get that far.
    if (depth > k_max_depth) refuse("nesting", "more than " + std::to_string(k_max_depth) + " levels", "three");
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      throw topology_error{parsed.get<std::string>() + ": this field is given twice in one object"};
    }
    return true;
  };
  try {
    return json::parse(text, check_event);
  } catch (const json::parse_error& error) {
    // The library's text reads "[json.exception.parse_error.101] parse error at line 3, column 5: …".
    const std::string_view what = error.what();
    const auto start = what.find("] ");
    throw topology_error{std::string{start == std::string_view::npos ? what : what.substr(start + 2)}};
  }
}

}  // namespace

bool built_with_json() noexcept { return true; }

machine machine_from_json(std::string_view text, std::string_view origin) {
  try {
    machine m = read_machine(parse(text));
    m.source = "JSON file " + std::string{origin};
    return m;
  } catch (const topology_error& error) {
    throw topology_error{std::string{origin} + ": " + error.what()};
  } catch (const json::exception& error) {
    throw topology_error{std::string{origin} + ": " + error.what()};
  }
}

}  // namespace filch::inline v0::topology
