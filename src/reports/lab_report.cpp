#include "reports/lab_report.hpp"

#include <fmt/format.h>

#include <vector>

#include "reports/lab_report_data.hpp"
#include "reports/lab_report_html.hpp"
#include "terminal/output_file.hpp"

namespace petrel::reports {

Result<void> write_report(const std::filesystem::path& folder, std::span<const ReportedRun> runs,
                          const Comparison& comparison)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
        return tl::unexpected(Error{ErrorKind::denied, fmt::format("{}: {}", folder.string(), failed.message())});
    }
    std::vector<std::pair<std::string, std::string>> files{{"report.json", report_json(runs)},
                                                           {"queues.csv", queues_csv(runs)},
                                                           {"links.csv", links_csv(runs)},
                                                           {"traffic.csv", traffic_csv(runs)}};
    if (runs.size() == 1) {
        files.emplace_back("index.html", run_page(runs.front()));
    } else {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            files.emplace_back(run_page_name(i), run_page(runs[i]));
        }
        files.emplace_back("index.html", index_page(runs, comparison));
    }
    for (const auto& [name, text] : files) {
        if (auto written = write_output_file(folder / name, text); !written) {
            return written;
        }
    }
    return {};
}

}  // namespace petrel::reports
