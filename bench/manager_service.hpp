// The manager's service in a process of its own, and its clients.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "manager_load.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::bench {

class ServiceProcess {
public:
    ServiceProcess();
    ~ServiceProcess();
    ServiceProcess(const ServiceProcess&) = delete;
    ServiceProcess& operator=(const ServiceProcess&) = delete;

    runtime::FileDescriptor connect() const;
    double processor_s() const;
    double resident_bytes() const;

private:
    std::filesystem::path folder_;
    pid_t pid_{};
    std::uint16_t port_{};
};

void send_all(int file, std::string_view text);
void post_report(int file, unsigned agent, std::string_view body);
// The next answer on this connection, which must be good. Returns its size.
std::size_t read_answer(int file);
runtime::FileDescriptor open_stream(const ServiceProcess&);

}  // namespace petrel::bench
