// What keeps a measured serial recursion from being optimised into something else.
#pragma once

namespace filch::kernels {

// The compiler must believe that `value` is looked at and changed here. Between the calls of a recursion this leaves
// one call per node: no loop in place of the last call, no copy of the function inside itself.
template <class T>
inline void keep(T& value) {
  asm volatile("" : "+r"(value));
}

}  // namespace filch::kernels
