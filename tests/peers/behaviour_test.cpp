// Runs one set of traces through the nine detectors of SONiC and through ours. The answers of the peers are known from
// running the originals: they validate the models and the traces. Ours must be right on every trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "petrel_answers.hpp"
#include "support/golden.hpp"

namespace petrel::peers {
namespace {

using testing::IsEmpty;

// The polls of storm and restore, as observed on the originals; detectors that never differ share a column. On trace J
// only the kind of failure was observed: a false restore, or (mellanox) one storm after another; the polls follow from
// the counter freeze in interval 6.
const std::map<std::string_view, std::size_t> kColumn{{"broadcom", 0}, {"mellanox", 1}, {"cisco-8000", 2},
                                                      {"barefoot", 3}, {"vs", 3},       {"nephos", 4},
                                                      {"clounix", 4},  {"teralynx", 5}, {"prestera", 6}};
const std::map<char, std::array<std::string_view, 7>> kObserved{
    {'A', {"5-16", "5-16", "4-16", "5-16", "5-16", "5-16", "5-16"}},
    {'B', {"4-15", "4-15", "3-15", "4-15", "4-15 16-17", "4-15", "4-15"}},
    {'C', {"5-16", "none", "4-16", "4-16", "4-16", "4-16", "none"}},
    {'D', {"none", "none", "4-16", "4-16", "4-16", "4-16", "4-16"}},
    {'E', {"5-16", "none", "4-16", "4-16", "4-16", "4-16", "4-16"}},
    {'F', {"none", "none", "none", "4-16", "4-16", "none", "4-16"}},
    {'G', {"5-", "4-", "4-12", "4-", "4-", "4-", "4-"}},
    {'H', {"5,7,9-11", "4,7,10-12", "4,6,8,10-11", "4,7,10-12", "4,6,8,10-11", "4,6,8,10-11", "4,6,8,10-11"}},
    {'I', {"5-12", "3-12", "4-12", "4-12", "4-12", "4-12", "4-12"}},
    {'J', {"5-7", "4-7 10-13 16-19", "4-", "4-7", "4-7", "4-7", "4-7"}},
    {'K', {"5-", "none", "4-", "none", "none", "none", "none"}},
};

TEST(Peers, ModelsEqualTheOriginals)
{
    for (const auto& trace : traces()) {
        for (const auto& peer : kPeers) {
            EXPECT_EQ(text(ask(peer, trace)), kObserved.at(trace.id).at(kColumn.at(peer.name)))
                << trace.id << ' ' << peer.name;
        }
    }
}

TEST(Peers, NoneIsRightOnEveryTrace)
{
    for (const auto& peer : kPeers) {
        std::vector<std::string_view> all;
        for (const auto& trace : traces()) {
            const auto found = faults(trace, ask(peer, trace));
            all.insert(all.end(), found.begin(), found.end());
        }
        EXPECT_THAT(all, Not(IsEmpty())) << peer.name;
    }
}

// Our decisions, trace by trace. I restores at 11, not at 12 as the peers do: 600 ms of quiet have passed by then.
TEST(Ours, DecidesAsPromised)
{
    const std::map<char, std::string_view> promised{
        {'A', "5-16"}, {'B', "4-15"}, {'C', "4-16"}, {'D', "none"}, {'E', "none"}, {'F', "none"},
        {'G', "4-12"}, {'H', "4-12"}, {'I', "3-11"}, {'J', "4-"},   {'K', "4-"},
    };
    for (const auto& trace : traces()) {
        EXPECT_EQ(text(run_petrel("sonic", trace)), promised.at(trace.id)) << trace.id << ' ' << trace.about;
    }
}

TEST(Ours, IsRightOnEveryTrace)
{
    for (const auto& trace : traces()) {
        EXPECT_THAT(faults(trace, run_petrel("sonic", trace)), IsEmpty()) << trace.id << ' ' << trace.about;
    }
}

TEST(Ours, ProgressCatchesStormsThatEvadeContinuousDetectors)
{
    for (const auto& trace : traces()) {
        const auto answer = run_petrel("progress", trace);
        if (trace.storm.kind == Storm::Kind::broken) {
            EXPECT_EQ(text(answer), "5-16") << trace.id;
        }
        if (trace.storm.kind == Storm::Kind::none) {
            EXPECT_EQ(text(answer), "none") << trace.id;
        }
    }
}

// The judge itself: it finds each planted fault.
TEST(Judge, FindsEachFault)
{
    const auto all = traces();
    const auto on = [&](char id, const Answer& answer) {
        return faults(*std::find_if(all.begin(), all.end(), [&](const Trace& t) { return t.id == id; }), answer);
    };
    using Faults = std::vector<std::string_view>;
    EXPECT_EQ(on('A', {{5, true}, {16, false}}), Faults{});
    EXPECT_EQ(on('A', {{4, true}, {16, false}}), Faults{"too early"});
    EXPECT_EQ(on('A', {{6, true}, {16, false}}), Faults{"late"});
    EXPECT_EQ(on('A', {{5, true}, {15, false}}), Faults{"restored too early"});
    EXPECT_EQ(on('A', {{5, true}, {18, false}}), Faults{"restored late"});
    EXPECT_EQ(on('A', {{5, true}}), Faults{"never restored"});
    EXPECT_EQ(on('A', {}), Faults{"missed"});
    EXPECT_EQ(on('A', {{5, true}, {16, false}, {17, true}, {18, false}}), Faults{"phantom storm"});
    EXPECT_EQ(on('H', {{4, true}, {6, true}, {12, false}}), Faults{"reported again"});
    EXPECT_EQ(on('F', {{4, true}, {16, false}}), Faults{"false storm"});
    EXPECT_EQ(on('J', {{4, true}, {7, false}}), Faults{"false restore"});
    EXPECT_EQ(on('J', {{4, true}, {7, false}, {10, true}}), (Faults{"false restore", "flaps"}));
    EXPECT_EQ(on('D', {}), Faults{});
}

// --- the matrix that people read -------------------------------------------------------------------------------------

std::string cell(const Trace& trace, const Answer& answer)
{
    return text(answer) + (faults(trace, answer).empty() ? "" : " !");
}

std::string matrix()
{
    std::string out =
        "storm at poll - restored at poll; a comma: reported again; none: silent; !: wrong, see below\n\n";
    std::string why;
    out += fmt::format("{:<10}", "trace");
    for (const auto& trace : traces()) {
        out += fmt::format("  {:<{}}", trace.id, trace.id == 'J' ? 17 : 13);
    }
    const auto line = [&](std::string_view who, auto&& run_detector) {
        std::string row = fmt::format("{:<10}", who);
        for (const auto& trace : traces()) {
            const Answer answer = run_detector(trace);
            row += fmt::format("  {:<{}}", cell(trace, answer), trace.id == 'J' ? 17 : 13);
            const auto found = faults(trace, answer);
            if (!found.empty()) {
                why += fmt::format("{:<10}  {}  {}\n", who, trace.id, fmt::join(found, ", "));
            }
        }
        out += '\n' + row.substr(0, row.find_last_not_of(' ') + 1);
    };
    out.erase(out.find_last_not_of(' ') + 1);
    for (const auto& peer : kPeers) {
        line(peer.name, [&](const Trace& trace) { return ask(peer, trace); });
    }
    line("sonic", [](const Trace& trace) { return run_petrel("sonic", trace); });
    line("progress", [](const Trace& trace) { return run_petrel("progress", trace); });
    out += "\n\n";
    for (const auto& trace : traces()) {
        out += fmt::format("{}  {}\n", trace.id, trace.about);
    }
    return out + '\n' + why;
}

TEST(Peers, MatrixIsAsPublished)
{
    const auto now = matrix();
    std::cout << now;
    test::expect_golden(test::golden("peers/matrix.txt"), now);
}

}  // namespace
}  // namespace petrel::peers
