// One line from a helper program (docs/device-exec.md), parsed. Lines are read strictly: a misspelt key could hide a
// counter. If a line is wrong, the error names the value, and what is allowed.
//
// Use: parse(), then the reader of the request that the answer belongs to. A reader fails with the helper's own error
// if the answer is one (ErrorKind as the helper says), and with ErrorKind::corrupt if the line is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/exec/exec_names.hpp"
#include "device/device.hpp"

namespace petrel::codec {

inline constexpr std::size_t kLongestExecLine = 4UL * 1024 * 1024;
inline constexpr std::size_t kMostExecPorts = 1024;

struct ExecHello {
    std::string name;
    Duration answer_within{};
    bool treated_by_others{};
    watchdog::Capabilities capabilities;
    watchdog::Inventory inventory;
};

struct ExecSamples {
    std::vector<watchdog::Sample> read;
    std::vector<device::UnseenQueue> unreadable;  // the helper says why
};

// Its target is a name: the line may belong to an inventory that is not in force yet.
struct ExecNotice {
    watchdog::Notice::Kind kind{};
    std::string target;
    Instant at;
    watchdog::Treatment action{};
    Duration interval{};
};

struct ExecTree;

class ExecMessage {
public:
    enum class Kind : std::uint8_t { answer, notice, inventory, note };

    static Result<ExecMessage> parse(std::string_view line);
    ~ExecMessage();
    ExecMessage(ExecMessage&&) noexcept;
    ExecMessage& operator=(ExecMessage&&) noexcept;

    Kind kind() const { return kind_; }
    std::uint64_t id() const { return id_; }  // of an answer
    bool is_error() const;                    // an answer that says that the request failed

    Result<ExecHello> hello(DeviceId) const;
    // `received`: the time of a sample or notice that has none; no time may be later.
    Result<ExecSamples> samples(const ExecNames&, watchdog::Fields, Instant received) const;
    Result<device::Undo> undo() const;
    Result<watchdog::Treatment> treatment() const;
    Result<std::vector<device::Delegated>> delegated(const ExecNames&, std::span<const device::DelegatedRow>) const;
    // `is_port`: whether a port has this name.
    Result<std::vector<link::LinkSample>> links(const std::function<bool(std::string_view)>& is_port) const;
    Result<void> done() const;  // of apply and close

    Result<ExecNotice> notice(Instant received) const;
    Result<watchdog::Inventory> inventory(DeviceId) const;
    Result<std::string> note() const;

    const ExecTree& tree() const { return *tree_; }  // for the readers of other answers (exec_line.hpp)

private:
    ExecMessage(std::unique_ptr<ExecTree>, Kind, std::uint64_t id);

    std::unique_ptr<ExecTree> tree_;
    Kind kind_;
    std::uint64_t id_;
};

}  // namespace petrel::codec
