// Feeds made-up files to the reader of recordings, as they are and with right checksums, so that the decoders behind
// these are reached.
//
// Property: a file is read, or refused with an error that lies within it; nothing is thrown, nothing crashes or takes
// much memory. What was read keeps a recording's rules, and is the same after it was written and read again.
#include "checksums.hpp"

#include <filch/base/assert.hpp>
#include <filch/trace/binary.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace filch;
using namespace filch::trace;

void read(const std::string& bytes) {
  std::istringstream in{bytes};
  const read_result first = read_binary(in);
  if (first.error) FILCH_ASSERT(first.error->offset <= bytes.size() && !first.error->text().empty());
  if (!first.is_usable) return;
  FILCH_ASSERT(first.value.check().empty());
  std::ostringstream out;
  if (write_binary(first.value, out)) return;  // names or keys that no writer makes
  std::istringstream again{out.str()};
  const read_result second = read_binary(again);
  FILCH_ASSERT(!second.error && second.value.workers == first.value.workers &&
               second.value.outside == first.value.outside);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes{reinterpret_cast<const char*>(data), size};
  read(bytes);
  filch_fuzz::repair_checksums(bytes);
  read(bytes);
  return 0;
}
