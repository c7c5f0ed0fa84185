// A thread-local word that the compiler does not know as one.
//
// Code that may go on on another thread must read such a word anew, and compilers keep the address of a thread-local across calls.
// So it is read by an instruction of its own. In a program into which filch is linked as an archive the word lies at a fixed distance
// from the thread's base, and one instruction reads it; from elsewhere two do. A shared library, of filch or of its user, never
// knows that distance when it is compiled.
#pragma once

#if defined(__x86_64__)
#if defined(FILCH_IS_ARCHIVE) && (defined(__PIE__) || !defined(__PIC__))
#define FILCH_READ_THREAD_LOCAL(into, symbol) asm volatile("movq %%fs:" symbol "@tpoff, %0" : "=r"(into))
#else
#define FILCH_READ_THREAD_LOCAL(into, symbol) \
  asm volatile("movq " symbol "@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(into))
#endif
#endif
