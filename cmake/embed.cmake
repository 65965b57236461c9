# Files that are embedded in the program. The language is enabled here, because a function cannot do so.
enable_language(ASM)

# assay_embed(NAME FILES name=path ...): makes an assembler source with the unchanged bytes of each file, and a table of
# them. The calling folder gets NAME_files.s for the component's sources, and NAME_files.inc, with a line
# ASSAY_EMBEDDED(begin, end, "name") for each file, whose two symbols bound the bytes.
function(assay_embed name)
    cmake_parse_arguments(EMBED "" "" "FILES" ${ARGN})
    set(table "")
    set(assembler ".section .rodata\n")
    set(paths "")
    set(number 0)
    foreach(entry IN LISTS EMBED_FILES)
        string(REGEX MATCH "^([^=]+)=(.+)$" matched "${entry}")
        set(begin assay_${name}_file_${number})
        set(end ${begin}_end)
        list(APPEND paths ${CMAKE_MATCH_2})
        string(APPEND table "ASSAY_EMBEDDED(${begin}, ${end}, \"${CMAKE_MATCH_1}\")\n")
        foreach(symbol ${begin} ${end})
            string(APPEND assembler ".globl ${symbol}\n.hidden ${symbol}\n")
        endforeach()
        string(APPEND assembler ".balign 16\n${begin}:\n.incbin \"${CMAKE_MATCH_2}\"\n${end}:\n.byte 0\n")
        math(EXPR number "${number} + 1")
    endforeach()
    string(APPEND assembler ".section .note.GNU-stack,\"\",%progbits\n")
    file(CONFIGURE OUTPUT ${name}_files.inc CONTENT "${table}" @ONLY)
    file(CONFIGURE OUTPUT ${name}_files.s CONTENT "${assembler}" @ONLY)
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${name}_files.s PROPERTIES OBJECT_DEPENDS "${paths}"
        COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:Clang>:-Wno-unused-command-line-argument>")  # C++ options, not for assembler
endfunction()
