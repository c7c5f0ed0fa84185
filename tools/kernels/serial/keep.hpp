// What keeps a measured serial recursion from being optimised into something else.
#pragma once

namespace filch::kernels {

// The compiler must believe that `value` is looked at and changed here. Between the calls of a recursion this leaves
// one call per node: no loop in place of the last call, no copy of the function inside itself. Before the first call it
// leaves one function for all nodes: no copies for arguments that are known there.
template <class T>
inline void keep(T& value) {
  asm volatile("" : "+r"(value));
}

}  // namespace filch::kernels
