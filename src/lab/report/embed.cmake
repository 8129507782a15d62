# Makes the page of livetcp report: report.html with the style sheets and scripts it names inside,
# as two arrays, before and after the data.
#
# cmake -DPAGE=<page folder> -DUPLOT=<third_party/uplot> -DSCRIPTS=<list> -DOUT=<file.c> -P embed.cmake
file(READ ${PAGE}/report.html html)
file(READ ${PAGE}/report.css css)
file(READ ${UPLOT}/uPlot.min.css uplot_css)
file(READ ${UPLOT}/uPlot.iife.min.js uplot_js)
set(js "")
foreach(script IN LISTS SCRIPTS)
  file(READ ${PAGE}/report/${script} text)
  string(APPEND js "${text}\n")
endforeach()
set(data "@data@")
string(CONFIGURE "${html}" html @ONLY)
file(WRITE ${OUT}.html "${html}")

file(READ ${OUT}.html hex HEX)
string(HEX "@data@" marker)
string(FIND "${hex}" "${marker}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${PAGE}/report.html has no @data@")
endif()
string(SUBSTRING "${hex}" 0 ${at} begin)
string(LENGTH "${marker}" length)
math(EXPR after "${at} + ${length}")
string(SUBSTRING "${hex}" ${after} -1 end)

set(c "/* Generated from src/lab/report/page by embed.cmake. */\n#include \"lab/report/page.h\"\n")
foreach(part begin end)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${${part}}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes
    "${bytes}")
  string(APPEND c "const unsigned char lt_page_${part}[] = {\n${bytes}};\n"
    "const size_t lt_page_${part}_size = sizeof lt_page_${part};\n")
endforeach()
file(WRITE ${OUT} "${c}")
