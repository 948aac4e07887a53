// Sessions with the tools as text files (tests/golden/sonic). The output in them is that of SONiC's own tools, and
// scripts of users depend on it.
//
//   # a comment
//   [given CONFIG_DB] key = {"field": "value"}   sets the hash before the following commands
//   [as nobody]                                  the user of the following commands
//   $ pfcwd show config                          a command
//   ...                                          its stdout
//   [stderr] ...                                 its stderr, if there is any
//   [exit=0]                                     its exit code
//   [db CONFIG_DB] key = {...}                   the hash at this point, or `absent`
//
// play() runs the commands and returns the whole text with their actual output, for expect_golden().
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sonic/redis_store.hpp"
#include "sonic_tools/tools.hpp"
#include "support/golden.hpp"
#include "support/redis_server.hpp"
#include "support/redis_wait.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::sonic_tools {

// A switch for the tools, with the databases of state.txt. The test chooses the rights of the user.
class Bench {
public:
    Bench()
    {
        play(test::content(test::golden("sonic/state.txt")));
        fill_config(true);
    }

    // Sets or clears the flag that SONiC has filled CONFIG_DB.
    void fill_config(bool filled) const
    {
        test::run_command(server_, static_cast<int>(sonic::Db::config),
                          {"SET", sonic::kConfigFilled, filled ? "1" : "0"});
    }

    Outcome run(const std::string& line)
    {
        std::istringstream in{line};
        std::string tool;
        in >> tool;
        std::vector<std::string> arguments;
        for (std::string word; in >> word;) {
            arguments.push_back(word);
        }
        return run_tool(tool, tool, arguments, around());
    }

    // Empties all databases, as a restart of Redis does.
    void empty() const
    {
        for (std::size_t db = 0; db != sonic::kDatabases; ++db) {
            test::run_command(server_, static_cast<int>(db), {"FLUSHDB"});
        }
    }

    redis::Address address() const { return server_.address(); }

    sonic::Hash hash(sonic::Db db, const std::string& key)
    {
        return store_.hashes(db, std::vector{key}).value().front();
    }

    void set(sonic::Db db, const std::string& key, const sonic::Hash& hash)
    {
        const std::vector<sonic::Change> change{{sonic::Change::Kind::replace, key, hash}};
        ASSERT_TRUE(store_.apply(db, change));
    }

    std::string play(const std::string& transcript)
    {
        std::string output;
        std::istringstream in{transcript};
        for (std::string line; std::getline(in, line);) {
            output += play_line(line);
        }
        return output;
    }

    bool may_write{true};
    bool writers_exist{true};
    int config_waits{};  // how often a command waited for CONFIG_DB to be filled
    std::function<bool()> wait_for_config = [] { return false; };
    std::vector<control::ControlRequest> requests;  // requests to the agent
    std::function<Result<std::vector<std::string>>(const control::ControlRequest&)> agent = [](const auto&) {
        return tl::unexpected(Error{ErrorKind::unreachable, "no agent answers"});
    };

private:
    static sonic::Db database(std::string_view name)
    {
        return name == "CONFIG_DB" ? sonic::Db::config : name == "COUNTERS_DB" ? sonic::Db::counters : sonic::Db::state;
    }

    static std::string hash_text(const sonic::Hash& hash)
    {
        std::string text;
        for (const auto& [field, value] : hash) {
            text += fmt::format(R"({}"{}": "{}")", text.empty() ? "" : ", ", field, value);
        }
        return hash.empty() ? "absent" : fmt::format("= {{{}}}", text);
    }

    // The quoted texts are alternately fields and values.
    static sonic::Hash read_hash(std::string_view text)
    {
        sonic::Hash hash;
        std::vector<std::string> quoted;
        for (std::size_t at = 0; (at = text.find('"', at)) != std::string_view::npos;) {
            const auto end = text.find('"', at + 1);
            quoted.emplace_back(text.substr(at + 1, end - at - 1));
            at = end + 1;
        }
        for (std::size_t i = 0; i + 1 < quoted.size(); i += 2) {
            hash[quoted[i]] = quoted[i + 1];
        }
        return hash;
    }

    std::string play_line(const std::string& line)
    {
        std::istringstream words{line};
        std::string mark;
        std::string name;
        std::string key;
        words >> mark >> name >> key;
        if (mark == "#" || mark == "[as") {
            may_write = line == "[as root]" || (may_write && mark == "#");
            return line + '\n';
        }
        if (mark == "$") {
            return fmt::format("{}\n{}", line, outcome_text(run(line.substr(2))));
        }
        name = name.substr(0, name.find(']'));
        if (mark == "[given") {
            set(database(name), key, read_hash(line.substr(line.find('='))));
            return line + '\n';
        }
        return mark == "[db" ? fmt::format("[db {}] {} {}\n", name, key, hash_text(hash(database(name), key))) : "";
    }

    static std::string outcome_text(const Outcome& outcome)
    {
        return fmt::format("{}{}{}[exit={}]\n", outcome.out, outcome.err.empty() ? "" : "[stderr]\n", outcome.err,
                           outcome.exit_code);
    }

    Surroundings around()
    {
        Surroundings around;
        around.open_store = [this](const Where&) -> Result<std::unique_ptr<sonic::Store>> { return open(); };
        around.request_answer = [this](const Where&, const control::ControlRequest& request) {
            requests.push_back(request);
            return agent(request);
        };
        around.wait_for_config = [this] {
            ++config_waits;
            return wait_for_config();
        };
        around.may_write = may_write;
        around.writers_exist = writers_exist;
        around.cache = folder_ / "cache";
        around.now = std::chrono::system_clock::time_point{std::chrono::seconds{1'800'000'000}};
        return around;
    }

    std::unique_ptr<sonic::Store> open()
    {
        return std::make_unique<sonic::RedisStore>(sonic::at_one_address(server_.address()), std::chrono::seconds{60});
    }

    test::RedisServer server_;
    test::TemporaryFolder folder_;
    sonic::RedisStore store_{sonic::at_one_address(server_.address()), std::chrono::seconds{60}};
};

}  // namespace petrel::sonic_tools
