// A helper program as a child process: lines through its stdin and stdout. It has its own process group, so that the
// commands that it runs end with it. The end of its stderr is kept: it explains why a helper has ended.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "device/exec/helper.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

class HelperProcess final : public device::exec::Helper {
public:
    // words: the path of the program, and its arguments. A longer line than `longest_line` is a failure.
    static Result<std::unique_ptr<device::exec::Helper>> start(const std::vector<std::string>& words,
                                                               std::size_t longest_line);
    ~HelperProcess() override;
    HelperProcess(const HelperProcess&) = delete;
    HelperProcess& operator=(const HelperProcess&) = delete;

    void set_deadline(Duration from_now) override;
    Result<void> send(std::string_view line) override;
    Result<std::string> receive() override;
    Result<std::optional<std::string>> receive_at_once() override;
    int fd() const override { return files_.out.get(); }
    Result<void> finish() override;
    void kill() override;

    // Kills the helpers of this process, which exits although their calls are still under way. Any thread may call it.
    static void kill_all();

private:
    struct Files {
        FileDescriptor in;         // its stdin
        FileDescriptor in_reader;  // the other end, kept open: a write to a helper that has ended raises no signal
        FileDescriptor out;
        FileDescriptor err;
        FileDescriptor process;   // readable when it has ended
        FileDescriptor deadline;  // a timer
    };
    HelperProcess(pid_t pid, Files files, std::size_t longest_line)
        : pid_(pid), files_(std::move(files)), longest_line_(longest_line)
    {}

    void wait(bool to_write);
    void read_out();
    void read_err();
    std::optional<std::string> take_line();
    std::optional<Error> failure();
    Error describe_end();
    std::string last_words() const;

    pid_t pid_;
    Files files_;
    std::size_t longest_line_;
    Duration allowed_{};
    bool late_{};  // the deadline has passed
    bool out_closed_{};
    std::string read_;        // from its stdout, not taken yet
    std::size_t searched_{};  // the first bytes of read_, without a newline
    std::string err_tail_;
    std::optional<int> status_;  // of its end
};

}  // namespace petrel::runtime
