// Parses the command line and calls one command.
#pragma once

namespace filch::tool {

// Runs the command of the command line, and returns when it is done. Help and version count as commands. Throws what
// the commands throw.
void run_command_line(int count, const char* const* words);

}  // namespace filch::tool
