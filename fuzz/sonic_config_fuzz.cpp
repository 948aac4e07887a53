// Any content of CONFIG_DB gives a configuration: entries that are not valid are listed, and policies refer only to
// queues of their port. The first byte selects the role. The rest is lines: a line with a | begins an entry, and the
// others are its fields, as name=value.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "sonic/config.hpp"

namespace {

using petrel::Result;
using petrel::sonic::Change;
using petrel::sonic::Db;
using petrel::sonic::Hash;

class TextStore final : public petrel::sonic::Store {
public:
    explicit TextStore(std::string_view text)
    {
        Hash* entry = nullptr;
        while (!text.empty()) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            if (const auto sign = line.find('='); sign != std::string_view::npos && entry != nullptr) {
                (*entry)[std::string{line.substr(0, sign)}] = line.substr(sign + 1);
            } else {
                entry = &hashes_[std::string{line}];
            }
        }
    }

    Result<std::vector<std::string>> keys(Db db, std::string_view prefix) override
    {
        std::vector<std::string> found;
        for (const auto& [key, hash] : hashes_) {
            if (db == Db::config && key.starts_with(prefix)) {
                found.push_back(key);
            }
        }
        return found;
    }
    Result<std::vector<Hash>> hashes(Db db, std::span<const std::string> keys) override
    {
        std::vector<Hash> found;
        for (const auto& key : keys) {
            const auto at = hashes_.find(key);
            found.push_back(db == Db::config && at != hashes_.end() ? at->second : Hash{});
        }
        return found;
    }
    Result<bool> is_set(Db, const std::string&) override { return true; }
    Result<void> apply(Db, std::span<const Change>) override { return {}; }

private:
    std::map<std::string, Hash> hashes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::sonic;
    if (size == 0) {
        return 0;
    }
    const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    const auto role = data[0] % 2 == 0 ? Role::detector : Role::owner;
    TextStore store{text};
    const auto config = read_config(store, role);
    PETREL_ASSERT(config.has_value(), "refused: {}", config ? "" : config.error().what);
    PETREL_ASSERT(config->problems.size() <= kMostProblems && config->problems.size() <= config->problem_count,
                  "{} problems of {}", config->problems.size(), config->problem_count);
    PETREL_ASSERT(config->problem_count == 0 || !concern(*config).empty(), "problems that nobody hears of");
    for (const auto& port : config->ports) {
        PETREL_ASSERT(role == Role::detector || port.lossless == 0 || (port.watched & ~port.lossless) == 0,
                      "{} is watched where it is lossy", port.name);
    }
    // The same content again, after itself.
    const auto again = read_config(store, role, *config);
    PETREL_ASSERT(again && again->ports == config->ports && again->problems == config->problems,
                  "read otherwise again");
    return 0;
}
