# petrel_module(name [FOLDER path] [DEPS module...] [LIBS target...] [PRIVATE_LIBS target...] [PURE] [HOT]
#               [HOT_FILES file...] [ONLY_FOR target] [IF variable])
#
# One module = one folder below src/ = one static library petrel_<name>, from the .cpp files in that folder.
#   FOLDER        where it lives, if not src/<name>
#   DEPS          the modules it may include; each has to be declared before, so the table cannot hold a cycle
#   LIBS          libraries whose headers it and everything above it may include
#   PRIVATE_LIBS  libraries whose headers it alone may include
#   PURE          no thread, socket, file, clock, log or JSON: only a function of its arguments
#   HOT           compiled with PETREL_HOT_OPTIONS, because polls, simulations or reports to a manager spend their time in it
#   HOT_FILES     these files alone are, because the others would take long to compile
#   ONLY_FOR      the one program or shared library that links it; the others link all modules without this word
#   IF            if this variable is false, the module has only its row, and its ONLY_FOR program is not built
# A module with headers only becomes an interface library; one whose folder is still empty only has its row.
#
# The rows are written to <build>/layers.json, where the layer test reads them.

function(petrel_module name)
    cmake_parse_arguments(PARSE_ARGV 1 module "PURE;HOT" "FOLDER;ONLY_FOR;IF" "DEPS;LIBS;PRIVATE_LIBS;HOT_FILES")
    if(NOT module_FOLDER)
        set(module_FOLDER "${name}")
    endif()

    get_property(declared GLOBAL PROPERTY PETREL_MODULES)
    foreach(dep IN LISTS module_DEPS)
        if(NOT dep IN_LIST declared)
            message(FATAL_ERROR "module ${name} depends on ${dep}, which is not declared above it")
        endif()
    endforeach()
    set_property(GLOBAL APPEND PROPERTY PETREL_MODULES "${name}")

    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module_FOLDER}/*.cpp")
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module_FOLDER}/*.hpp")
    foreach(file IN LISTS module_HOT_FILES)
        set(file "${PROJECT_SOURCE_DIR}/src/${module_FOLDER}/${file}")
        set_property(SOURCE "${file}" APPEND PROPERTY COMPILE_OPTIONS ${PETREL_HOT_OPTIONS})
        set_property(SOURCE "${file}" PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
    if(module_IF AND NOT ${module_IF})
        set(sources "")
        set(headers "")
        set_property(GLOBAL APPEND PROPERTY PETREL_PROGRAMS_LEFT_OUT "${module_ONLY_FOR}")
    endif()
    set_property(GLOBAL PROPERTY PETREL_DEPS_OF_${name} "${module_DEPS}")
    set(archive "")
    if(sources)
        add_library(petrel_${name} STATIC ${sources} ${headers})
        set(scope PUBLIC)
        target_link_libraries(petrel_${name} PRIVATE ${module_PRIVATE_LIBS})
        if(module_HOT)
            target_compile_options(petrel_${name} PRIVATE ${PETREL_HOT_OPTIONS})
        elseif(CMAKE_UNITY_BUILD_BATCH_SIZE)
            # Here most of the time goes into headers, not into the optimizer: more sources share them.
            math(EXPR batch "${CMAKE_UNITY_BUILD_BATCH_SIZE} * 2")
            set_target_properties(petrel_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${batch})
        endif()
        set(archive "$<TARGET_FILE:petrel_${name}>")
    elseif(headers)
        add_library(petrel_${name} INTERFACE ${headers})
        set(scope INTERFACE)
    endif()
    if(TARGET petrel_${name})
        target_include_directories(petrel_${name} ${scope} "${PROJECT_SOURCE_DIR}/src")
        target_link_libraries(petrel_${name} ${scope} ${module_LIBS})
        foreach(dep IN LISTS module_DEPS)
            if(TARGET petrel_${dep})
                target_link_libraries(petrel_${name} ${scope} petrel_${dep})
            endif()
        endforeach()
        if(module_ONLY_FOR)
            set_property(GLOBAL APPEND PROPERTY PETREL_LIBRARIES_OF_${module_ONLY_FOR} petrel_${name})
        else()
            set_property(GLOBAL APPEND PROPERTY PETREL_LIBRARIES petrel_${name})
        endif()
    endif()

    petrel_layer_row("${name}" "${module_FOLDER}" "${module_DEPS}" "${module_LIBS}" "${module_PRIVATE_LIBS}"
        "${module_PURE}" "${archive}")
endfunction()

# petrel_shared_library(name FROM module EXPORTS pattern...): lib<name>.so, with all code of the module. It exports only
# the functions whose names match a pattern.
function(petrel_shared_library name)
    cmake_parse_arguments(PARSE_ARGV 1 library "" "FROM" "EXPORTS")
    set(exports "${PROJECT_BINARY_DIR}/${name}.exports")
    list(JOIN library_EXPORTS "; " patterns)
    file(CONFIGURE OUTPUT "${exports}" CONTENT "{ global: @patterns@; local: *; };\n" @ONLY)
    add_library(${name} SHARED "${exports}")
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS "${exports}")
    target_link_libraries(${name} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,petrel_${library_FROM}>")
    target_link_options(${name} PRIVATE "-Wl,--version-script=${exports}")
endfunction()

# petrel_programs(folder DEPS module... [STATIC program...]): every .cpp in src/<folder> is the main() of one program of
# that name, with - for _. Those after STATIC consist of the modules that are ONLY_FOR them, and of what these depend on.
function(petrel_programs folder)
    cmake_parse_arguments(PARSE_ARGV 1 programs "" "" "DEPS;STATIC")
    get_property(libraries GLOBAL PROPERTY PETREL_LIBRARIES)
    get_property(left_out GLOBAL PROPERTY PETREL_PROGRAMS_LEFT_OUT)
    file(GLOB mains CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
    foreach(main IN LISTS mains)
        cmake_path(GET main STEM program)
        string(REPLACE "_" "-" program "${program}")
        if(program IN_LIST left_out)
            message(STATUS "${program} is not built: this build cannot, or a package that it needs is not installed")
            continue()
        endif()
        get_property(own_libraries GLOBAL PROPERTY PETREL_LIBRARIES_OF_${program})
        add_executable(${program} "${main}")
        if(program IN_LIST programs_STATIC)
            petrel_link_statically(${program} ${own_libraries})
        else()
            target_link_libraries(${program} PRIVATE ${libraries} ${own_libraries})
        endif()
    endforeach()
    petrel_layer_row("${folder}" "${folder}" "${programs_DEPS}" "" "" FALSE "")
endfunction()

# The archives of the modules are those of the other programs, where they are linked with shared libraries. So they are
# named here one by one, without the shared libraries that their targets bring along.
function(petrel_link_statically program)
    set(waiting ${ARGN})
    list(TRANSFORM waiting REPLACE "^petrel_" "")
    set(modules)
    while(waiting)
        list(POP_FRONT waiting module)
        if(NOT module IN_LIST modules)
            list(APPEND modules "${module}")
            get_property(deps GLOBAL PROPERTY PETREL_DEPS_OF_${module})
            list(APPEND waiting ${deps})
        endif()
    endwhile()
    set(archives)
    foreach(module IN LISTS modules)
        if(TARGET petrel_${module})
            get_target_property(type petrel_${module} TYPE)
            if(type STREQUAL "STATIC_LIBRARY")
                list(APPEND archives "$<TARGET_FILE:petrel_${module}>")
                add_dependencies(${program} petrel_${module})
            endif()
        endif()
    endforeach()
    target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_options(${program} PRIVATE -static-pie)
    target_link_libraries(${program} PRIVATE -Wl,--start-group ${archives} ${PETREL_STATIC_LIBRARIES} -Wl,--end-group)
    set_target_properties(${program} PROPERTIES LINK_DEPENDS "${archives}")
endfunction()

# petrel_links(program COMPONENT component NAMES name...): other names that the program is called by, next to it; it finds out by which.
function(petrel_links program)
    cmake_parse_arguments(PARSE_ARGV 1 links "" "COMPONENT" "NAMES")
    foreach(name IN LISTS links_NAMES)
        add_custom_command(TARGET ${program} POST_BUILD VERBATIM
            COMMAND ${CMAKE_COMMAND} -E create_symlink "$<TARGET_FILE_NAME:${program}>" "$<TARGET_FILE_DIR:${program}>/${name}")
        install(FILES "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}" TYPE BIN COMPONENT ${links_COMPONENT})
    endforeach()
endfunction()

function(petrel_layer_row name folder deps libs private_libs pure archive)
    list(JOIN deps " " deps)
    list(JOIN libs " " libs)
    list(JOIN private_libs " " private_libs)
    if(pure)
        set(pure true)
    else()
        set(pure false)
    endif()
    string(CONCAT row
        "{\"name\": \"${name}\", \"folder\": \"src/${folder}\", \"deps\": \"${deps}\", \"libs\": \"${libs}\", "
        "\"private_libs\": \"${private_libs}\", \"pure\": ${pure}, \"archive\": \"${archive}\"}")
    set_property(GLOBAL APPEND PROPERTY PETREL_LAYER_ROWS "${row}")
endfunction()

# To be called once, after the last row.
function(petrel_write_layers)
    get_property(rows GLOBAL PROPERTY PETREL_LAYER_ROWS)
    list(JOIN rows ",\n  " rows)
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/layers.json" CONTENT "[\n  ${rows}\n]\n")
endfunction()
