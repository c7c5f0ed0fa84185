# Warnings and sanitizers for filch's own targets. Nothing here reaches a user's target except those sanitizer flags
# that must be the same on both sides of a link.

# filch_compile_options(target [UNDEFINED check…]): of undefined behaviour only these are looked for, where it is at
# all; all without the list.
function(filch_compile_options target)
  cmake_parse_arguments(arg "" "" "UNDEFINED" ${ARGN})
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough)
  # g++ 12 sees null pointers, and variables without a value, in the sanitizers' own checks.
  if(FILCH_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  else()
    target_compile_options(${target} PRIVATE -Wnull-dereference)
  endif()
  if(FILCH_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(FILCH_SANITIZE)
    string(REPLACE ";" "," _all "${FILCH_SANITIZE}")
    set(_shared ${FILCH_SANITIZE})
    list(REMOVE_ITEM _shared undefined)
    list(JOIN _shared "," _shared)
    if(_shared)
      target_compile_options(${target} PUBLIC -fsanitize=${_shared} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    endif()
    if("undefined" IN_LIST FILCH_SANITIZE)
      if(NOT arg_UNDEFINED)
        set(arg_UNDEFINED undefined)
      endif()
      list(JOIN arg_UNDEFINED "," _checks)
      target_compile_options(${target} PRIVATE -fsanitize=${_checks} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${_all})
  endif()
endfunction()
