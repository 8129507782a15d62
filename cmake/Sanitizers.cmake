# LIVETCP_SANITIZE=address,undefined builds everything, tests included, with these sanitizers.
if(LIVETCP_SANITIZE)
  add_compile_options(-fsanitize=${LIVETCP_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LIVETCP_SANITIZE})
endif()
