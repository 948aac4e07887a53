// Entries "sai:..." in the agent's configuration, and the devices they become.
#include "drivers/sai_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "device/manual_clock.hpp"
#include "device/sai/port_names.hpp"
#include "support/golden.hpp"
#include "support/subprocess.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Driving {
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry& entry, DeviceId id)
    {
        return driver.open(entry, id, clock, [this](const std::string& text) { notes.push_back(text); });
    }

    drivers::SaiDriver driver;
    std::vector<std::string> notes;
    device::ManualClock clock;

    std::string problem(const std::string& rest)
    {
        const auto expanded = driver.expand({"", "sai:" + rest, {}});
        return expanded ? "" : expanded.error().what;
    }
};

// A library stays in the process once it is started: each test opens its own copy.
std::string own_library(const TemporaryFolder& folder)
{
    static int copies = 0;
    const auto copy = folder.path() / ("libsai-" + std::to_string(++copies) + ".so");
    std::filesystem::copy_file(PETREL_BAD_LIBSAI, copy);
    return "sai:" + copy.string();
}

TEST(SaiDriver, ADeviceIsCalledAsItsLibraryIsUnlessItHasAName)
{
    Driving driving;
    const auto one = driving.driver.expand({"", "sai:/usr/lib/libsai.so,version=1.9", {}}).value();
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].name, "libsai");
    EXPECT_EQ(one[0].driver, "sai:/usr/lib/libsai.so,version=1.9");
    EXPECT_EQ(driving.driver.expand({"tor", "sai:/usr/lib/libsai.so", {}}).value()[0].name, "tor");
}

TEST(SaiDriver, ReportsInvalidEntries)
{
    Driving driving;
    EXPECT_EQ(driving.problem(",version=1.9"), "sai:,version=1.9: the path of a library comes first");
    EXPECT_EQ(driving.problem("/x.so,version=new"), "sai:/x.so,version=new: version is 'new': as 1.9 or 1.9.1");
    EXPECT_EQ(driving.problem("/x.so,version=1"), "sai:/x.so,version=1: version is '1': as 1.9 or 1.9.1");
    EXPECT_EQ(driving.problem("/x.so,version=1.9.1.2"),
              "sai:/x.so,version=1.9.1.2: version is '1.9.1.2': as 1.9 or 1.9.1");
    EXPECT_EQ(driving.problem("/x.so,profil=a"), "sai:/x.so,profil=a: 'profil=a': allowed profile=FILE or version=1.9");
    EXPECT_EQ(driving.problem("/x.so,profile=a,profile=b"), "sai:/x.so,profile=a,profile=b: profile is given twice");
    EXPECT_THAT(driving.problem("/x.so,profile=/no/such/file"), HasSubstr("/no/such/file"));
    EXPECT_EQ(
        driving.problem("/x.so,profile=a/../b"),
        "sai:/x.so,profile=a/../b: the profile 'a/../b' depends on the folder that the agent is started in: write "
        "the absolute path, from here " +
            (std::filesystem::current_path() / "b").string());
}

TEST(SaiDriver, SteppedTimeIsRefused)
{
    const TemporaryFolder folder;
    const auto file = (folder.path() / "sai.profile").string();
    Driving driving;
    std::ofstream{file} << "petrel.time=stepped\n";
    EXPECT_EQ(driving.problem("/x.so,profile=" + file),
              file + ": petrel.time is 'stepped', but an agent uses real time: remove it");
    std::ofstream{file} << "petrel.time=wall\n";
    EXPECT_EQ(driving.problem("/x.so,profile=" + file), "");
}

// The text after the colon is checked with the file; the files it names may be on another machine.
TEST(SaiDriver, ConfigCheckReadsTheWholeEntry)
{
    const TemporaryFolder folder;
    const auto file = (folder.path() / "agent.toml").string();
    const auto check = [&](const std::string& rest) {
        std::ofstream{file} << "[[device]]\ndriver = \"sai:" << rest << "\"\n[[policy]]\npreset = \"sai\"\n";
        return run({.program = PETREL_BIN_DIR "/petrel", .arguments = {"config", "check", file}});
    };
    EXPECT_EQ(check("/no/such/libsai.so,profile=/no/such/profile").exit_code, 0);
    const auto wrong = check("/x.so,profil=a");
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err,
                StartsWith(file + ":1:1: sai:/x.so,profil=a: 'profil=a': allowed profile=FILE or version=1.9\n"));
    const auto here = std::filesystem::current_path().string();
    const auto relative = check("lib/../libsai.so");
    EXPECT_EQ(relative.exit_code, 2);
    EXPECT_THAT(relative.err,
                StartsWith(file +
                           ":1:1: sai:lib/../libsai.so: 'lib/../libsai.so' depends on the folder that the agent is "
                           "started in: write the absolute path, from here " +
                           here + "/libsai.so\n"));
}

// The library must not depend on the working directory or the environment of a process: those of root's release-all
// differ from the agent's.
TEST(SaiDriver, APathThatIsNotAbsoluteIsRefused)
{
    Driving driving;
    const auto here = std::filesystem::current_path().string();
    for (const auto* path : {"./libsai.so", "../libsai.so", "build/libsai.so"}) {
        EXPECT_THAT(driving.problem(path), HasSubstr("write the absolute path, from here "));
        EXPECT_FALSE(driving.open({"tor", std::string{"sai:"} + path, {}}, DeviceId{1}));
    }
    EXPECT_EQ(driving.problem("libsai.so"),
              "sai:libsai.so: 'libsai.so' would be searched for in LD_LIBRARY_PATH and the system's folders: write the "
              "absolute path of the library, as " +
                  here + "/libsai.so or /usr/lib/libsai.so");
}

TEST(SaiDriver, OpensALibraryWithItsProfile)
{
    const TemporaryFolder folder;
    const auto file = folder.path() / "sai.profile";
    std::ofstream{file} << "bad.ports=3\nbad.faults=no_state\n";
    Driving driving;
    const config::DeviceEntry entry{"tor", own_library(folder) + ",profile=" + file.string(), {}};
    const auto device = driving.open(entry, DeviceId{1});
    ASSERT_TRUE(device) << device.error().what;
    EXPECT_EQ((*device)->inventory().ports.size(), 3U);
    EXPECT_THAT(driving.notes, testing::Contains(HasSubstr("get PFC_CONTINUOUS_DEADLOCK_STATE of a queue")));

    const auto twice = driving.open(entry, DeviceId{2});
    ASSERT_FALSE(twice);
    std::ofstream{file} << "bad.ports\n";
    EXPECT_THAT(driving.problem(PETREL_BAD_LIBSAI ",profile=" + file.string()), HasSubstr("sai.profile:1:1"));
}

// sai_api_initialize works once in a process. A device that is closed and opened again gets the same library.
TEST(SaiDriver, ADeviceIsOpenedAgainOnTheSameLibrary)
{
    const TemporaryFolder folder;
    const auto profile = folder.path() / "sai.profile";
    const auto diary = folder.path() / "diary";
    std::ofstream{profile} << "bad.diary=" << diary.string() << '\n';
    Driving driving;
    const config::DeviceEntry entry{"tor", own_library(folder) + ",profile=" + profile.string(), {}};
    for (int i = 0; i != 3; ++i) {
        const auto device = driving.open(entry, DeviceId{1});
        ASSERT_TRUE(device) << device.error().what;
        EXPECT_EQ((*device)->inventory().ports.size(), 2U);
    }
    EXPECT_THAT(content(diary), testing::Not(HasSubstr("shut down")));
    EXPECT_THAT(driving.notes, testing::Not(testing::Contains(HasSubstr("profile"))));

    std::ofstream{profile} << "bad.ports=3\n";
    EXPECT_EQ(driving.open(entry, DeviceId{1}).value()->inventory().ports.size(), 2U);
    EXPECT_THAT(driving.notes, testing::Contains("the profile has changed since the library was started: the new one "
                                                 "counts after a restart of the agent"));
}

// An invalid profile can be corrected as long as the library has not used it.
TEST(SaiDriver, ALibraryThatFailedToStartGetsTheNewProfile)
{
    const TemporaryFolder folder;
    const auto profile = folder.path() / "sai.profile";
    Driving driving;
    const config::DeviceEntry entry{"tor", own_library(folder) + ",profile=" + profile.string(), {}};
    for (const auto* fault : {"initialize_fails", "create_fails"}) {
        std::ofstream{profile} << "bad.faults=" << fault << '\n';
        EXPECT_FALSE(driving.open(entry, DeviceId{1})) << fault;
    }
    const auto* wrong = "sai:" PETREL_BIN_DIR "/../lib/libsai-petrel.so,profile=";
    std::ofstream{profile} << "petrel.device=s7\n";
    EXPECT_FALSE(driving.open({"tor", wrong + profile.string(), {}}, DeviceId{1}));
    std::ofstream{profile} << "petrel.device=s0\n";
    const auto reopened = driving.open({"tor", wrong + profile.string(), {}}, DeviceId{1});
    EXPECT_TRUE(reopened) << reopened.error().what;
}

// The first attempt has left the library half initialised: it reports that, and its methods are queried.
TEST(SaiDriver, ALibraryThatIsInitialisedByHalfIsTriedAsItIs)
{
    const TemporaryFolder folder;
    const auto profile = folder.path() / "sai.profile";
    std::ofstream{profile} << "bad.faults=initializes_by_half\n";
    Driving driving;
    const config::DeviceEntry entry{"tor", own_library(folder) + ",profile=" + profile.string(), {}};
    EXPECT_EQ(driving.open(entry, DeviceId{1}).error().what, "sai_api_initialize: FAILURE (-1)");
    EXPECT_THAT(driving.open(entry, DeviceId{1}).error().what, HasSubstr("sai_query_api_version: FAILURE (-1)"));
    EXPECT_THAT(driving.notes, testing::Contains("sai_api_initialize: ITEM_ALREADY_EXISTS (-6); the library counts as "
                                                 "initialised by the previous attempt"));
}

TEST(SaiDriver, CallsPortsAsTheFrontPanelDoes)
{
    const TemporaryFolder folder;
    const auto names = folder.path() / "port_config.ini";
    const auto profile = folder.path() / "sai.profile";
    std::ofstream{names}
        << "# name lanes alias index speed\nEthernet4 2,3 etp2 2 100000\nEthernet0 0,1 etp1 1 100000\n";
    const auto write_profile = [&](const std::string& more) {
        std::ofstream{profile} << "bad.ports=3\npetrel.port_names=" << names.string() << "\n" << more;
    };
    write_profile("");
    const auto entry = [&] {
        return config::DeviceEntry{"tor", own_library(folder) + ",profile=" + profile.string(), {}};
    };
    Driving driving;
    auto device = driving.open(entry(), DeviceId{1}).value();
    const auto& ports = device->inventory().ports;
    ASSERT_EQ(ports.size(), 3U);
    EXPECT_EQ(ports[0].name, "Ethernet0");
    EXPECT_EQ(ports[1].name, "Ethernet4");
    EXPECT_EQ(ports[2].name, "port2");
    EXPECT_THAT(driving.notes, testing::Contains("petrel.port_names has no port with lanes 5,4: it is called port2"));

    device.reset();
    write_profile("bad.faults=no_lanes\n");
    device = driving.open(entry(), DeviceId{1}).value();
    EXPECT_EQ(device->inventory().ports[0].name, "port0");
    EXPECT_THAT(driving.notes, testing::Contains(HasSubstr("ports are named by their position")));

    std::ofstream{names} << "Ethernet0 0,1\nEthernet0 2\nEthernet8 1\nEthernet9 x\nEthernet10\n";
    EXPECT_EQ(driving.problem(PETREL_BAD_LIBSAI ",profile=" + profile.string()),
              names.string() + ":2:1: value 'Ethernet0': allowed a name that no other port has\n" + names.string() +
                  ":3:1: value '1': allowed lanes that no other port has\n" + names.string() +
                  ":4:1: value 'x': allowed lanes, as 1,2,3,4\n" + names.string() +
                  ":5:1: value 'Ethernet10': allowed a port: its name and its lanes");
}

TEST(SaiDriver, ColumnsFollowTheHeader)
{
    using device::sai::NamedPort;
    const auto ports = device::sai::parse_port_names("# SONiC port configuration\n# speed  lanes name\n"
                                                     "\n100000 7 Ethernet0\n",
                                                     "x");
    EXPECT_EQ(ports.value(), (std::vector{NamedPort{"Ethernet0", {7}}}));
}

TEST(SaiDriver, TakesAStatedVersion)
{
    Driving driving;
    const config::DeviceEntry entry{"old", "sai:" PETREL_OLD_LIBSAI ",version=1.9", {}};
    EXPECT_TRUE(driving.open(entry, DeviceId{1}));
    const config::DeviceEntry unstated{"old", "sai:" PETREL_OLD_LIBSAI, {}};
    EXPECT_FALSE(driving.open(unstated, DeviceId{1}));
}

}  // namespace
}  // namespace petrel::test
