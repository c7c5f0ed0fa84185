# Peers in other languages: built in the build tree, without a network.

# ---- Rust ------------------------------------------------------------------------------------------------------------
set(FILCH_CARGO_REGISTRY "/usr/share/cargo/registry" CACHE PATH "Directory of crate sources (Debian's librust-*-dev)")
find_program(FILCH_CARGO cargo)
mark_as_advanced(FILCH_CARGO)
file(GLOB _crate LIST_DIRECTORIES true "${FILCH_CARGO_REGISTRY}/rayon-1.*")
if(NOT FILCH_CARGO)
  filch_no_peer(rayon "no cargo (Debian: cargo)" rayon)
elseif(NOT _crate)
  filch_no_peer(rayon "no rayon 1 in ${FILCH_CARGO_REGISTRY} (Debian: librust-rayon-dev)" rayon)
else()
  set(_dir "${CMAKE_CURRENT_BINARY_DIR}/rayon")
  execute_process(COMMAND rustc --version OUTPUT_VARIABLE _rustc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX REPLACE " \\(.*" "" _rustc "${_rustc}")
  list(GET _crate -1 _crate)
  string(REGEX REPLACE ".*/rayon-" "" FILCH_RAYON_VERSION "${_crate}")
  configure_file(harness/cargo_config.toml.in "${_dir}/.cargo/config.toml" @ONLY)
  configure_file(harness/Cargo.toml "${_dir}/Cargo.toml" COPYONLY)
  file(GLOB _modules CONFIGURE_DEPENDS "*/rayon.rs")
  set(_copies "")
  foreach(module IN LISTS _modules)
    cmake_path(GET module PARENT_PATH _name)
    cmake_path(GET _name FILENAME _name)
    if(_name STREQUAL "harness")
      set(_name main)
    endif()
    list(APPEND _copies COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${module}" "${_dir}/src/${_name}.rs")
  endforeach()
  add_custom_command(OUTPUT "${_programs}/rayon"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${_dir}/src" "${_programs}"
    ${_copies}
    COMMAND "${CMAKE_COMMAND}" -E env "CARGO_TARGET_DIR=${_dir}/target" "RUSTFLAGS=-C target-cpu=native"
            "FILCH_RAYON_VERSION=${FILCH_RAYON_VERSION}" "FILCH_RUSTC_VERSION=${_rustc}"
            "${FILCH_CARGO}" build --quiet --release --offline
    COMMAND "${CMAKE_COMMAND}" -E copy "${_dir}/target/release/rayon_workloads" "${_programs}/rayon"
    DEPENDS ${_modules} harness/Cargo.toml WORKING_DIRECTORY "${_dir}"
    COMMENT "Building the workloads on rayon" VERBATIM)
  add_custom_target(workloads_rayon DEPENDS "${_programs}/rayon")
  add_dependencies(filch_peers workloads_rayon)
endif()

# ---- Go --------------------------------------------------------------------------------------------------------------
find_program(FILCH_GO go)
mark_as_advanced(FILCH_GO)
if(NOT FILCH_GO)
  filch_no_peer(Go "no go (Debian: golang-go)" goroutines)
else()
  set(_dir "${CMAKE_CURRENT_BINARY_DIR}/go")
  configure_file(harness/go.mod "${_dir}/go.mod" COPYONLY)
  file(GLOB _modules CONFIGURE_DEPENDS "*/goroutines.go")
  set(_copies "")
  foreach(module IN LISTS _modules)
    cmake_path(GET module PARENT_PATH _name)
    cmake_path(GET _name FILENAME _name)
    list(APPEND _copies COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${module}" "${_dir}/${_name}_go.go")
  endforeach()
  add_custom_command(OUTPUT "${_programs}/goroutines"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${_programs}"
    ${_copies}
    COMMAND "${CMAKE_COMMAND}" -E env GO111MODULE=on GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
            "GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go-cache" "${FILCH_GO}" build -o "${_programs}/goroutines" .
    DEPENDS ${_modules} harness/go.mod WORKING_DIRECTORY "${_dir}"
    COMMENT "Building the workloads on goroutines" VERBATIM)
  add_custom_target(workloads_go DEPENDS "${_programs}/goroutines")
  add_dependencies(filch_peers workloads_go)
endif()

# ---- Java ------------------------------------------------------------------------------------------------------------
find_program(FILCH_JAVAC javac)
find_program(FILCH_JAVA java)
mark_as_advanced(FILCH_JAVAC FILCH_JAVA)
if(NOT FILCH_JAVAC OR NOT FILCH_JAVA)
  filch_no_peer(Java "no javac and java (Debian: default-jdk-headless)" forkjoin)
else()
  set(_dir "${CMAKE_CURRENT_BINARY_DIR}/java")
  file(GLOB _modules CONFIGURE_DEPENDS "*/ForkJoin*.java")
  configure_file(harness/forkjoin.in "${CMAKE_CURRENT_BINARY_DIR}/forkjoin" @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  add_custom_command(OUTPUT "${_programs}/forkjoin"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${_dir}" "${_programs}"
    COMMAND "${FILCH_JAVAC}" -d "${_dir}" ${_modules}
    COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_BINARY_DIR}/forkjoin" "${_programs}/forkjoin"
    DEPENDS ${_modules} "${CMAKE_CURRENT_BINARY_DIR}/forkjoin"
    COMMENT "Building the workloads on ForkJoinPool" VERBATIM)
  add_custom_target(workloads_java DEPENDS "${_programs}/forkjoin")
  add_dependencies(filch_peers workloads_java)
endif()
