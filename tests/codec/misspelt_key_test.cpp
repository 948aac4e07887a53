// A misspelt key in a TOML file is one problem: what follows from it is not reported as well, and its value is checked.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "base/complaint_text.hpp"
#include "codec/agent_config_reader.hpp"
#include "codec/import/counter_names.hpp"
#include "codec/manager/cables.hpp"
#include "codec/manager/fleet_json.hpp"
#include "codec/manager/tokens.hpp"
#include "codec/policy_reader.hpp"
#include "codec/scenario/reader.hpp"

namespace petrel::codec {
namespace {

namespace fs = std::filesystem;
using Complaints = std::function<std::vector<Complaint>(const std::string& text)>;

template <class T>
std::vector<Complaint> complaints_of(const Parsed<T>& parsed)
{
    return parsed ? std::vector<Complaint>{} : parsed.error();
}

struct Word {
    std::size_t begin{};
    std::size_t end{};
};

bool of_a_word(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// The keys of a TOML text, and the names of its tables, outside of comments and strings.
std::vector<Word> keys_in(std::string_view text)
{
    std::vector<Word> keys;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') {
            quoted = !quoted;
        } else if (text[at] == '#' && !quoted) {
            at = std::min(text.find('\n', at), text.size()) - 1;
        } else if (of_a_word(text[at]) && !quoted) {
            Word word{at, at};
            while (word.end < text.size() && of_a_word(text[word.end])) {
                ++word.end;
            }
            const auto next = text.find_first_not_of(' ', word.end);
            if (next != std::string_view::npos && (text[next] == '=' || (at != 0 && text[at - 1] == '['))) {
                keys.push_back(word);
            }
            at = word.end - 1;
        }
    }
    return keys;
}

// The last letter twice: no known key has such a name.
std::string misspelt(std::string_view text, const Word& key)
{
    return fmt::format("{}{}{}", text.substr(0, key.end), text[key.end - 1], text.substr(key.end));
}

// Every `step`th key of the text, misspelt, is one complaint.
void expect_one_complaint_each(const std::string& text, const Complaints& complaints, std::size_t step = 1)
{
    ASSERT_EQ(to_text(complaints(text), "\n"), "");
    const auto keys = keys_in(text);
    ASSERT_FALSE(keys.empty());
    for (std::size_t i = 0; i < keys.size(); i += step) {
        const auto key = text.substr(keys[i].begin, keys[i].end - keys[i].begin);
        const auto all = complaints(misspelt(text, keys[i]));
        ASSERT_EQ(all.size(), 1U) << key << " at " << keys[i].begin << ":\n" << to_text(all, "\n");
        EXPECT_EQ(all.front().allowed, fmt::format("a known key, the nearest is '{}'", key));
        EXPECT_NE(all.front().column, 0U);
    }
}

constexpr std::array<DriverKind, 1> kDrivers{{{"twin", false}}};

TEST(MisspeltKey, OfTheAgentsFile)
{
    expect_one_complaint_each(
        R"(big_red_switch = false
[agent]
name = "tor"
stop = "restore"
history_events = 100
[control]
socket = "/tmp/x/c"
[metrics]
listen = ""
[manager]
url = "http://127.0.0.1:7650"
[log]
format = "text"
[[device]]
name = "sw"
driver = "twin:a.toml#leaf0"
simulated = true
[limits]
max_mitigated = 8
[[policy]]
preset = "sonic"
name = "tor"
priorities = [3, 4]
[[policy]]
preset = "sai"
name = "up"
ports = ["Ethernet1"]
poll_ms = 50
detect_ms = 50
restore_ms = 50
[[port]]
name = "Ethernet0"
role = "host"
[[port]]
name = "Ethernet1"
neighbour = "a:b"
)",
        [](const std::string& text) { return complaints_of(read_agent_config(text, "agent.toml", {}, kDrivers)); });
}

TEST(MisspeltKey, OfThePolicyFile)
{
    expect_one_complaint_each("[limits]\nmax_mitigated = 8\n[[policy]]\npreset = \"sonic\"\ndetect_ms = 400\n"
                              "[[port]]\nname = \"a\"\nrole = \"host\"\n",
                              [](const std::string& text) { return complaints_of(read_policy_file(text, "p")); });
}

TEST(MisspeltKey, OfTheManagersFiles)
{
    expect_one_complaint_each("[[token]]\nname = \"a\"\nrole = \"read\"\ntoken = \"sixteen letters or more\"\n",
                              [](const std::string& text) { return complaints_of(read_tokens(text, "t")); });
    expect_one_complaint_each("[[agent]]\nname = \"a\"\nrack = \"b\"\nrole = \"c\"\n",
                              [](const std::string& text) { return complaints_of(read_fleet_file(text, "f")); });
    expect_one_complaint_each("[[cable]]\nends = [\"a:b\", \"c:d\"]\n",
                              [](const std::string& text) { return complaints_of(read_cables(text, "c")); });
}

TEST(MisspeltKey, OfTheMappingFile)
{
    expect_one_complaint_each("time = \"when\"\ntime_unit = \"ms\"\nport = \"iface\"\n[values]\n"
                              "\"a\" = { column = \"pause_us\", times = 1e6 }\n",
                              [](const std::string& text) { return complaints_of(read_counter_map(text, "m")); });
}

// Of all scenarios that there are. Parameters are not keys: a scenario chooses their names.
TEST(MisspeltKey, OfScenarios)
{
    constexpr std::size_t kStep = 13;
    const auto read = [](const std::string& file) -> Result<std::string> {
        std::ifstream in{file};
        return std::string{std::istreambuf_iterator<char>{in}, {}};
    };
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator{fs::path{PETREL_TEST_DATA} / "../scenarios"}) {
        const auto file = entry.path().string();
        if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "defaults") {
            continue;
        }
        const auto text = read(file).value();
        if (text.find("[parameters]") == std::string::npos) {
            ++files;
            SCOPED_TRACE(file);
            expect_one_complaint_each(
                text, [&](const std::string& one) { return complaints_of(read_whole_scenario(one, file, {}, read)); },
                kStep);
        }
    }
    EXPECT_GT(files, 50U);
}

TEST(MisspeltKey, TheValueIsCheckedAsWell)
{
    const auto all = complaints_of(read_policy_file("[[policy]]\npresett = \"sonik\"\ndetekt_ms = 7\n", "p"));
    EXPECT_EQ(to_text(all, "\n"), "p:2:1: value 'presett': allowed a known key, the nearest is 'preset'\n"
                                  "p:2:11: value 'sonik': allowed a preset, the nearest is 'sonic'\n"
                                  "p:3:1: value 'detekt_ms': allowed a known key, the nearest is 'detect_ms'\n"
                                  "p:3:13: value '7': allowed a whole number 100..5000 (detect_ms)");
}

TEST(MisspeltKey, BesideTheRightOneIsNotUsed)
{
    const auto all = complaints_of(read_policy_file("[[policy]]\npreset = \"sonic\"\npresett = \"sonik\"\n", "p"));
    EXPECT_EQ(to_text(all, "\n"), "p:3:1: value 'presett': allowed a known key, the nearest is 'preset'");
}

TEST(MisspeltKey, TwiceIsTwoProblems)
{
    const auto all = complaints_of(read_tokens("[[tokken]]\nnam = \"a\"\nrol = \"read\"\ntoken = \"short\"\n", "t"));
    EXPECT_EQ(to_text(all, "\n"), "t:1:3: value 'tokken': allowed a known key, the nearest is 'token'\n"
                                  "t:2:1: value 'nam': allowed a known key, the nearest is 'name'\n"
                                  "t:3:1: value 'rol': allowed a known key, the nearest is 'role'\n"
                                  "t:4:9: value 'a short token': allowed at least 16 characters");
}

}  // namespace
}  // namespace petrel::codec
