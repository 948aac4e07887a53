# cmake --install build/release --prefix /usr: what a package of the agent holds. The unit expects the program in
# /usr/bin. /etc/petrel/agent.toml belongs to the administrator once it is there.
include(GNUInstallDirs)

install(TARGETS petrel)
install(TARGETS sai-petrel LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES src/libsai/petrel_sai.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES packaging/systemd/petrel-agent.service DESTINATION lib/systemd/system)
install(FILES packaging/sysusers/petrel.conf DESTINATION lib/sysusers.d)
install(FILES packaging/prometheus/petrel.rules.yml DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel/prometheus")
install(DIRECTORY scenarios DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel")
install(CODE "set(sample \"${PROJECT_SOURCE_DIR}/packaging/etc/agent.toml\")")
install(CODE [[
    if(NOT EXISTS "$ENV{DESTDIR}/etc/petrel/agent.toml")
        file(INSTALL "${sample}" DESTINATION "/etc/petrel")
    endif()
]])

file(GLOB pages CONFIGURE_DEPENDS packaging/man/*.[1-8])
foreach(page IN LISTS pages)
    string(REGEX MATCH "[1-8]$" section "${page}")
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
endforeach()
# bash looks for a file of the command's name; SONiC's tools share one.
set(completions "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES packaging/bash-completion/petrel packaging/bash-completion/pfcwd DESTINATION "${completions}")
foreach(tool mmuconfig pfc pfcstat)
    install(FILES packaging/bash-completion/pfcwd DESTINATION "${completions}" RENAME "${tool}")
endforeach()
