#include "codec/agent_settings.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/complaint_text.hpp"
#include "config/manager_url.hpp"

namespace petrel::codec {

namespace {

using config::AgentConfig;
using std::chrono::milliseconds;

constexpr std::string_view kVariablePrefix = "PETREL_";
constexpr std::string_view kAgentTable = "agent.";
// PETREL_ variables of other programs that the agent ignores: of the golden tests, of libsai-petrel and of the commands
// for a manager.
constexpr std::array<std::string_view, 4> kVariablesOfOthers{"PETREL_UPDATE_GOLDEN", "PETREL_SCENARIO",
                                                             "PETREL_MANAGER", "PETREL_TOKEN_FILE"};

constexpr std::int64_t kLongestWaitMs = 600'000;
constexpr std::int64_t kMostEvents = 1'000'000;
constexpr std::size_t kLongestSocketPath = 102;  // sockaddr_un, less its final zero and ".root"
constexpr std::size_t kLongestHostName = 255;    // RFC 5424

std::optional<std::int64_t> whole_number(std::string_view text)
{
    std::int64_t number{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
}

bool is_path(std::string_view text) { return !text.empty() && printable(text); }
bool is_path_or_empty(std::string_view text) { return printable(text); }
bool is_manager_url(std::string_view text) { return text.empty() || config::parse_manager_urls(text).has_value(); }
bool is_socket_path(std::string_view text) { return is_path(text) && text.size() <= kLongestSocketPath; }
bool is_log_target(std::string_view text)
{
    return text == "stderr" || (is_path(text) && text.find('/') != std::string_view::npos);
}

// A rough check; a wrong address is reported when the agent connects.
bool is_redis_address(std::string_view text)
{
    return text.empty() || (printable(text) && (text.starts_with("unix:///") || text.starts_with("tcp://")));
}

bool is_word(std::string_view text)  // or empty
{
    return text.size() <= kLongestHostName &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// Numeric addresses only: resolving a name needs the network before the first queue is watched.
bool is_listen_address(std::string_view text)
{
    if (text.empty()) {
        return true;
    }
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || !printable(text)) {
        return false;
    }
    const auto port = whole_number(text.substr(colon + 1));
    auto host = std::string{text.substr(0, colon)};
    const bool is_v6 = host.starts_with('[') && host.ends_with(']');
    if (is_v6) {
        host = host.substr(1, host.size() - 2);
    }
    in6_addr address{};  // large enough for both
    return port && *port >= 0 && *port <= 65'535 && inet_pton(is_v6 ? AF_INET6 : AF_INET, host.c_str(), &address) == 1;
}

std::string flag_of(std::string_view key)
{
    if (key.starts_with(kAgentTable)) {
        key.remove_prefix(kAgentTable.size());
    }
    auto flag = fmt::format("--{}", key);
    std::replace_if(flag.begin(), flag.end(), [](char c) { return c == '.' || c == '_'; }, '-');
    return flag;
}

std::string variable_of(std::string_view flag)
{
    auto variable = fmt::format("{}{}", kVariablePrefix, flag.substr(2));
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    return variable;
}

Setting named(std::string key, std::string shape, std::string about)
{
    Setting setting;
    setting.flag = flag_of(key);
    setting.variable = variable_of(setting.flag);
    setting.key = std::move(key);
    setting.shape = std::move(shape);
    setting.about = std::move(about);
    return setting;
}

template <class T>
Setting text(std::string key, std::string shape, std::string about, std::string standard, T AgentConfig::* member,
             bool (*fits)(std::string_view), std::string allowed)
{
    auto setting = named(std::move(key), std::move(shape), std::move(about));
    setting.standard = std::move(standard);
    setting.allowed = std::move(allowed);
    setting.set = [member, fits](AgentConfig& config, std::string_view value) {
        if (!fits(value)) {
            return false;
        }
        config.*member = value;
        return true;
    };
    return setting;
}

template <class T, std::size_t N>
Setting choice(std::string key, std::string about, T AgentConfig::* member,
               const std::array<std::string_view, N>& names)
{
    auto setting = named(std::move(key), fmt::format("{}", fmt::join(names, "|")), std::move(about));
    setting.standard = names.front();
    setting.allowed = fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
    setting.set = [member, names](AgentConfig& config, std::string_view value) {
        const auto at = std::find(names.begin(), names.end(), value);
        if (at == names.end()) {
            return false;
        }
        config.*member = static_cast<T>(at - names.begin());
        return true;
    };
    return setting;
}

template <class Store>
Setting number(std::string key, std::string about, std::int64_t standard, std::int64_t least, std::int64_t most,
               Store store)
{
    const bool is_time = key.ends_with("_ms");
    auto setting = named(std::move(key), is_time ? "MS" : "N", std::move(about));
    setting.standard = fmt::format("{}", standard);
    setting.allowed = fmt::format("a whole number {}..{}", least, most);
    setting.is_number = true;
    setting.set = [least, most, store](AgentConfig& config, std::string_view value) {
        const auto given = whole_number(value);
        if (!given || *given < least || *given > most) {
            return false;
        }
        store(config, *given);
        return true;
    };
    return setting;
}

std::vector<Setting> make_settings()
{
    constexpr std::array<std::string_view, 3> kLogFormats{"text", "json", "rfc5424"};
    return {
        text("agent.name", "NAME", "the name of this agent in logs; empty: the host's name", "", &AgentConfig::name,
             is_word, fmt::format("up to {} printable ASCII characters without blanks", kLongestHostName)),
        text("agent.state_dir", "FOLDER", "the folder of journals, memory and the history of events", "/var/lib/petrel",
             &AgentConfig::state_dir, is_path, "a path"),
        choice("agent.stop", "what happens to mitigated queues when the agent is stopped", &AgentConfig::stop,
               config::kStopPolicies),
        number("agent.stop_timeout_ms",
               "the longest time of a stop; a treatment that is not restored then stays in the journal", 5'000, 100,
               kLongestWaitMs, [](AgentConfig& c, std::int64_t ms) { c.stop_timeout = milliseconds{ms}; }),
        number("agent.hang_ms", "a device whose call takes longer is reported as not answering", 2'000, 10,
               kLongestWaitMs, [](AgentConfig& c, std::int64_t ms) { c.hang_after = milliseconds{ms}; }),
        number("agent.history_events", "how many events of each device are kept", 10'000, 1, kMostEvents,
               [](AgentConfig& c, std::int64_t n) { c.history_events = static_cast<std::uint32_t>(n); }),
        choice("agent.nos", "the network operating system whose configuration is followed and whose tables are kept",
               &AgentConfig::nos, config::kNosKinds),
        text("agent.redis", "ADDRESS", "the address of SONiC's databases; empty: as in its database_config.json", "",
             &AgentConfig::redis, is_redis_address, "unix:///PATH or tcp://HOST:PORT, or empty"),
        text("control.socket", "PATH",
             "the socket through which `petrel status` and the other commands reach the agent",
             "/run/petrel/control.sock", &AgentConfig::control_socket, is_socket_path,
             fmt::format("a path of at most {} bytes", kLongestSocketPath)),
        text("control.group", "GROUP", "the group that may use the socket besides root; empty: the agent's own group",
             "", &AgentConfig::control_group, is_word, "a group, or empty"),
        text("metrics.listen", "ADDRESS:PORT", "the address at which Prometheus reads the metrics; empty: no metrics",
             "127.0.0.1:9464", &AgentConfig::metrics_listen, is_listen_address,
             "ADDRESS:PORT such as 127.0.0.1:9464 or [::1]:9464, or empty"),
        text("manager.url", "URL", "the fabric manager that gets this agent's events and state; empty: none", "",
             &AgentConfig::manager_url, is_manager_url, fmt::format("{}, or empty", config::kManagerUrlForms)),
        text("manager.token_file", "FILE", "the file with the token that the manager requires; empty: none", "",
             &AgentConfig::manager_token_file, is_path_or_empty, "a path, or empty"),
        text("manager.ca_file", "FILE",
             "the certificates (PEM) that the manager's must be issued by; empty: those that the machine trusts", "",
             &AgentConfig::manager_ca_file, is_path_or_empty, "a path, or empty"),
        text("manager.certificate_file", "FILE",
             "the agent's own certificate and its key (PEM), from petrel enrol; empty: none", "",
             &AgentConfig::manager_certificate_file, is_path_or_empty, "a path, or empty"),
        choice("log.format", "how log lines are written", &AgentConfig::log_format, kLogFormats),
        text("log.to", "stderr|PATH", "the destination of log lines", "stderr", &AgentConfig::log_to, is_log_target,
             "stderr, or the path of a file or syslog socket, with a / in it"),
    };
}

}  // namespace

std::span<const Setting> agent_settings()
{
    static const auto table = make_settings();
    return table;
}

std::vector<Given> given_by_environment(const char* const* environment)
{
    std::vector<Given> given;
    const auto settings = agent_settings();
    for (; *environment != nullptr; ++environment) {
        const std::string_view entry{*environment};
        const auto name = entry.substr(0, entry.find('='));
        const bool ours = std::ranges::find(kVariablesOfOthers, name) == kVariablesOfOthers.end();
        if (!name.starts_with(kVariablePrefix) || !ours || name.size() == entry.size()) {
            continue;
        }
        const auto setting = std::find_if(settings.begin(), settings.end(),
                                          [&](const Setting& candidate) { return candidate.variable == name; });
        given.push_back({setting == settings.end() ? std::string{} : setting->key,
                         std::string{entry.substr(name.size() + 1)}, std::string{name}});
    }
    return given;
}

}  // namespace petrel::codec
