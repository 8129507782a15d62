# Warnings for our own targets; call livetcp_warnings(<target>).
function(livetcp_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpointer-arith
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wvla>)
  if(LIVETCP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
