// Any bytes give a template or a list of complaints, never a crash. The same holds for the text with its parameters
// filled in. Line numbers do not change.
#include <algorithm>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "codec/scenario/template.hpp"

namespace {

void check_complaints(const std::vector<petrel::Complaint>& complaints)
{
    PETREL_ASSERT(!complaints.empty(), "refused without a reason");
    for (const auto& complaint : complaints) {
        PETREL_ASSERT(!petrel::to_text(complaint).empty(), "an empty complaint");
    }
}

void fill_in_and_read(std::string_view text, const petrel::codec::Settings& settings)
{
    const auto filled = petrel::codec::fill_in(text, "fuzz", settings);
    if (!filled) {
        return check_complaints(filled.error());
    }
    PETREL_ASSERT(std::count(filled->begin(), filled->end(), '\n') == std::count(text.begin(), text.end(), '\n'),
                  "the number of lines has changed");
    const auto scenario = petrel::codec::read_scenario(*filled, "fuzz");
    if (!scenario) {
        check_complaints(scenario.error());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto own = petrel::codec::read_template(text, "fuzz");
    if (!own) {
        check_complaints(own.error());
        return 0;
    }
    fill_in_and_read(text, {});
    fill_in_and_read(text, own->full);
    for (const auto& sweep : own->sweeps) {
        fill_in_and_read(text, {{sweep.name, sweep.values.back()}});
    }
    return 0;
}
