# Library, headers, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS livetcp EXPORT livetcpTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/livetcp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/livetcp/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/livetcp)

# Relative to the .pc file's own place, so that the prefix may be moved.
file(RELATIVE_PATH livetcp_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" livetcp_pc_prefix "${livetcp_pc_prefix}")
configure_file(cmake/livetcp.pc.in ${CMAKE_BINARY_DIR}/livetcp.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/livetcp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(livetcp_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/livetcp)
install(EXPORT livetcpTargets NAMESPACE livetcp:: DESTINATION ${livetcp_cmake_dir})
configure_package_config_file(cmake/livetcpConfig.cmake.in
  ${CMAKE_BINARY_DIR}/livetcpConfig.cmake INSTALL_DESTINATION ${livetcp_cmake_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/livetcpConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/livetcpConfig.cmake
  ${CMAKE_BINARY_DIR}/livetcpConfigVersion.cmake DESTINATION ${livetcp_cmake_dir})

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
