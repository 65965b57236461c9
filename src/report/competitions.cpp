#include "report/competitions.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/mad/rank.h"

namespace assay {

std::vector<nlohmann::json> competition_results(const std::filesystem::path& folder,
                                                const ReportOptions& options, Said& said) {
    std::vector<nlohmann::json> results;
    const auto add = [&](const Report& report) {
        results.push_back({{"source", folder.string()}, {"result", report.result}});
        for (const std::string& text : report.warnings) said.warn(text);
        said.partial = said.partial || report.partial;
    };
    const mad::Competition competition = mad::Competition::open(folder);
    add(report_of(competition));
    add(report_of(mad::status_of(competition)));
    mad::RankOptions how;
    how.threads = options.threads;
    how.posterior.level = options.measure.resampling.level;
    try {
        add(report_of(mad::rank_classifiers(competition, how)));
    } catch (const Error& error) {
        // Nothing is selected or settled yet.
        if (error.code() != ErrorCode::usage) throw;
        said.leave_out(fmt::format("The classifiers of {} are not ranked: {}.", folder.string(),
                                   error.message()));
        said.partial = true;
    }
    return results;
}

}  // namespace assay
