# The demo plays two of the test plans; they become part of the program, so that it needs no other file.
set(plans "${PROJECT_SOURCE_DIR}/scenarios/figure-5")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${plans}/no-watchdog.toml" "${plans}/switch-watchdog.toml")
file(READ "${plans}/no-watchdog.toml" no_watchdog)
file(READ "${plans}/switch-watchdog.toml" switch_watchdog)
configure_file("${PROJECT_SOURCE_DIR}/src/demo/plans.cpp.in" "${PROJECT_BINARY_DIR}/demo_plans.cpp" @ONLY)
target_sources(petrel_demo PRIVATE "${PROJECT_BINARY_DIR}/demo_plans.cpp")
