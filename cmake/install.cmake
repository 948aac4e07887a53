# cmake --install build/release --prefix X [--component NAME] writes below X only. With the prefix /usr the configuration
# is in /etc, as everywhere in Debian. A component is what one package holds (packaging/debian).
# etc/petrel/agent.toml belongs to the administrator once it is there.
include(GNUInstallDirs)

# Two installations from one build folder at a time would write the same files there.
install(CODE "file(LOCK \"${PROJECT_BINARY_DIR}/install.lock\" GUARD PROCESS)" ALL_COMPONENTS)

install(TARGETS petrel COMPONENT petrel)
install(FILES packaging/sysusers/petrel.conf DESTINATION lib/sysusers.d COMPONENT petrel)
install(FILES packaging/sysusers/petrel-manager.conf DESTINATION lib/sysusers.d COMPONENT petrel-manager)
install(FILES packaging/prometheus/petrel.rules.yml packaging/prometheus/petrel-manager.rules.yml
    DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel/prometheus" COMPONENT petrel)
install(FILES packaging/grafana/petrel.json packaging/grafana/petrel.yaml
    DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel/grafana" COMPONENT petrel)
if(TARGET petrel-host)
    install(TARGETS petrel-host COMPONENT petrel-host)
endif()
if(TARGET petrel-mpi)
    install(TARGETS petrel-mpi COMPONENT petrel-lab)
endif()
install(DIRECTORY scenarios DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel" COMPONENT petrel-lab)
install(DIRECTORY examples/ DESTINATION "${CMAKE_INSTALL_DATADIR}/petrel/examples" COMPONENT petrel-lab
    FILES_MATCHING PATTERN "*.csv" PATTERN "*.jsonl" PATTERN "petrel.toml" PATTERN "watchdog" EXCLUDE
    PATTERN "helpers" EXCLUDE)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT petrel-doc
    FILES_MATCHING PATTERN "*.md" PATTERN "decisions" EXCLUDE)
install(TARGETS sai-petrel LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libsai-petrel)
install(FILES src/libsai/petrel_sai.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT libsai-petrel)

# The units name other files of the install, and where those are is not known before it happens. In the sources the
# units are for /usr, so that they can be read and checked as they are.
function(petrel_install_unit unit component)
    install(CODE "
        set(unit \"${PROJECT_SOURCE_DIR}/packaging/systemd/${unit}\")
        set(for_prefix \"${PROJECT_BINARY_DIR}/packaging/${unit}\")
        set(programs \"${CMAKE_INSTALL_BINDIR}\")
    " COMPONENT ${component})
    install(CODE [[
        cmake_path(ABSOLUTE_PATH programs BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
        file(READ "${unit}" text)
        string(REPLACE "/usr/bin/" "${programs}/" text "${text}")
        if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
            string(REPLACE "/etc/petrel" "${CMAKE_INSTALL_PREFIX}/etc/petrel" text "${text}")
        endif()
        file(WRITE "${for_prefix}" "${text}")
        file(INSTALL "${for_prefix}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
    ]] COMPONENT ${component})
endfunction()
petrel_install_unit(petrel-agent.service petrel)
petrel_install_unit(petrel-manager.service petrel-manager)
if(TARGET petrel-host)
    petrel_install_unit(petrel-host.service petrel-host)
endif()

# A file that belongs to the administrator once it is there.
function(petrel_install_configuration file folder component)
    install(CODE "
        set(sample \"${PROJECT_SOURCE_DIR}/packaging/etc/${file}\")
        set(file \"${file}\")
        set(folder \"${folder}\")
    " COMPONENT ${component})
    install(CODE [[
        set(etc "${CMAKE_INSTALL_PREFIX}/etc/${folder}")
        if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
            set(etc "/etc/${folder}")
        endif()
        if(NOT EXISTS "$ENV{DESTDIR}${etc}/${file}")
            file(INSTALL "${sample}" DESTINATION "${etc}")
        endif()
    ]] COMPONENT ${component})
endfunction()
petrel_install_configuration(agent.toml petrel petrel)
petrel_install_configuration(manager.env petrel-manager petrel-manager)

# Manual pages and completion. The pages of SONiC's tools belong to the links of these names, and those of other programs
# to their packages.
set(sonic_tools pfcwd mmuconfig pfc pfcstat)
file(GLOB pages CONFIGURE_DEPENDS packaging/man/*.[1-8])
foreach(page IN LISTS pages)
    string(REGEX MATCH "[1-8]$" section "${page}")
    cmake_path(GET page STEM name)
    set(component petrel)
    if(name IN_LIST sonic_tools)
        set(component petrel-sonic)
    elseif(name MATCHES "^petrel-(host|manager)$")
        set(component "${name}")
    elseif(name STREQUAL "petrel-mpi")
        set(component petrel-lab)
    endif()
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}" COMPONENT ${component})
endforeach()
# bash looks for a file of the command's name; SONiC's tools share one, which completes `petrel pfcwd`, too.
set(completions "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES packaging/bash-completion/petrel packaging/bash-completion/petrel-tools DESTINATION "${completions}"
    COMPONENT petrel)
foreach(tool IN LISTS sonic_tools)
    install(FILES packaging/bash-completion/petrel-tools DESTINATION "${completions}" RENAME "${tool}"
        COMPONENT petrel-sonic)
endforeach()
if(TARGET petrel-host)
    # The shells look for a file of the command's name.
    install(FILES packaging/bash-completion/petrel DESTINATION "${completions}" RENAME petrel-host COMPONENT petrel-host)
    install(FILES packaging/fish/petrel.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        RENAME petrel-host.fish COMPONENT petrel-host)
    install(FILES packaging/zsh/_petrel DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
        RENAME _petrel-host COMPONENT petrel-host)
endif()
install(FILES packaging/fish/petrel.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT petrel)
install(FILES packaging/zsh/_petrel DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" COMPONENT petrel)

# The watchdog as a library.
foreach(module base watchdog)
    install(TARGETS petrel_${module} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT petrel-dev)
    install(DIRECTORY src/${module} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/petrel" COMPONENT petrel-dev
        FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(DIRECTORY examples/watchdog/ DESTINATION "${CMAKE_INSTALL_DOCDIR}-dev/examples" COMPONENT petrel-dev)
install(CODE "
    set(template \"${PROJECT_SOURCE_DIR}/packaging/petrel-watchdog.pc.in\")
    set(for_prefix \"${PROJECT_BINARY_DIR}/packaging/petrel-watchdog.pc\")
    set(includedir \"${CMAKE_INSTALL_INCLUDEDIR}\")
    set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
    set(PROJECT_VERSION \"${PROJECT_VERSION}\")
" COMPONENT petrel-dev)
install(CODE [[
    set(prefix "${CMAKE_INSTALL_PREFIX}")
    set(pkgconfig "${prefix}/${libdir}/pkgconfig")
    foreach(folder IN ITEMS includedir libdir)
        cmake_path(ABSOLUTE_PATH ${folder} BASE_DIRECTORY "${prefix}" NORMALIZE)
    endforeach()
    configure_file("${template}" "${for_prefix}" @ONLY)
    file(INSTALL "${for_prefix}" DESTINATION "${pkgconfig}")
]] COMPONENT petrel-dev)
