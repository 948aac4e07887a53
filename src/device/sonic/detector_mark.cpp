#include "device/sonic/detector_mark.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/complaint_text.hpp"

namespace petrel::device::sonic {

namespace {

using db::Db;

constexpr std::string_view kKey = "PETREL_PFC_WD|detector";
constexpr std::string_view kLastsMs = "5000";

// Returns the holder that it found. If that is ARGV[1], or there is none, it sets the mark to ARGV[2]; an empty ARGV[2]
// deletes the mark.
constexpr std::string_view kSwap = R"(
local holder = redis.call('GET', KEYS[1]) or ''
if holder == '' or holder == ARGV[1] then
    if ARGV[2] == '' then
        redis.call('DEL', KEYS[1])
    else
        redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
    end
end
return holder
)";

// The process that a mark names.
struct Holder {
    std::string host;
    std::string place;  // where the pid is valid: boot id of the machine and pid namespace
    pid_t pid{};
    std::string since;  // start time by the kernel's clock, because pids are reused
};

struct Process {
    char state{};
    std::string since;
};

std::optional<Process> read_process(pid_t pid)
{
    std::ifstream file{fmt::format("/proc/{}/stat", pid)};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_ends = text.rfind(')');  // the name may contain any character
    if (name_ends == std::string::npos) {
        return std::nullopt;
    }
    constexpr int kStart = 19;  // the start time is this field after the state
    std::istringstream fields{text.substr(name_ends + 1)};
    Process process;
    fields >> process.state;
    for (int i = 0; i != kStart; ++i) {
        fields >> process.since;
    }
    return fields ? std::optional{process} : std::nullopt;
}

std::string here()
{
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string boot;
    file >> boot;
    std::error_code none;
    return fmt::format("{}/{}", boot, std::filesystem::read_symlink("/proc/self/ns/pid", none).string());
}

std::string host_name()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "?";
}

std::optional<Holder> parse(const std::string& mark)
{
    std::istringstream text{mark};
    Holder holder;
    text >> holder.host >> holder.pid >> holder.since >> holder.place;
    return text ? std::optional{holder} : std::nullopt;
}

// True only if the process is certainly dead. False if it is in another boot or namespace, or cannot be inspected.
bool is_dead(const Holder& holder)
{
    if (holder.place != here() || holder.pid <= 0) {
        return false;
    }
    if (::kill(holder.pid, 0) != 0 && errno == ESRCH) {
        return true;
    }
    const auto process = read_process(holder.pid);
    return process && (process->since != holder.since || process->state == 'Z');
}

Result<std::string> swap(db::RedisStore& store, std::string_view before, std::string_view after)
{
    redis::Pipeline pipeline;
    pipeline.add({"EVAL", kSwap, "1", kKey, before, after, kLastsMs});
    std::string holder;
    std::optional<Error> refused;
    auto done = run(store, Db::state, pipeline, [&](std::size_t, redis::View reply) {
        if (reply.error()) {
            refused = Error{ErrorKind::unreachable, fmt::format("Redis refuses: {}", excerpt(reply.text()))};
        }
        holder = reply.text();
    });
    if (done && refused) {
        return tl::unexpected(std::move(*refused));
    }
    return done.map([&] { return holder; });
}

}  // namespace

DetectorMark::DetectorMark()
{
    static std::atomic<unsigned> count{};  // two devices of one process may be on the same switch by mistake
    const auto pid = ::getpid();
    const auto self = read_process(pid);
    mine_ = fmt::format("{} {} {} {} {}", host_name(), pid, self ? self->since : "?", here(), ++count);
}

Result<void> DetectorMark::hold(db::RedisStore& store)
{
    auto expected = mine_;
    for (;;) {
        const auto found = swap(store, expected, mine_);
        if (!found) {
            return tl::unexpected(found.error());
        }
        held_ = found->empty() || *found == expected;
        if (held_) {
            return {};
        }
        const auto other = parse(*found);
        if (!other || !is_dead(*other)) {
            return tl::unexpected(Error{
                ErrorKind::denied, fmt::format("another Petrel decides for this switch: {} ({} in STATE_DB)",
                                               other ? fmt::format("process {} on {}", other->pid, escaped(other->host))
                                                     : escaped(found->substr(0, 40)),
                                               kKey)});
        }
        expected = *found;
    }
}

Result<void> DetectorMark::give_up(db::RedisStore& store)
{
    held_ = false;
    return swap(store, mine_, "").map([](const std::string&) {});
}

}  // namespace petrel::device::sonic
