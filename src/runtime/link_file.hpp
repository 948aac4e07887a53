// The link histories of one device as a file of JSON lines (codec/link_history.hpp), for the next start. Lines are
// appended; a line that completes an earlier event is appended as well. A process that dies in a write leaves an
// unfinished last line, which the next one drops. Appended lines survive the death of the process, but maybe not a
// crash of the machine.
//
// A file that cannot be read does not prevent a start: it is set aside, and damage() describes it. The process holds
// the lock of the device's state file, which locks this file as well. Only one thread uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/link_memory.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::runtime {

class LinkFile final : public runner::LinkMemory {
public:
    // Fails only if the folder cannot be opened.
    static Result<std::unique_ptr<LinkFile>> open(const std::filesystem::path&);

    const link::NamedHistories& remembered() const override { return remembered_; }
    const std::string& damage() const override { return damage_; }
    Result<void> append(std::string_view lines, const std::function<std::string()>& whole) override;

private:
    LinkFile(StateFolder folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

    void load();
    void set_aside(const std::string& why);
    Result<void> rewrite(const std::string& text);

    StateFolder folder_;
    std::string name_;
    FileDescriptor file_;
    std::uint64_t size_{};        // bytes of the valid part; 0: write the whole file
    std::uint64_t rewrite_at_{};  // the size at which to rewrite the file
    link::NamedHistories remembered_;
    std::string damage_;
};

}  // namespace petrel::runtime
