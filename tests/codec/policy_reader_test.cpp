// How a policy file is read and bound to a device.
#include "codec/policy_reader.hpp"
#include "config/policy_bind.hpp"
#include "config/policy_file.hpp"

#include <gmock/gmock.h>

#include <array>

#include "golden.hpp"
#include "two_ports.hpp"

namespace petrel::codec {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

config::PolicyFile read_policies(std::string_view text)
{
    const auto file = read_policy_file(text, "t");
    EXPECT_TRUE(file.has_value()) << (file ? "" : golden::lines(file.error()));
    return file.value_or(config::PolicyFile{});
}

watchdog::PolicyBook bound(const config::PolicyFile& file, watchdog::Inventory& inventory)
{
    const auto books = config::bind_ports(file, std::array{&inventory});
    EXPECT_TRUE(books.has_value()) << (books ? "" : golden::lines(books.error()));
    return books ? books->front() : watchdog::PolicyBook{};
}

TEST(PolicyReader, APresetIsEnough)
{
    const auto file = read_policies("[[policy]]\npreset = \"rdma-switch\"\n");
    ASSERT_EQ(file.policies.size(), 1U);
    const auto& policy = file.policies[0].policy;
    for (const auto& parameter : watchdog::parameters()) {
        EXPECT_EQ(parameter_text(policy, parameter.key),
                  parameter_text(watchdog::find_preset("rdma-switch")->policy, parameter.key));
    }
    EXPECT_EQ(policy.name, "rdma-switch");
    EXPECT_TRUE(file.policies[0].ports.empty());
    EXPECT_EQ(file.max_mitigated, 0U);
    EXPECT_FALSE(file.big_red_switch);
}

// Every parameter of every preset can be written with the TOML type of its value, and is the same after reading.
TEST(PolicyReader, EveryParameterCanBeWritten)
{
    for (const auto& preset : watchdog::presets()) {
        std::string text = "[[policy]]\npreset = \"" + preset.policy.name + "\"\n";
        for (const auto& parameter : watchdog::parameters()) {
            const auto value = parameter_text(preset.policy, parameter.key);
            const bool bare =
                value == "true" || value == "false" || value.find_first_not_of("0123456789") == std::string::npos;
            text += std::string{parameter.key} + " = " + (bare ? value : '"' + value + '"') + '\n';
        }
        const auto file = read_policies(text);
        ASSERT_EQ(file.policies.size(), 1U) << text;
        for (const auto& parameter : watchdog::parameters()) {
            EXPECT_EQ(parameter_text(file.policies[0].policy, parameter.key),
                      parameter_text(preset.policy, parameter.key));
        }
    }
}

constexpr std::string_view kWholePolicyFile = R"(
big_red_switch = true

[limits]
max_mitigated = 8

[[policy]]
preset = "sonic"
name = "tor"

[[policy]]
preset = "sai"
name = "uplinks"
ports = ["Ethernet4", "x0c0r4j3p0"]
priorities = [3, 4]
detect_ms = 200

[policy.per_priority.3]
detect_ms = 300

[[port]]
name = "Ethernet0"
role = "host"

[[port]]
name = "x0c0r4j3p1"
role = "switch"
)";

TEST(PolicyReader, AWholeFile)
{
    const auto file = read_policies(kWholePolicyFile);
    EXPECT_TRUE(file.big_red_switch);
    EXPECT_EQ(file.max_mitigated, 8U);
    ASSERT_EQ(file.policies.size(), 2U);
    const auto& uplinks = file.policies[1];
    EXPECT_EQ(uplinks.policy.name, "uplinks");
    EXPECT_EQ(uplinks.policy.detect, milliseconds{200});
    EXPECT_EQ(uplinks.policy.priorities, 0b0001'1000);
    ASSERT_EQ(uplinks.ports.size(), 2U);
    EXPECT_EQ(uplinks.ports[1].name, "x0c0r4j3p0");
    EXPECT_EQ(uplinks.ports[1].at, (Place{14, 23}));
    ASSERT_EQ(uplinks.per_priority.size(), 1U);
    EXPECT_EQ(uplinks.per_priority[0].first, Priority{3});
    EXPECT_EQ(uplinks.per_priority[0].second.detect, milliseconds{300});
    EXPECT_EQ(uplinks.per_priority[0].second.restore, uplinks.policy.restore);
    EXPECT_EQ(uplinks.per_priority[0].second.priorities, 0b0000'1000);
}

TEST(PolicyBind, NamesBecomeNumbersAndOverridesPolicies)
{
    auto inventory = two_ports();
    for (auto& row : inventory.rows) {
        row.host_facing = row.target.port.index == 1;  // the file overrides this
    }
    const auto book = bound(read_policies(kWholePolicyFile), inventory);
    EXPECT_EQ(book.max_mitigated, 8U);
    EXPECT_TRUE(book.big_red_switch);

    std::vector<std::string> assigned;
    for (const auto& assignment : book.assigned) {
        assigned.push_back(book.policies.at(assignment.policy).name + '/' +
                           std::to_string(whole_ms(book.policies.at(assignment.policy).detect)) + " port " +
                           (assignment.port ? std::to_string(*assignment.port) : "*") + " priority " +
                           (assignment.priority ? std::to_string(assignment.priority->value) : "*"));
    }
    EXPECT_THAT(assigned, ElementsAre("tor/400 port * priority *", "uplinks/200 port 1 priority *",
                                      "uplinks/200 port 0 priority *", "uplinks/300 port 1 priority 3",
                                      "uplinks/300 port 0 priority 3"));
    for (const auto& row : inventory.rows) {
        EXPECT_EQ(row.host_facing, row.target.port.index == 0);
    }
}

TEST(PolicyBind, APortWithoutARoleKeepsTheOneItHas)
{
    auto inventory = two_ports();
    inventory.rows[1].host_facing = true;
    bound(read_policies("[[policy]]\npreset = \"sonic\"\n"), inventory);
    EXPECT_TRUE(inventory.rows[1].host_facing);
    EXPECT_FALSE(inventory.rows[2].host_facing);
}

TEST(PolicyBind, AppliesAllOrNothing)
{
    auto inventory = two_ports();
    const auto book = config::bind_ports(read_policies("[[policy]]\npreset = \"sonic\"\nports = [\"nowhere\"]\n"
                                                       "[[port]]\nname = \"Ethernet0\"\nrole = \"host\"\n"),
                                         std::array{&inventory});
    ASSERT_FALSE(book.has_value());
    EXPECT_EQ(book.error().size(), 1U);
    EXPECT_FALSE(inventory.rows[0].host_facing);
}

TEST(PolicyBind, AFileMayNamePortsOfOneDeviceOnly)
{
    auto here = two_ports();
    auto there = two_ports();
    there.ports[0].name = "Ethernet100";
    const auto books = config::bind_ports(read_policies("[[policy]]\npreset = \"sonic\"\nports = [\"Ethernet100\"]\n"
                                                        "[[port]]\nname = \"Ethernet100\"\nrole = \"host\"\n"),
                                          std::array{&here, &there});
    ASSERT_TRUE(books.has_value());
    EXPECT_TRUE(books->at(0).policies.empty());
    EXPECT_EQ(books->at(1).assigned.size(), 1U);
    EXPECT_FALSE(here.rows[0].host_facing);
    EXPECT_TRUE(there.rows[0].host_facing);
}

TEST(PolicyBind, PortsThatTheSourceKnowsFaceServersUnlessTheFileSaysOtherwise)
{
    auto file = read_policies("[[policy]]\npreset = \"rdma-switch\"\n");
    file.server_ports = {{"Ethernet0"}, {"Ethernet4", "other"}, {"Ethernet77"}};
    auto inventory = two_ports();
    config::bind_device(file, inventory, "this");
    EXPECT_TRUE(inventory.rows[0].host_facing);
    EXPECT_FALSE(inventory.rows[3].host_facing) << "a port of another device";
    file.ports = {{.port = {"Ethernet0", {}}, .host_facing = false}};
    config::bind_device(file, inventory, "this");
    EXPECT_FALSE(inventory.rows[0].host_facing);
}

TEST(PolicyBind, FindsPoliciesThatWatchNothing)
{
    const std::string policies = "[[policy]]\npreset = \"sonic\"\nname = \"busy\"\n"
                                 "[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet0\"]\n"
                                 "[[policy]]\npreset = \"sonic\"\nname = \"other\"\nports = [\"Ethernet77\"]\n";
    const std::vector<config::DeviceRows> one{{"a", two_ports()}};
    EXPECT_THAT(config::idle_policies(read_policies(policies), one), testing::ElementsAre(1, 2));
    const auto host = "[[port]]\nname = \"Ethernet0\"\nrole = \"host\"\n";
    EXPECT_THAT(config::idle_policies(read_policies(policies + host), one), testing::ElementsAre(2))
        << "also if a later policy watches the same queues";
    auto two = one;
    two.push_back({"b", two_ports()});
    two[1].inventory.ports[1].name = "Ethernet77";
    EXPECT_THAT(config::idle_policies(read_policies(policies + host), two), testing::IsEmpty());
}

TEST(PolicyBind, FindsPortsThatAPolicyForServersDoesNotWatch)
{
    const std::string ports = "ports = [\"Ethernet0\", \"Ethernet4\", \"Ethernet77\"]\n";
    const auto file =
        read_policies("[[policy]]\npreset = \"sonic\"\n" + ports + "[[policy]]\npreset = \"rdma-switch\"\n" + ports +
                      "[[port]]\nname = \"Ethernet0\"\nrole = \"host\"\n");
    const std::vector<config::DeviceRows> one{{"a", two_ports()}};
    EXPECT_THAT(config::unwatched_ports(file, one), testing::ElementsAre(config::UnwatchedPorts{1, {"Ethernet4"}}));
}

}  // namespace
}  // namespace petrel::codec
