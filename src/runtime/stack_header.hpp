// The latent frames of a stack of the pool lie in its header.
#pragma once

#include "stack/pooled_stack.hpp"

#include <filch/share/latent.hpp>

#include <new>

namespace filch::inline v0 {

static_assert(alignof(latent_stack) <= stack_header::k_alignment);
inline constexpr stack_header k_latent_header{sizeof(latent_stack),
                                              [](void* memory) noexcept { ::new (memory) latent_stack; }};
[[nodiscard]] inline latent_stack& latent_of(const pooled_stack& stack) {
  return *std::launder(static_cast<latent_stack*>(stack.header));
}

}  // namespace filch::inline v0
