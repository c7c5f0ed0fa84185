# Every code block of README.md and docs/ becomes a program, made anew when a document changes.
file(GLOB_RECURSE documents CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
if(EXISTS "${PROJECT_SOURCE_DIR}/README.md")
  list(APPEND documents "${PROJECT_SOURCE_DIR}/README.md")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${documents} "${lint_dir}/docs.py")
set(blocks_dir "${CMAKE_CURRENT_BINARY_DIR}/docs")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" "${lint_dir}/docs.py" --root "${PROJECT_SOURCE_DIR}" --out "${blocks_dir}"
  COMMAND_ERROR_IS_FATAL ANY)

# The built `filch` command, if there is one: the executable of tools/filch that is called so.
set(filch_command "")
if(FILCH_BUILD_TOOLS AND EXISTS "${PROJECT_SOURCE_DIR}/tools/filch/CMakeLists.txt")
  get_property(tools DIRECTORY "${PROJECT_SOURCE_DIR}/tools/filch" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(tool IN LISTS tools)
    get_target_property(type ${tool} TYPE)
    get_target_property(output ${tool} OUTPUT_NAME)
    if(type STREQUAL "EXECUTABLE" AND output STREQUAL "filch")
      set(filch_command ${tool})
    endif()
  endforeach()
endif()

function(filch_doc_test test expected)
  set(scratch "${blocks_dir}/run/${test}")
  file(MAKE_DIRECTORY "${scratch}")
  if(NOT expected STREQUAL "-")
    set(expected "${blocks_dir}/${expected}")
  endif()
  add_test(NAME ${test} WORKING_DIRECTORY "${scratch}"
    COMMAND Python3::Interpreter "${lint_dir}/docs_run.py" ${expected} ${ARGN})
  set_tests_properties(${test} PROPERTIES LABELS docs TIMEOUT 120)
endfunction()

# The umbrella header, compiled once for those that include it.
add_library(filch_doc_headers OBJECT "${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp")
target_link_libraries(filch_doc_headers PRIVATE filch::filch)
target_compile_options(filch_doc_headers PRIVATE -O1)
target_precompile_headers(filch_doc_headers PRIVATE <filch/filch.hpp>)

function(filch_doc_program test source expected)
  string(MAKE_C_IDENTIFIER "${test}" target)
  add_executable(${target} "${blocks_dir}/${source}")
  target_link_libraries(${target} PRIVATE filch::filch)
  target_compile_options(${target} PRIVATE -O1)
  file(STRINGS "${blocks_dir}/${source}" umbrella REGEX "^#include <filch/filch.hpp>")
  if(umbrella)
    target_precompile_headers(${target} REUSE_FROM filch_doc_headers)
  endif()
  filch_doc_test(${test} ${expected} "$<TARGET_FILE:${target}>")
endfunction()

# Compiled with the rest; a build that succeeds is its test.
function(filch_doc_fragment test source expected)
  string(MAKE_C_IDENTIFIER "${test}" target)
  add_library(${target} OBJECT "${blocks_dir}/${source}")
  target_link_libraries(${target} PRIVATE filch::filch)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

function(filch_doc_script test source expected)
  if(NOT filch_command)
    message(STATUS "${test} is not run: this build has no filch command")
    return()
  endif()
  filch_doc_test(${test} ${expected} sh "${blocks_dir}/${source}")
  set_tests_properties(${test} PROPERTIES
    ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:$<TARGET_FILE_DIR:${filch_command}>")
endfunction()

function(filch_doc_listed test where reason)
  message(STATUS "${where} is not compiled: ${reason}")
endfunction()

include("${blocks_dir}/blocks.cmake")
