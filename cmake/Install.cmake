# Libraries, headers, pkg-config files and CMake package.
include(CMakePackageConfigHelpers)

set(livetcp_libraries livetcp)
set(livetcp_headers_left_out)
if(TARGET livetcp-model)
  list(APPEND livetcp_libraries livetcp-model)
else()
  foreach(header delay_model.h model.h service_curve.h startup_model.h tcp_stack.h
      working_region.h)
    list(APPEND livetcp_headers_left_out PATTERN ${header} EXCLUDE)
  endforeach()
endif()
if(NOT LIVETCP_IO)
  list(APPEND livetcp_headers_left_out PATTERN session.h EXCLUDE)
endif()
install(TARGETS ${livetcp_libraries} EXPORT livetcpTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/livetcp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" ${livetcp_headers_left_out})
install(FILES ${CMAKE_BINARY_DIR}/include/livetcp/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/livetcp)

# Relative to the .pc file's own place, so that the prefix may be moved.
file(RELATIVE_PATH livetcp_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" livetcp_pc_prefix "${livetcp_pc_prefix}")
foreach(library IN LISTS livetcp_libraries)
  configure_file(cmake/${library}.pc.in ${CMAKE_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(livetcp_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/livetcp)
install(EXPORT livetcpTargets NAMESPACE livetcp:: DESTINATION ${livetcp_cmake_dir})
configure_package_config_file(cmake/livetcpConfig.cmake.in
  ${CMAKE_BINARY_DIR}/livetcpConfig.cmake INSTALL_DESTINATION ${livetcp_cmake_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/livetcpConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/livetcpConfig.cmake
  ${CMAKE_BINARY_DIR}/livetcpConfigVersion.cmake DESTINATION ${livetcp_cmake_dir})

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
