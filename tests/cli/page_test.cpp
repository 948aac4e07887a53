// The page of a replay: self-contained, well-formed, with counts of what it leaves out, and it escapes what a trace
// tries to inject.
#include <gtest/gtest.h>

#include <regex>

#include "html_page.hpp"
#include "petrel_program.hpp"

namespace petrel::cli {
namespace {

using petrel::test::count;
using petrel::test::expect_well_formed;

std::string page_of(std::vector<std::string> arguments, std::string input = {})
{
    arguments.insert(arguments.begin(), "replay");
    arguments.insert(arguments.end(), {"--format", "html"});
    auto call = test::petrel(std::move(arguments));
    call.input = std::move(input);
    const auto ended = petrel::test::run(call);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.out;
}

TEST(Page, NeedsNothingFromOutside)
{
    const auto page = page_of({"storm.csv", "--policy", "sonic", "--policy", "sai"});
    for (const auto* resource : {"http", "<script", "<link", "<img", "src=", "@import", "url("}) {
        EXPECT_EQ(count(page, resource), 0U) << resource;
    }
    EXPECT_EQ(count(page, "prefers-color-scheme: dark"), 1U);
    EXPECT_EQ(count(page, "@media print"), 1U);
}

TEST(Page, ShowsATimelinePerQueueWithALanePerPolicy)
{
    const auto page = page_of({"storm.csv", "--policy", "sonic", "--policy", "sai"});
    expect_well_formed(page);
    EXPECT_EQ(count(page, "<svg"), 1U) << "one of eight queues had a storm";
    EXPECT_EQ(count(page, "<svg class=\"timeline\""), count(page, "<title>Timeline of"));
    EXPECT_EQ(count(page, "<desc>"), 1U);
    EXPECT_EQ(count(page, "class=\"lane\""), 2U);
    EXPECT_EQ(count(page, "class=\"signal\""), 1U);
    EXPECT_EQ(count(page, "<g class=\"mark begins\">"), 2U);
    EXPECT_EQ(count(page, "<g class=\"mark ends\">"), 2U);
    EXPECT_EQ(count(page, "<g class=\"band mitigated\">"), 2U);
    EXPECT_EQ(count(page, "<details>"), 4U);
    EXPECT_NE(page.find("mitigated from 1.500000 s to 5.400000 s"), std::string::npos);
    EXPECT_NE(page.find("7 further queues without anything to show."), std::string::npos);
}

TEST(Page, LinksLeadSomewhere)
{
    const auto page = page_of({"two-switches.jsonl", "--policy", "sonic"});
    const std::regex link{R"(href="#([^"]+)\")"};
    std::size_t links = 0;
    for (std::sregex_iterator it{page.begin(), page.end(), link}, end; it != end; ++it, ++links) {
        EXPECT_EQ(count(page, "id=" + (*it)[1].str() + ">"), 1U);
    }
    EXPECT_EQ(links, 2U);
}

TEST(Page, CongestionIsShownButIsNoStorm)
{
    const auto page = page_of({"incast.csv", "--policy", "sonic", "--policy", "progress"});
    expect_well_formed(page);
    EXPECT_NE(page.find("No policy saw a storm."), std::string::npos);
    EXPECT_NE(page.find("Paused a lot, but no storm"), std::string::npos);
    EXPECT_EQ(count(page, "<svg"), 8U);
    EXPECT_EQ(count(page, "<details>"), 0U);
}

TEST(Page, ATraceCannotInjectAnything)
{
    std::string trace = "time_us,device,port,queue,pause_state\n";
    for (int poll = 0; poll < 10; ++poll) {
        trace += std::to_string(poll * 100'000) + R"(,"<i>&""'","</title><script>alert(1)</script>",3,paused)" + "\n";
    }
    const auto page = page_of({"-", "--policy", "sonic"}, trace);
    expect_well_formed(page);
    EXPECT_EQ(count(page, "<script"), 0U);
    EXPECT_EQ(count(page, "<i>&"), 0U);
    EXPECT_GT(count(page, "&lt;i&gt;&amp;&quot;&#39;:&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;:3"), 1U);
}

TEST(Page, ThousandsOfQueuesStayReadable)
{
    std::string trace = "time_us,port,queue,pause_state\n";
    for (int poll = 0; poll < 8; ++poll) {
        for (int port = 0; port < 1000; ++port) {
            trace += std::to_string(poll * 100'000) + ",Ethernet" + std::to_string(port) + ",3," +
                     (port % 4 == 0 ? "paused\n" : "not_paused\n");
        }
    }
    const auto page = page_of({"-", "--policy", "sonic"}, trace);
    EXPECT_EQ(count(page, "<svg"), 200U);
    EXPECT_NE(page.find("and 50 queues more"), std::string::npos);
    EXPECT_NE(page.find("750 further queues without anything to show."), std::string::npos);
}

}  // namespace
}  // namespace petrel::cli
