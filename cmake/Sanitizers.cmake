# LIVETCP_SANITIZE=address,undefined builds everything, tests included, with these sanitizers.
# livetcp_preload is the AddressSanitizer library that must be loaded first by programs which were
# not built here but load something that was; empty otherwise.
set(livetcp_preload "")
if(LIVETCP_SANITIZE)
  add_compile_options(-fsanitize=${LIVETCP_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LIVETCP_SANITIZE})
  # Behind the checks that they put in, GCC sees values that cannot be.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-format-truncation -Wno-maybe-uninitialized)
  endif()
endif()

if(LIVETCP_SANITIZE MATCHES "address")
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    set(livetcp_runtime libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
  else()
    set(livetcp_runtime libasan.so)
  endif()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${livetcp_runtime}
    OUTPUT_VARIABLE livetcp_preload OUTPUT_STRIP_TRAILING_WHITESPACE)
  # The compiler names a link to it; the loader wants the library itself.
  get_filename_component(livetcp_preload ${livetcp_preload} REALPATH)
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    # Clang links its runtime statically unless told otherwise, and two copies do not get along.
    get_filename_component(livetcp_runtime_dir ${livetcp_preload} DIRECTORY)
    add_link_options(-shared-libsan -Wl,-rpath,${livetcp_runtime_dir})
  endif()
endif()
