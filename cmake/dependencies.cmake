# Everything from outside, all of it Debian 12 packages (packaging/apt-packages). Why each: docs/decisions/0002-dependencies.md.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBMICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(GNUTLS REQUIRED IMPORTED_TARGET gnutls)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(HIREDIS REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(CPP_HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
# Without NATS a manager is alone, and everything else is built and tested.
pkg_check_modules(NATS IMPORTED_TARGET libnats)
# Only petrel-mpi needs MPI. Without it everything else is built and tested.
set(MPI_CXX_SKIP_MPICXX ON) # the C interface only; the C++ one is deprecated
find_package(MPI COMPONENTS CXX)

if(PETREL_TESTS)
    find_package(GTest REQUIRED)
    find_package(rapidcheck REQUIRED)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# petrel-host is linked statically. The code of fmt, spdlog and toml++ is in src/static_libraries.
find_library(LIBMICROHTTPD_ARCHIVE libmicrohttpd.a)
set(PETREL_STATIC_LIBRARIES "${LIBMICROHTTPD_ARCHIVE}" Threads::Threads)
if(LIBMICROHTTPD_ARCHIVE AND NOT "${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize|--coverage")
    set(PETREL_STATIC TRUE)
endif()
