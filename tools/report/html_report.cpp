#include "html_report.hpp"

#include <base/escape.hpp>
#include <cstddef>
#include <cstdint>
#include <filch/trace/binary.hpp>
#include <ostream>
#include <sstream>

#include "page_data.hpp"
#include "viewer_files.hpp"

namespace filch::report {
namespace {

void put(std::ostream& out, std::string_view text) {
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i + k])} : 0u;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += digits[three >> 18];
    out += digits[three >> 12 & 63];
    out += i + 1 < bytes.size() ? digits[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? digits[three & 63] : '=';
  }
  return out;
}

struct page_parts {
  std::string title;
  std::string recordings;
  std::string data;
};

// What stands in for a mark of the page, {{mark}}.
void put_part(std::ostream& out, std::string_view mark, const page_parts& parts) {
  if (mark == "title") put(out, parts.title);
  else if (mark == "recordings") put(out, parts.recordings);
  else if (mark == "data") put(out, parts.data);
  else if (mark == "style") put(out, viewer_style());
  else if (mark == "scripts") {
    for (const std::string_view script : viewer_scripts()) {
      put(out, "<script>\n");
      put(out, script);
      put(out, "</script>\n");
    }
  }
}

// One element per run, with the .filch file in base64.
std::optional<std::string> put_recordings(const page& what, std::string& out) {
  for (std::size_t i = 0; i != what.runs.size(); ++i) {
    std::ostringstream file;
    if (std::optional<std::string> problem = trace::write_binary(*what.runs[i].what, file)) return problem;
    out += "<script type=\"text/plain\" id=\"recording_" + std::to_string(i) + "\">" + to_base64(file.view()) +
           "</script>\n";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> write_page(const page& what, std::ostream& out) {
  if (std::string wrong = problem_of(what); !wrong.empty()) return wrong;
  page_parts parts{escape::xml(what.title.empty() ? "filch report" : what.title), {}, page_data(what)};
  if (std::optional<std::string> problem = put_recordings(what, parts.recordings)) return problem;

  std::string_view left = viewer_page();
  while (true) {
    const std::size_t open = left.find("{{");
    const std::size_t close = left.find("}}", open);
    put(out, left.substr(0, open));
    if (close == std::string_view::npos) break;
    put_part(out, left.substr(open + 2, close - open - 2), parts);
    left.remove_prefix(close + 2);
  }
  out.flush();
  if (!out) return "the page could not be written: the stream failed";
  return std::nullopt;
}

std::optional<std::string> write_report(const trace::recording& from, std::ostream& out, std::string_view title) {
  return write_page({.title = std::string{title}, .runs = {{"", &from}}}, out);
}

}  // namespace filch::report
