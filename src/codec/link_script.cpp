#include "codec/link_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/complaint_text.hpp"
#include "codec/link_json_line.hpp"
#include "link/port_error_action.hpp"
#include "link/reasons.hpp"

namespace petrel::codec {
namespace {

using link::Side;

// Later than any real date, but still a valid time.
constexpr std::uint64_t kLatest = 1'000'000'000'000;

Side side(LinkJsonLine& line)
{
    const auto word = line.text("at", "\"A\" or \"B\"");
    if (word && word != "A" && word != "B") {
        line.complain("at", "\"A\" or \"B\"");
    }
    return word == "B" ? Side::b : Side::a;
}

// The reason for which a port goes down must be a known code; a neighbour may send any code.
std::uint8_t known_reason(LinkJsonLine& line, std::string_view key)
{
    const auto code = line.byte(key);
    if (!link::reason(code).known()) {
        line.complain(key, "a code with a meaning (petrel link codes)");
    }
    return code;
}

link::ScriptEvent read_down(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "at", "reason", "delivered"});
    return link::Down{side(line), known_reason(line, "reason"), line.flag("delivered", true)};
}

link::ScriptEvent read_down_both(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "a", "b", "a_delivered", "b_delivered"});
    return link::DownBoth{known_reason(line, "a"), known_reason(line, "b"), line.flag("a_delivered", true),
                          line.flag("b_delivered", true)};
}

template <class Event>
link::ScriptEvent read_bare(LinkJsonLine& line)
{
    line.refuse_other_keys({"do"});
    return Event{};
}

template <class Event>
link::ScriptEvent read_at(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "at"});
    return Event{side(line)};
}

template <class Event>
link::ScriptEvent read_heard(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "at", "reason"});
    return Event{side(line), line.byte("reason")};
}

link::ScriptEvent read_write(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "at", "ldr", "nldr", "ack"});
    return link::Write{side(line), line.byte("ldr"), line.byte("nldr"), line.number_or_null("ack")};
}

link::ScriptEvent read_error(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "at", "bit"});
    return link::PortError{side(line), static_cast<std::uint8_t>(line.number("bit", link::kPortErrorBits - 1))};
}

link::ScriptEvent read_mask(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "at", "value"});
    return link::Mask{side(line), line.mask("value")};
}

link::ScriptEvent read_sweep(LinkJsonLine& line)
{
    line.refuse_other_keys({"do", "time"});
    return link::Sweep{line.number("time", kLatest)};
}

struct Verb {
    std::string_view word;
    link::ScriptEvent (*read)(LinkJsonLine&);
};

constexpr std::array kVerbs{
    Verb{"down", read_down},
    Verb{"down_both", read_down_both},
    Verb{"loss", read_bare<link::Loss>},
    Verb{"power_loss", read_at<link::PowerLoss>},
    Verb{"up", read_bare<link::Up>},
    Verb{"arm", read_bare<link::Arm>},
    Verb{"activate", read_bare<link::Activate>},
    Verb{"training_failure", read_at<link::TrainingFailure>},
    Verb{"receive", read_heard<link::Receive>},
    Verb{"late_reason", read_heard<link::LateReason>},
    Verb{"write", read_write},
    Verb{"error", read_error},
    Verb{"mask", read_mask},
    Verb{"sweep", read_sweep},
    Verb{"manager_restart", read_bare<link::ManagerRestart>},
    Verb{"read", read_bare<link::Read>},
    Verb{"log", read_bare<link::Log>},
};

std::optional<ScriptLine> read_line(LinkJsonLine& line, std::uint32_t number)
{
    const auto word = line.text("do", "the name of an event");
    const auto verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& one) { return one.word == word; });
    if (verb == kVerbs.end()) {
        if (word) {
            std::vector<std::string_view> words;
            std::transform(kVerbs.begin(), kVerbs.end(), std::back_inserter(words), [](auto& one) { return one.word; });
            line.complain("do", "an event, " + instead_of(*word, words));
        }
        return std::nullopt;
    }
    return ScriptLine{verb->read(line), verb->word, number};
}

}  // namespace

Parsed<std::vector<ScriptLine>> read_link_script(std::string_view text, std::string_view file)
{
    ComplaintList complaints{file};
    std::vector<ScriptLine> script;
    TextLines lines{text};
    while (const auto line = lines.next()) {
        LinkJsonLine json{*line, complaints};
        if (const auto event = read_line(json, line->number)) {
            script.push_back(*event);
        }
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    return script;
}

}  // namespace petrel::codec
