#include "sonic_tools/tools.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "sonic_tools/arguments.hpp"
#include "sonic_tools/desk.hpp"
#include "sonic_tools/mmuconfig.hpp"
#include "sonic_tools/pfc.hpp"
#include "sonic_tools/pfcstat.hpp"
#include "sonic_tools/pfcwd.hpp"

namespace petrel::sonic_tools {
namespace {

const Command* find_tool(std::string_view name)
{
    static const std::array tools{&pfcwd(), &mmuconfig(), &pfc(), &pfcstat()};
    const auto found = std::find_if(tools.begin(), tools.end(), [&](const auto* tool) { return tool->name == name; });
    return found == tools.end() ? nullptr : *found;
}

}  // namespace

bool is_tool(std::string_view name) { return find_tool(name) != nullptr; }

Outcome run_tool(std::string_view tool, std::string_view program, std::span<const std::string> arguments,
                 const Surroundings& around)
{
    const auto* grammar = find_tool(tool);
    PETREL_ASSERT(grammar != nullptr, "no tool {}", tool);
    auto invocation = parse(*grammar, program, arguments);
    if (!invocation) {
        return invocation.error();
    }
    Desk desk{around, *invocation};
    Outcome outcome;
    try {
        if (desk.asic_is_named()) {
            desk.asics();  // a wrong namespace is reported before anything else, as other wrong values are
        }
        outcome = desk.command.run(invocation->given, desk);
        desk.write_changes();
    } catch (const Stop& stop) {
        outcome = stop.outcome;
    }
    outcome.err.insert(0, desk.notes());
    return outcome;
}

}  // namespace petrel::sonic_tools
