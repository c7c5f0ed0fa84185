# Install rules: public headers, the library, a CMake package, a pkg-config file and the licence.
#
# The installed tree can be moved: the CMake package and filch.pc find everything relative to themselves, so that
# `cmake --install --prefix` and DESTDIR give the same result.
include(CMakePackageConfigHelpers)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/filch")
set(_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS filch EXPORT filch_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY include/filch DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/filch")

# ---- find_package ----------------------------------------------------------------------------------------------------
install(EXPORT filch_targets NAMESPACE filch:: FILE filchTargets.cmake DESTINATION "${_package_dir}")
configure_package_config_file(cmake/filchConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/filchConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}")
# Before 1.0 every minor version may break the API.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/filchConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/filchConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/filchConfigVersion.cmake"
  DESTINATION "${_package_dir}")

# ---- pkg-config ------------------------------------------------------------------------------------------------------
# A directory as filch.pc writes it: below the prefix when it is relative, as it is when the user made it absolute.
function(filch_pc_path out dir)
  if(IS_ABSOLUTE "${dir}")
    set(${out} "${dir}" PARENT_SCOPE)
  else()
    set(${out} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()

filch_pc_path(FILCH_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
filch_pc_path(FILCH_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(FILCH_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH _up "/prefix/${_pkgconfig_dir}" "/prefix")
  string(REGEX REPLACE "/$" "" _up "${_up}")
  set(FILCH_PC_PREFIX "\${pcfiledir}/${_up}")
endif()

# A shared library brings its own libraries along; whoever links the archive names them, with or without --static.
set(FILCH_PC_LIBS_PRIVATE "-pthread")
if(FILCH_HWLOC_FOUND AND NOT FILCH_WITH_HWLOC STREQUAL "OFF")
  list(JOIN FILCH_HWLOC_LDFLAGS " " _hwloc)
  string(APPEND FILCH_PC_LIBS_PRIVATE " ${_hwloc}")
endif()
set(FILCH_PC_LIBS_OF_ARCHIVE "")
set(FILCH_PC_CFLAGS_OF_ARCHIVE "")
get_target_property(_type filch TYPE)
if(_type STREQUAL "STATIC_LIBRARY")
  set(FILCH_PC_LIBS_OF_ARCHIVE " ${FILCH_PC_LIBS_PRIVATE}")
  set(FILCH_PC_CFLAGS_OF_ARCHIVE " -DFILCH_IS_ARCHIVE")
endif()
configure_file(cmake/filch.pc.in "${CMAKE_CURRENT_BINARY_DIR}/filch.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/filch.pc" DESTINATION "${_pkgconfig_dir}")
