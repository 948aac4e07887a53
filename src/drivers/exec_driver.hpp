// The agent's driver for devices behind a helper program: "exec:PROGRAM [ARGUMENTS]". PROGRAM is an absolute path.
// Blanks separate the words; a word in single or double quotes may have blanks. There is no shell: nothing else is
// replaced.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "daemon/driver.hpp"
#include "device/exec/helper.hpp"

namespace petrel::drivers {

// The words after "exec:" of an entry, "exec:PROGRAM ..." or "KIND:exec:PROGRAM ...".
Result<std::vector<std::string>> exec_words(std::string_view entry);

// The entry, with a name: that of the program if it has none.
Result<std::vector<config::DeviceEntry>> named_after_program(const config::DeviceEntry&);

// Fails if the program of an entry cannot be run. Its ports show when it runs.
Result<std::optional<std::vector<PortNames>>> find_helper(std::string_view entry);

// Starts the program of these words as a child process.
device::exec::StartHelper start_program(std::vector<std::string> words);

class ExecDriver final : public daemon::Driver {
public:
    std::string_view kind() const override { return "exec"; }
    Result<void> check(const config::DeviceEntry&) const override;
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;
};

}  // namespace petrel::drivers
