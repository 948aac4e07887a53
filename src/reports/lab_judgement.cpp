#include "reports/lab_judgement.hpp"

#include <fmt/format.h>

#include "terminal/table.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using scenario::Verdict;

std::string window_text(const scenario::Expectation& expectation)
{
    const auto seconds = [](twin::Ps time) {
        return fmt::format("{:.10g} s", static_cast<double>(time) / twin::kSecond);
    };
    return fmt::format("{}..{}", seconds(expectation.from), seconds(expectation.until));
}

}  // namespace

std::string line_text(const scenario::Expectation& expectation)
{
    return expectation.file.empty() ? fmt::format("{}", expectation.line)
                                    : fmt::format("{}:{}", expectation.file, expectation.line);
}

std::string judgement_table(std::span<const lab::Judgement> judgements, const Paint& paint, std::size_t width)
{
    if (judgements.empty()) {
        return {};
    }
    Table table({{"verdict", Align::left, {}},
                 {"line", Align::right, {}},
                 {"wanted", Align::left, {}},
                 {"found", Align::left, {}},
                 {"when", Align::left, {}, 1},
                 {"expected", Align::left, {}}});
    for (const auto& one : judgements) {
        const auto& expectation = one.expectation;
        const std::string verdict{name(one.verdict)};
        table.add({one.verdict == Verdict::failed ? paint.red(verdict) : verdict, line_text(expectation),
                   expectation.wanted, one.found.empty() ? "-" : one.found, window_text(expectation),
                   expectation.subject});
    }
    table.fit(width);
    return table.text();
}

std::string failures_text(std::span<const lab::Judgement> judgements)
{
    std::string text;
    for (const auto& one : judgements) {
        if (one.verdict == Verdict::failed) {
            const auto& expectation = one.expectation;
            text += fmt::format("  {}{}: {}, {}: wanted {}, found {}\n", expectation.file.empty() ? "line " : "",
                                line_text(expectation), expectation.subject, window_text(expectation),
                                expectation.wanted, one.found);
        }
    }
    return text;
}

std::vector<codec::Judged> judged(std::span<const lab::Judgement> judgements)
{
    std::vector<codec::Judged> all;
    for (const auto& one : judgements) {
        all.push_back({&one.expectation, one.verdict, one.found});
    }
    return all;
}

std::string summary_line(const std::string& file, const codec::Settings& settings, const lab::Outcome& outcome,
                         std::chrono::steady_clock::duration wall)
{
    return codec::summary_json(outcome.summary, {file, settings, std::chrono::floor<std::chrono::milliseconds>(wall),
                                                 judged(outcome.judgements)});
}

}  // namespace petrel::reports
