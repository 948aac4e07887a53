# The description of the manager's API becomes part of the program, which serves it.
set(description "${PROJECT_SOURCE_DIR}/docs/openapi.yaml")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${description}")
file(READ "${description}" openapi)
configure_file("${PROJECT_SOURCE_DIR}/src/api/openapi.cpp.in" "${PROJECT_BINARY_DIR}/openapi.cpp" @ONLY)
target_sources(petrel_api PRIVATE "${PROJECT_BINARY_DIR}/openapi.cpp")
