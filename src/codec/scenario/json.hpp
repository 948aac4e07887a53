// The summary of a run as one JSON line: the last line of `petrel lab run --json`. The schema is stable and documented
// (docs/scenario-file.md): keys are added, never renamed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "codec/scenario/template.hpp"
#include "scenario/expectation.hpp"
#include "scenario/summary.hpp"

namespace petrel::codec {

struct Judged {
    const scenario::Expectation* expectation{};
    scenario::Verdict verdict{};
    std::string found;
};

// Data of a run beside its results.
struct RunRecord {
    std::string file;
    Settings settings;
    std::chrono::milliseconds wall{};
    std::vector<Judged> judged;
};

// Without the newline.
std::string summary_json(const scenario::Summary&, const RunRecord&);

}  // namespace petrel::codec
