# Toolchain file: Windows programs by mingw-w64, run by wine (script/test --windows). LIVETCP_WINDOWS
# names a folder with what the build needs there: include/, lib/cmake/, and libcrypto's DLL.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static) # its own libraries are not on wine's path
find_program(LIVETCP_WINE NAMES wine wine64 PATHS /usr/lib/wine REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${LIVETCP_WINE})

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LIVETCP_WINDOWS)
set(CMAKE_FIND_ROOT_PATH ${LIVETCP_WINDOWS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
