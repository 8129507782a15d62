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
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/livetcp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" ${livetcp_headers_left_out})
install(FILES ${CMAKE_BINARY_DIR}/include/livetcp/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/livetcp)

# Relative to the .pc file's own place, so that the prefix may be moved.
file(RELATIVE_PATH livetcp_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" livetcp_pc_prefix "${livetcp_pc_prefix}")
set(livetcp_pc_private "")
set(livetcp_pc_cflags "")
set(livetcp_model_pc_private "")
if(NOT BUILD_SHARED_LIBS) # what `pkg-config --static` adds
  set(livetcp_pc_cflags " -DLIVETCP_STATIC")
  if(LIVETCP_IO)
    set(livetcp_pc_llhttp "")
    if(LLHTTP_FOUND)
      set(livetcp_pc_llhttp ", libllhttp")
    endif()
    set(livetcp_pc_private
      "Requires.private: libuv >= 1.44, jansson${livetcp_pc_llhttp}, libssl >= 3.0, libcrypto >= 3.0\nLibs.private: -lwslay -pthread -lm\n")
  else()
    set(livetcp_pc_private "Requires.private: libcrypto >= 3.0\nLibs.private: -lm\n")
  endif()
  set(livetcp_model_pc_private "Libs.private: -lcxsparse -lm\n")
endif()
foreach(library IN LISTS livetcp_libraries)
  configure_file(cmake/${library}.pc.in ${CMAKE_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# For programs that are built against the build tree: pkg-config prefers these to livetcp.pc.
string(REPLACE " " "\\ " livetcp_pc_source "${PROJECT_SOURCE_DIR}")
set(livetcp_pc_rpath "")
if(BUILD_SHARED_LIBS)
  set(livetcp_pc_rpath "-Wl,-rpath,\${libdir} ")
endif()
function(livetcp_uninstalled_pc library livetcp_pc_folder livetcp_pc_description
    livetcp_pc_requires livetcp_pc_private)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/uninstalled.pc.in
    ${CMAKE_BINARY_DIR}/${library}-uninstalled.pc @ONLY)
endfunction()
livetcp_uninstalled_pc(livetcp src "${PROJECT_DESCRIPTION}" "" "${livetcp_pc_private}")
if(TARGET livetcp-model)
  livetcp_uninstalled_pc(livetcp-model src/lab/model
    "Models of what TCP does to the delay of live media" "Requires: livetcp = ${PROJECT_VERSION}\n"
    "${livetcp_model_pc_private}")
endif()

set(livetcp_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/livetcp)
install(EXPORT livetcpTargets NAMESPACE livetcp:: DESTINATION ${livetcp_cmake_dir})
configure_package_config_file(cmake/livetcpConfig.cmake.in
  ${CMAKE_BINARY_DIR}/livetcpConfig.cmake INSTALL_DESTINATION ${livetcp_cmake_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/livetcpConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/livetcpConfig.cmake
  ${CMAKE_BINARY_DIR}/livetcpConfigVersion.cmake DESTINATION ${livetcp_cmake_dir})

# What is installed finds the library by its own place, so that it works under any prefix and
# may be moved.
function(livetcp_find_library_from target folder)
  if(NOT TARGET ${target} OR NOT BUILD_SHARED_LIBS OR DEFINED CMAKE_INSTALL_RPATH)
    return()
  endif()
  set(here "\$ORIGIN")
  if(APPLE)
    set(here "@loader_path")
  endif()
  file(RELATIVE_PATH way ${folder} ${CMAKE_INSTALL_FULL_LIBDIR})
  string(REGEX REPLACE "/+$" "" way "${here}/${way}")
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${way}")
endfunction()
livetcp_find_library_from(livetcp-tool ${CMAKE_INSTALL_FULL_BINDIR})
livetcp_find_library_from(gstlivetcp ${CMAKE_INSTALL_FULL_LIBDIR}/gstreamer-1.0)
livetcp_find_library_from(livetcp-model ${CMAKE_INSTALL_FULL_LIBDIR})

# README.md's links, and the documents that messages name, "docs/guide/...", are beside it.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(LIVETCP_SAMPLES)
  install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

if(NOT TARGET uninstall) # somebody else's, where LiveTCP is part of another project
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
      -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
    COMMENT "Removing what was installed from this build" VERBATIM)
endif()
