# The language, the warnings and the few code generation flags that hold for every target.
# Optimisation and sanitizers are a matter of the preset (CMakePresets.json).

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

# ccache treats paths below its base folder as relative, so that two clones share what they compile.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${CCACHE}")
endif()
# Assertions name a file by its path in the source tree, wherever the tree is.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

# Every module may become part of a shared library (libsai-petrel.so). Other libraries cannot replace its functions at
# load time, so calls within the library are direct.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition)

# Fused multiply-add would let the vector and the scalar path, or two machines, differ in the last bit.
add_compile_options(-ffp-contract=off)
# The programs depend on the libraries they use, not on all that a module could use.
add_link_options(-Wl,--as-needed)

set(PETREL_WARNINGS
    -Werror -Wall -Wextra -Wpedantic
    -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wdouble-promotion
    -Wcast-align -Wcast-qual -Wformat=2 -Wundef -Wvla
    -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The compiler collects garbage only when it holds a gigabyte: a tenth faster than with its own limit.
    add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
    list(APPEND PETREL_WARNINGS
        -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wsuggest-override
        # g++ 12 reports overlapping copies inside std::string that cannot happen.
        -Wno-restrict)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
        # Instrumented code confuses the flow analysis of g++ 12; the plain builds keep the warning.
        list(APPEND PETREL_WARNINGS -Wno-maybe-uninitialized)
    endif()
else()
    list(APPEND PETREL_WARNINGS -Wnewline-eof -Wunreachable-code -Wloop-analysis)
endif()
add_compile_options(${PETREL_WARNINGS})
