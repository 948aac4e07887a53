// A SONiC switch whose Redis server answers anything: the store and the device return values or an error. The first
// byte selects the reader: store or device. For each command the server reads one more byte. If it is below 224, the
// server sends the reply of a small switch. Otherwise it sends the bytes that follow, up to a line that is only a dot.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/assert.hpp"
#include "device/manual_clock.hpp"
#include "device/sonic/sonic_device.hpp"
#include "sonic/redis_store.hpp"

namespace {

using namespace petrel;

class HostileServer {
public:
    HostileServer()
    {
        std::string folder = (std::filesystem::temp_directory_path() / "petrel-fuzz-XXXXXX").string();
        PETREL_ASSERT(::mkdtemp(folder.data()) != nullptr, "no folder");
        path_ = folder + "/redis.sock";
        listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::strncpy(name.sun_path, path_.c_str(), sizeof(name.sun_path) - 1);
        PETREL_ASSERT(::bind(listener_, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0 &&
                          ::listen(listener_, 16) == 0,
                      "no server");
        std::thread{[this] { serve(); }}.detach();
    }

    const std::string& path() const { return path_; }
    // Replies of the next connections. The client has closed all others.
    void answer_with(std::string_view replies)
    {
        replies_ = replies;
        next_ = 0;
    }

private:
    void serve()
    {
        std::vector<pollfd> open{{listener_, POLLIN, 0}};
        while (true) {
            ::poll(open.data(), open.size(), -1);
            for (std::size_t i = open.size(); i-- > 1;) {
                if (open[i].revents != 0 && !answer(open[i].fd)) {
                    requests_.erase(open[i].fd);
                    ::close(open[i].fd);
                    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
                }
            }
            if (open[0].revents != 0) {
                open.push_back({::accept(listener_, nullptr, nullptr), POLLIN, 0});
            }
        }
    }

    bool answer(int client)
    {
        std::array<char, 65'536> bytes{};
        const auto got = ::read(client, bytes.data(), bytes.size());
        if (got <= 0) {
            return false;
        }
        auto& request = requests_[client];
        request.append(bytes.data(), static_cast<std::size_t>(got));
        std::string reply;
        while (const auto words = take_command(request)) {
            reply += reply_to(*words);
        }
        return ::send(client, reply.data(), reply.size(), MSG_NOSIGNAL) >= 0;
    }

    // A list of strings, as the client sends it.
    static std::optional<std::vector<std::string>> take_command(std::string& request)
    {
        std::string_view left = request;
        const auto number = [&]() -> std::optional<std::size_t> {
            const auto end = left.find("\r\n");
            if (end == std::string_view::npos) {
                return std::nullopt;
            }
            const auto value = std::strtoul(std::string{left.substr(1, end - 1)}.c_str(), nullptr, 10);
            left.remove_prefix(end + 2);
            return value;
        };
        std::vector<std::string> words;
        for (auto count = number(); count && words.size() < *count;) {
            const auto length = number();
            if (!length || left.size() < *length + 2) {
                return std::nullopt;
            }
            words.emplace_back(left.substr(0, *length));
            left.remove_prefix(*length + 2);
        }
        if (words.empty()) {
            return std::nullopt;
        }
        request.erase(0, request.size() - left.size());
        return words;
    }

    std::string reply_to(const std::vector<std::string>& words)
    {
        constexpr unsigned char kHonest = 224;
        constexpr std::string_view kEnd = "\n.\n";
        std::string_view left = std::string_view{replies_}.substr(next_);
        if (left.empty() || static_cast<unsigned char>(left.front()) < kHonest) {
            next_ += left.empty() ? 0 : 1;
            return honest_reply(words);
        }
        left.remove_prefix(1);
        const auto reply = left.substr(0, left.find(kEnd));
        next_ += 1 + std::min(left.size(), reply.size() + kEnd.size());
        return std::string{reply} + '\n';
    }

    static std::string bulk(const std::string& text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }
    static std::string list(const std::vector<std::string>& replies)
    {
        return fmt::format("*{}\r\n{}", replies.size(), fmt::join(replies, ""));
    }

    static std::string honest_reply(const std::vector<std::string>& words)
    {
        const auto& command = words[0];
        const auto hash = words.size() > 1 ? kSwitch.find(words[1]) : kSwitch.end();
        const auto field = [&](const std::string& name) {
            const bool known = hash != kSwitch.end() && hash->second.contains(name);
            return known ? bulk(hash->second.at(name)) : std::string{"$-1\r\n"};
        };
        std::vector<std::string> replies;
        if (command == "HGETALL") {
            for (const auto& [name, value] : hash != kSwitch.end() ? hash->second : sonic::Hash{}) {
                replies.push_back(bulk(name));
                replies.push_back(bulk(value));
            }
            return list(replies);
        }
        if (command == "HMGET") {
            for (std::size_t i = 2; i < words.size(); ++i) {
                replies.push_back(field(words[i]));
            }
            return list(replies);
        }
        if (command == "SCAN") {
            const auto prefix = words.at(3).substr(0, words.at(3).size() - 1);
            for (const auto& [key, value] : kSwitch) {
                if (key.starts_with(prefix)) {
                    replies.push_back(bulk(key));
                }
            }
            return list({bulk("0"), list(replies)});
        }
        if (command == "EXISTS") {
            return hash != kSwitch.end() ? ":1\r\n" : ":0\r\n";
        }
        return command == "HGET" ? field(words.at(2)) : command == "GET" ? bulk("1") : std::string{"+OK\r\n"};
    }

    static inline const std::map<std::string, sonic::Hash> kSwitch{
        {"PORT|Ethernet0", {{"speed", "100000"}, {"admin_status", "up"}}},
        {"PORT_QOS_MAP|Ethernet0", {{"pfc_enable", "3,4"}, {"pfcwd_sw_enable", "3,4"}}},
        {"PFC_WD|Ethernet0", {{"detection_time", "400"}, {"restoration_time", "400"}, {"action", "drop"}}},
        {"PFC_WD|GLOBAL", {{"POLL_INTERVAL", "200"}}},
        {"PORT_TABLE:Ethernet0", {{"oper_status", "up"}}},
        {"COUNTERS_PORT_NAME_MAP", {{"Ethernet0", "oid:0x1"}}},
        {"COUNTERS_QUEUE_NAME_MAP", {{"Ethernet0:3", "oid:0x3"}, {"Ethernet0:4", "oid:0x4"}}},
        {"FLEX_COUNTER_GROUP_TABLE:PFC_WD", {{"POLL_INTERVAL", "200"}, {"FLEX_COUNTER_STATUS", "enable"}}},
        {"COUNTERS:oid:0x1",
         {{"SAI_PORT_STAT_PFC_3_RX_PKTS", "7"}, {"SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US", "900"}}},
        {"COUNTERS:oid:0x3",
         {{"PFC_WD_STATUS", "operational"},
          {"PFC_WD_DETECTION_TIME", "400000"},
          {"PFC_WD_ACTION", "drop"},
          {"SAI_QUEUE_STAT_PACKETS", "12"},
          {"SAI_QUEUE_ATTR_PAUSE_STATUS", "true"},
          {"SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", "99"}}}};

    std::string path_;
    int listener_{};
    std::string replies_;
    std::size_t next_{};
    std::map<int, std::string> requests_;  // by connection: what is not answered yet
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace std::chrono_literals;
    static auto& server = *new HostileServer;
    if (size == 0) {
        return 0;
    }
    server.answer_with({reinterpret_cast<const char*>(data) + 1, size - 1});
    const auto databases = sonic::at_one_address({server.path(), "", 0});
    if (data[0] % 2 == 0) {
        sonic::RedisStore store{databases, 20ms};
        const std::vector<std::string> keys{"PORT|Ethernet0", "PFC_WD|GLOBAL"};
        if (const auto hashes = store.hashes(sonic::Db::config, keys)) {
            PETREL_ASSERT(hashes->size() == keys.size(), "{} hashes", hashes->size());
        }
        static_cast<void>(store.keys(sonic::Db::config, "PORT|"));
        static_cast<void>(store.is_set(sonic::Db::config, sonic::kConfigFilled));
        return 0;
    }
    device::ManualClock clock;
    device::sonic::Settings settings{20ms, 1ms, 1ms, 0ms, [](auto, auto) {}};
    auto opened = device::sonic::SonicDevice::open(databases, DeviceId{0}, clock, [](const std::string&) {}, settings);
    if (!opened) {
        PETREL_ASSERT(!opened.error().what.empty(), "refused without a reason");
        return 0;
    }
    watchdog::Intake intake{(*opened)->inventory(), (*opened)->capabilities()};
    for (int look = 0; look < 3; ++look) {
        clock.advance(200ms);
        intake.begin();
        static_cast<void>((*opened)->look({}, intake));
    }
    static_cast<void>((*opened)->close());
    return 0;
}
