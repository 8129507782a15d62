# What tests need around them. Gives three lists of NAME=VALUE for the ENVIRONMENT property:
#
#   livetcp_test_environment  sanitizer options and suppressions; livetcp_test() sets it by itself
#   livetcp_gst_environment   the above, and GStreamer pointed at the plugin just built with a
#                             registry of its own in the build tree
#   livetcp_gst_preload       for a program that was not built here (gst-launch-1.0) and loads our
#                             sanitized plugin: the sanitizer's library has to be loaded first.
#                             Empty without sanitizers. GStreamer scans plugins in a program of its
#                             own, so every test that may scan needs it, too.
#
# A script that starts gst-launch-1.0 must not run under the preload itself (a shell or Python would
# be checked for leaks): it finds the library in LIVETCP_PRELOAD and sets LD_PRELOAD for the
# programs it starts. LIVETCP_PRELOAD is empty without sanitizers, so
# `LD_PRELOAD="$LIVETCP_PRELOAD" gst-launch-1.0 ...` is right in every build.

set(livetcp_suppressions ${PROJECT_SOURCE_DIR}/tests/suppressions)
set(livetcp_test_environment)

if(LIVETCP_SANITIZE MATCHES "address")
  list(APPEND livetcp_test_environment
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
    "LSAN_OPTIONS=suppressions=${livetcp_suppressions}/lsan.supp:print_suppressions=0"
    "G_SLICE=always-malloc")
elseif(LIVETCP_SANITIZE MATCHES "thread")
  list(APPEND livetcp_test_environment
    "TSAN_OPTIONS=suppressions=${livetcp_suppressions}/tsan.supp:second_deadlock_stack=1")
endif()
if(LIVETCP_SANITIZE MATCHES "undefined")
  list(APPEND livetcp_test_environment "UBSAN_OPTIONS=print_stacktrace=1")
endif()

# GLib is built without frame pointers: only the slow unwinder sees past g_malloc(), which the
# suppressions need.
string(REPLACE "ASAN_OPTIONS=" "ASAN_OPTIONS=fast_unwind_on_malloc=0:" livetcp_gst_environment
  "${livetcp_test_environment}")
list(APPEND livetcp_gst_environment
  "GST_PLUGIN_PATH=${PROJECT_BINARY_DIR}/plugins/gst"
  "GST_REGISTRY=${PROJECT_BINARY_DIR}/gst-registry.bin"
  "LIVETCP_PRELOAD=${livetcp_preload}")
set(livetcp_gst_preload)
if(livetcp_preload)
  set(livetcp_gst_preload "LD_PRELOAD=${livetcp_preload}")
endif()
