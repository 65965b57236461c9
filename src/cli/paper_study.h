// The evaluations behind the tables and figures of a paper. Each runs at most once, when the first
// table or figure needs it.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/score.h"
#include "assay/replication/steps.h"
#include "cli/paper_settings.h"

namespace assay::cli {

/// What a table or a figure is made from. `stores` is `gap` with values that only stores have.
enum class PaperSource { none, gap, stores, composites, adjust, frequencies, figures };

class PaperStudy {
public:
    explicit PaperStudy(PaperConfig config) : config_(std::move(config)) {}

    const PaperSettings& settings() const { return config_.settings; }
    /// Why [paper] cannot feed the source; "" if it can.
    std::string_view missing(PaperSource source) const;
    /// The command that prints the source's result, and the file with it in the folder of the
    /// paper.
    std::string command(PaperSource source) const;
    /// The command for the table of all models with their ranks.
    std::string ranking_command() const;
    static std::string_view file_of(PaperSource source);

    /// With composites, the report has their values and the order by ASMA on them. Throws as
    /// run_gap() does; a second call throws the same error.
    const GapReport& gap();
    /// Means over the composites. Throws as score_runs() does.
    const ScoreResult& composites();
    /// Throws as run_adjust() does.
    const replication::AdjustOutcome& adjust();
    /// The result in its schema.
    const nlohmann::json& result(PaperSource source);
    /// The results so far, by the names of their files.
    const std::map<std::string, nlohmann::json>& results() const { return results_; }
    /// True if a store lacks scores of some images.
    bool partial() const { return partial_; }

private:
    template <class T, class Make>
    const T& once(std::optional<T>& value, PaperSource source, Make&& make);
    nlohmann::json made(PaperSource source);

    PaperConfig config_;
    std::optional<GapReport> gap_;
    std::optional<ScoreResult> composites_;
    std::optional<replication::AdjustOutcome> adjust_;
    std::map<std::string, nlohmann::json> results_;
    std::map<PaperSource, Error> failed_;
    bool partial_ = false;
};

/// The models that the figure of the composites shows: the five best by top-1 on the first data
/// set, and the five best by ASMA on the composites.
std::vector<std::string> best_by_both(const GapReport& report);

}  // namespace assay::cli
