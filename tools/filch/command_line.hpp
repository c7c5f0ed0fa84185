// From the words of the command line to a call of one command.
#pragma once

namespace filch::tool {

// Runs the command that the words ask for, and returns when it is done. Help and version count as commands. Throws what
// the commands throw.
void obey(int count, const char* const* words);

}  // namespace filch::tool
