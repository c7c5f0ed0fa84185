// Records which functions a thread enters, in their order. entries.cpp is compiled without instrumentation.
#pragma once

#include <cstdio>

namespace walk {

// Between the two calls every thread records.
void begin();
void end();

// One line per thread that has entered anything, the caller of begin() first: addresses in hexadecimal.
void print(std::FILE* out);

}  // namespace walk
