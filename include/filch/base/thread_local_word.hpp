// A thread-local word that the compiler does not know as one.
//
// Code that may go on on another thread must read such a word anew, and compilers keep the address of a thread-local
// across calls. So it is read by instructions of its own. In a program into which filch is linked as an archive the
// word lies at a fixed distance from the thread's base, and one instruction reads it on x86-64, three on aarch64; from
// elsewhere one more is needed. A shared library, of filch or of its user, never knows that distance when it is
// compiled. Such a program has a definition of its own in every file, of which the linker keeps one: else a shared
// library with an archive of its own could be found first, and the distance to its word is not fixed. What the word is
// initially lies in the archive, so a program that includes this is linked with it.
//
// Plainly (on other machines, and with FILCH_PLAIN_CODE) a function reads it that is not inlined, and of which the
// compiler does not know that it gives the same result twice.
#pragma once

// FILCH_THREAD_LOCAL_WORD(type, name, symbol, initially) declares the word `name`, which the library defines once more
// without this header's help, and `type read_<name>()`.
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(FILCH_PLAIN_CODE)
#if defined(FILCH_IS_ARCHIVE) && (defined(__PIE__) || !defined(__PIC__))
#define FILCH_DECLARE_THREAD_LOCAL_WORD(type, name, symbol, initially)                              \
  [[gnu::used, gnu::weak, gnu::visibility("default")]] constinit thread_local type name asm(symbol) \
      __attribute__((tls_model("initial-exec"))) = initially
#if defined(__x86_64__)
#define FILCH_READ_THREAD_LOCAL_WORD(into, symbol) asm volatile("movq %%fs:" symbol "@tpoff, %0" : "=r"(into))
#else
#define FILCH_READ_THREAD_LOCAL_WORD(into, symbol)                    \
  asm volatile("mrs %0, tpidr_el0\n\tadd %0, %0, :tprel_hi12:" symbol \
               ", lsl #12\n\tldr %0, [%0, :tprel_lo12_nc:" symbol "]" \
               : "=r"(into))
#endif
#else
#define FILCH_DECLARE_THREAD_LOCAL_WORD(type, name, symbol, initially) \
  extern constinit thread_local type name asm(symbol) __attribute__((tls_model("initial-exec")))
#if defined(__x86_64__)
#define FILCH_READ_THREAD_LOCAL_WORD(into, symbol) \
  asm volatile("movq " symbol "@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(into))
#else
#define FILCH_READ_THREAD_LOCAL_WORD(into, symbol)                                    \
  asm volatile("adrp %0, :gottprel:" symbol "\n\tldr %0, [%0, :gottprel_lo12:" symbol \
               "]\n\tmrs x16, tpidr_el0\n\tldr %0, [x16, %0]"                         \
               : "=r"(into)                                                           \
               :                                                                      \
               : "x16")
#endif
#endif
#define FILCH_THREAD_LOCAL_WORD(type, name, symbol, initially)           \
  FILCH_DECLARE_THREAD_LOCAL_WORD(type, name, symbol, initially);        \
  [[nodiscard, gnu::always_inline]] inline type read_##name() noexcept { \
    type found;                                                          \
    FILCH_READ_THREAD_LOCAL_WORD(found, symbol);                         \
    return found;                                                        \
  }
#else
#define FILCH_THREAD_LOCAL_WORD(type, name, symbol, initially)                                    \
  extern constinit thread_local type name asm(symbol) __attribute__((tls_model("initial-exec"))); \
  [[nodiscard, gnu::noinline]] inline type read_##name() noexcept {                               \
    asm volatile("");                                                                             \
    return name;                                                                                  \
  }
#endif
