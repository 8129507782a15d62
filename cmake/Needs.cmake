# Everything that this build needs, looked for in one place, so that one message names all that is
# missing: what it is for, the package to install, and the option that builds without it.
#
# livetcp_need(<found> <what> FOR <part> DEBIAN <package> [WITHOUT <option>])
# livetcp_need_module(<prefix> <module> ...) looks for a module of pkg-config: PkgConfig::<prefix>.
function(livetcp_need found what)
  cmake_parse_arguments(arg "" "FOR;DEBIAN;WITHOUT" "" ${ARGN})
  if(found)
    return()
  endif()
  set(remedy "Install it (Debian: ${arg_DEBIAN})")
  if(arg_WITHOUT)
    string(APPEND remedy ", or build without: -D${arg_WITHOUT}=OFF")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY livetcp_missing
    "  ${what}, for ${arg_FOR}\n    ${remedy}\n")
  set_property(GLOBAL APPEND PROPERTY livetcp_missing_packages ${arg_DEBIAN})
endfunction()

macro(livetcp_need_module prefix module)
  if(PkgConfig_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET "${module}")
    livetcp_need("${${prefix}_FOUND}" "${module} (pkg-config does not know it)" ${ARGN})
  endif()
endmacro()

find_package(PkgConfig QUIET)
livetcp_need("${PkgConfig_FOUND}" "pkg-config" FOR "finding libraries" DEBIAN pkg-config)
set(openssl_parts Crypto)
if(LIVETCP_IO)
  list(APPEND openssl_parts SSL)
endif()
find_package(OpenSSL 3.0 QUIET COMPONENTS ${openssl_parts})
livetcp_need("${OPENSSL_FOUND}" "OpenSSL 3.0" FOR "authenticating and encrypting connections" DEBIAN libssl-dev)

if(LIVETCP_IO)
  livetcp_need_module(UV libuv>=1.44 FOR "sessions over sockets" DEBIAN libuv1-dev
    WITHOUT LIVETCP_IO)
  livetcp_need_module(JANSSON jansson FOR "sessions over sockets" DEBIAN libjansson-dev
    WITHOUT LIVETCP_IO)
  find_package(Threads REQUIRED)
  find_path(WSLAY_INCLUDE_DIR wslay/wslay.h) # pkg-config knows it on some systems only
  find_library(WSLAY_LIBRARY wslay)
  mark_as_advanced(WSLAY_INCLUDE_DIR WSLAY_LIBRARY)
  set(livetcp_wslay OFF)
  if(WSLAY_INCLUDE_DIR AND WSLAY_LIBRARY)
    set(livetcp_wslay ON)
  endif()
  livetcp_need(${livetcp_wslay} "wslay (wslay/wslay.h or libwslay was not found)"
    FOR "sessions over sockets" DEBIAN libwslay-dev WITHOUT LIVETCP_IO)
  if(PkgConfig_FOUND)
    pkg_check_modules(LLHTTP QUIET IMPORTED_TARGET libllhttp>=9.2) # or third_party/llhttp
  endif()
endif()
if(LIVETCP_TOOL)
  livetcp_need_module(POPT popt FOR "the livetcp command" DEBIAN libpopt-dev WITHOUT LIVETCP_TOOL)
  livetcp_need_module(MNL libmnl FOR "the livetcp command" DEBIAN libmnl-dev WITHOUT LIVETCP_TOOL)
  if(PkgConfig_FOUND AND LIVETCP_SRT STREQUAL "AUTO")
    pkg_check_modules(SRT QUIET IMPORTED_TARGET "srt>=1.4.2")
  elseif(LIVETCP_SRT)
    livetcp_need_module(SRT srt>=1.4.2 FOR "srt:// ends of livetcp relay"
      DEBIAN libsrt-openssl-dev WITHOUT LIVETCP_SRT)
  endif()
  # Parts of livetcp relay that it does without where a library is not there.
  foreach(part "YAML;yaml-0.1;--config;libyaml-dev"
      "MICROHTTPD;libmicrohttpd;--metrics;libmicrohttpd-dev")
    list(GET part 0 prefix)
    list(GET part 1 module)
    list(GET part 2 option)
    list(GET part 3 package)
    if(PkgConfig_FOUND)
      pkg_check_modules(${prefix} QUIET IMPORTED_TARGET "${module}")
    endif()
    if(NOT ${prefix}_FOUND)
      message(STATUS "livetcp relay is built without ${option}: ${module} was not found "
        "(Debian: ${package})")
    endif()
  endforeach()
elseif(LIVETCP_LAB AND PkgConfig_FOUND)
  pkg_check_modules(MNL QUIET IMPORTED_TARGET libmnl) # tests of the emulated path
endif()
if(LIVETCP_MODEL)
  find_path(CXSPARSE_INCLUDE_DIR suitesparse/cs.h)
  find_library(CXSPARSE_LIBRARY cxsparse)
  mark_as_advanced(CXSPARSE_INCLUDE_DIR CXSPARSE_LIBRARY)
  set(livetcp_cxsparse OFF)
  if(CXSPARSE_INCLUDE_DIR AND CXSPARSE_LIBRARY)
    set(livetcp_cxsparse ON)
  endif()
  livetcp_need(${livetcp_cxsparse} "CXSparse (suitesparse/cs.h or libcxsparse was not found)"
    FOR "the models of TCP's delay and livetcp probe" DEBIAN libsuitesparse-dev
    WITHOUT LIVETCP_MODEL)
endif()
if(LIVETCP_GSTREAMER)
  livetcp_need_module(GST_BASE gstreamer-base-1.0>=1.22 FOR "the GStreamer elements"
    DEBIAN libgstreamer1.0-dev WITHOUT LIVETCP_GSTREAMER)
  foreach(module rtp video)
    string(TOUPPER ${module} upper)
    livetcp_need_module(GST_${upper} gstreamer-${module}-1.0>=1.22 FOR "the GStreamer elements"
      DEBIAN libgstreamer-plugins-base1.0-dev WITHOUT LIVETCP_GSTREAMER)
  endforeach()
  livetcp_need_module(GIO gio-2.0 FOR "the GStreamer elements" DEBIAN libglib2.0-dev
    WITHOUT LIVETCP_GSTREAMER)
endif()
if(LIVETCP_DEMO)
  livetcp_need_module(GSTREAMER gstreamer-1.0>=1.22 FOR "the demonstration"
    DEBIAN libgstreamer1.0-dev WITHOUT LIVETCP_DEMO)
endif()

get_property(livetcp_missing GLOBAL PROPERTY livetcp_missing)
if(livetcp_missing)
  get_property(livetcp_packages GLOBAL PROPERTY livetcp_missing_packages)
  list(REMOVE_DUPLICATES livetcp_packages)
  list(JOIN livetcp_packages " " livetcp_packages)
  message(FATAL_ERROR "This build lacks\n${livetcp_missing}"
    "On Debian all of it: apt-get install ${livetcp_packages}")
endif()
