#include "runtime/link_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <utility>

#include "base/complaint_text.hpp"
#include "codec/link_history.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::runtime {
namespace {

constexpr std::uint64_t kLinkFileGrowth = 1U << 20U;

}  // namespace

Result<std::unique_ptr<LinkFile>> LinkFile::open(const std::filesystem::path& path)
{
    auto folder = StateFolder::of(path);
    if (!folder) {
        return tl::unexpected(folder.error());
    }
    folder->remove_drafts(path.filename().string());
    std::unique_ptr<LinkFile> file{new LinkFile{std::move(*folder), path.filename().string()}};
    file->load();
    return file;
}

// The first append writes the whole file, without the unfinished line that a dead process may have left.
void LinkFile::load()
{
    const auto text = folder_.read(name_);
    if (!text) {
        return set_aside(text.error().what);
    }
    if (!*text) {
        return;
    }
    const std::string_view whole_lines{(*text)->data(), (*text)->rfind('\n') + 1};
    auto read = codec::read_link_history(whole_lines, folder_.path_of(name_).string());
    if (!read) {
        return set_aside(to_text(read.error().front()));
    }
    remembered_ = std::move(*read);
}

void LinkFile::set_aside(const std::string& why)
{
    const auto aside = name_ + ".bad";
    const auto moved = folder_.rename(name_, aside);
    damage_ = moved ? fmt::format("{}; set aside as {}", why, folder_.path_of(aside).string())
                    : fmt::format("{}; it cannot be set aside: {}", why, moved.error().what);
}

Result<void> LinkFile::append(std::string_view lines, const std::function<std::string()>& whole)
{
    if (size_ == 0 || size_ >= rewrite_at_) {
        return rewrite(whole());
    }
    if (!folder_.leads_to(name_, file_)) {
        return folder_.reopen().and_then([&] { return rewrite(whole()); });
    }
    auto written = write_at(file_, folder_.path_of(name_), size_, std::as_bytes(std::span{lines}));
    size_ = written ? size_ + lines.size() : 0;
    return written;
}

Result<void> LinkFile::rewrite(const std::string& text)
{
    auto file = folder_.replace(name_, std::as_bytes(std::span{text}), kOwnersFile);
    if (!file) {
        return tl::unexpected(file.error());
    }
    file_ = std::move(*file);
    size_ = text.size();
    rewrite_at_ = 2 * size_ + kLinkFileGrowth;
    return folder_.sync();
}

}  // namespace petrel::runtime
