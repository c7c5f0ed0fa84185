// For tests that an emulator runs: GoogleTest's thread-safe death tests begin their program anew, and the system could
// not run it. So execv() begins the emulator, with the program as its argument. FILCH_TEST_EMULATOR says how the
// emulator is called: each word in quotes, with commas.
#include <unistd.h>

#include <cerrno>
#include <vector>

extern "C" int execv(const char* path, char* const arguments[]) noexcept {
  static const char* const emulator[] = {FILCH_TEST_EMULATOR};
  std::vector<char*> all;
  for (const char* const word : emulator) all.push_back(const_cast<char*>(word));
  all.push_back(const_cast<char*>(path));
  for (char* const* each = arguments + 1; *each != nullptr; ++each) all.push_back(*each);
  all.push_back(nullptr);
  return ::execvpe(all.front(), all.data(), environ);
}
