# cmake --install build/release --prefix /usr: what a package of the agent holds. Any prefix will do.
# /etc/petrel/agent.toml belongs to the administrator once it is there.
include(GNUInstallDirs)

install(TARGETS petrel)
if(TARGET petrel-host)
    install(TARGETS petrel-host)
endif()
install(TARGETS sai-petrel LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES src/libsai/petrel_sai.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES packaging/sysusers/petrel.conf DESTINATION lib/sysusers.d)
install(FILES packaging/prometheus/petrel.rules.yml DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel/prometheus")
install(DIRECTORY scenarios DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel")
# The unit and the sample name other files of the install, and where those are is not known before it happens. In the
# sources they are for /usr, so that they can be read and checked as they are.
install(CODE "
    set(packaging \"${PROJECT_SOURCE_DIR}/packaging\")
    set(for_prefix \"${PROJECT_BINARY_DIR}/packaging\")
    set(programs \"${CMAKE_INSTALL_BINDIR}\")
    set(data \"${CMAKE_INSTALL_DATADIR}\")
")
install(CODE [[
    foreach(folder IN ITEMS programs data)
        cmake_path(ABSOLUTE_PATH ${folder} BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
    endforeach()
    foreach(file IN ITEMS systemd/petrel-agent.service systemd/petrel-host.service etc/agent.toml)
        file(READ "${packaging}/${file}" text)
        string(REPLACE "/usr/bin/" "${programs}/" text "${text}")
        string(REPLACE "/usr/share/" "${data}/" text "${text}")
        file(WRITE "${for_prefix}/${file}" "${text}")
    endforeach()
    file(INSTALL "${for_prefix}/systemd/petrel-agent.service" "${for_prefix}/systemd/petrel-host.service" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
    if(NOT EXISTS "$ENV{DESTDIR}/etc/petrel/agent.toml")
        file(INSTALL "${for_prefix}/etc/agent.toml" DESTINATION "/etc/petrel")
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
