#include "report/quality_tables.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "assay/error.h"
#include "assay/quality/choose.h"
#include "assay/quality/correlate.h"
#include "assay/quality/quba.h"
#include "assay/report.h"

namespace assay {
namespace {

/// Shows scores by all nine dimensions, or by the dimensions that the models have.
Report scored(const quality::QualityTable& table, quality::QubaOptions how) {
    try {
        return report_of(quality::score_quality(table, how));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        how.drop_missing = true;
        return report_of(quality::score_quality(table, how));
    }
}

}  // namespace

std::vector<SourcedResult> table_results(const SavedResult& saved, const ReportOptions& options,
                                         Said& said) {
    std::vector<SourcedResult> results;
    const auto add = [&](nlohmann::json result) {
        results.push_back({saved.source, std::move(result)});
    };
    if (!saved.table) return results;
    const quality::QualityTable& table = *saved.table;
    add(saved.result.is_null() ? quality::to_json(table) : saved.result);
    const auto try_to = [&](std::string_view what, const std::function<Report()>& make) {
        try {
            const Report report = make();
            for (const std::string& text : report.warnings)
                said.warn(fmt::format("{}: {}", saved.source, text));
            add(report.result);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_input) throw;
            said.leave_out(fmt::format("{} of {} are not in the report: {}.", what, saved.source,
                                       error.message()));
        }
    };
    const double level = options.measure.resampling.level;
    try_to("The scores", [&] {
        quality::QubaOptions how;
        how.level = level;
        return scored(table, how);
    });
    try_to("The correlations", [&] {
        quality::CorrelateOptions how;
        how.level = level;
        how.threads = options.threads;
        return report_of(quality::correlate_dimensions(table, how));
    });
    try_to("Models that no other model beats", [&] {
        quality::ChooseOptions how;
        how.level = level;
        return report_of(quality::choose_models(table, how));
    });
    return results;
}

}  // namespace assay
