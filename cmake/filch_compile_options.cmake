# Warnings and sanitizers for filch's own targets. Nothing here reaches a user's target except the sanitizer flags,
# which must be the same on both sides of a link.

function(filch_compile_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough)
  if(NOT FILCH_SANITIZE)  # g++ 12 sees null pointers in the sanitizers' own checks
    target_compile_options(${target} PRIVATE -Wnull-dereference)
  endif()
  if(FILCH_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(FILCH_SANITIZE)
    string(REPLACE ";" "," _list "${FILCH_SANITIZE}")
    target_compile_options(${target} PUBLIC -fsanitize=${_list} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${_list})
  endif()
endfunction()
