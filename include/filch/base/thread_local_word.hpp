// A thread-local word that the compiler does not know as one.
//
// Code that may go on on another thread must read such a word anew, and compilers keep the address of a thread-local
// across calls. So it is read by an instruction of its own. In a program into which filch is linked as an archive the
// word lies at a fixed distance from the thread's base, and one instruction reads it; from elsewhere two do. A shared
// library, of filch or of its user, never knows that distance when it is compiled. Such a program has a definition of
// its own in every file, of which the linker keeps one: else a shared library with an archive of its own could be found
// first, and the distance to its word is not fixed. What the word is initially lies in the archive, so whoever includes
// this is linked with it.
#pragma once

#if defined(__x86_64__) && defined(FILCH_IS_ARCHIVE) && (defined(__PIE__) || !defined(__PIC__))
#define FILCH_THREAD_LOCAL_WORD(type, name, symbol, initially)                                      \
  [[gnu::used, gnu::weak, gnu::visibility("default")]] constinit thread_local type name asm(symbol) \
      __attribute__((tls_model("initial-exec"))) = initially
#define FILCH_READ_THREAD_LOCAL(into, symbol) asm volatile("movq %%fs:" symbol "@tpoff, %0" : "=r"(into))
#else
// Defined in the library.
#define FILCH_THREAD_LOCAL_WORD(type, name, symbol, initially) \
  extern constinit thread_local type name asm(symbol) __attribute__((tls_model("initial-exec")))
#if defined(__x86_64__)
#define FILCH_READ_THREAD_LOCAL(into, symbol) \
  asm volatile("movq " symbol "@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(into))
#endif
#endif
