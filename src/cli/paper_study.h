// The evaluations behind the tables and figures of a paper. Each runs at most once, when the first
// table or figure needs it.
#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/score.h"
#include "assay/mad/competition.h"
#include "assay/mad/distance_path.h"
#include "assay/mad/rank.h"
#include "assay/quality/correlate.h"
#include "assay/quality/groups.h"
#include "assay/quality/quba.h"
#include "assay/quality/table.h"
#include "assay/replication/steps.h"
#include "cli/paper_settings.h"

namespace assay::cli {

/// What a table or a figure is made from. `ranked` is `gap` with the composites, and `stores` is
/// `gap` with values that only stores have.
enum class PaperSource {
    none,
    gap,
    ranked,
    stores,
    composites,
    adjust,
    figures,
    ranking,    ///< of a competition
    distances,  ///< ways between labels
    pair,       ///< the images of a pair
    quality,    ///< the table of dimensions
    quality_scores,
    quality_correlations,
    quality_grouped,  ///< correlations by the groups of `by`, too
    quality_groups,
    tagged,   ///< the images by tag
    classed,  ///< the images by class, beside labelled ones
};

/// [paper] or its inputs lack what a row needs, which is no failure.
class NoInput : public Error {
public:
    explicit NoInput(std::string reason) : Error(ErrorCode::bad_input, std::move(reason)) {}
};

class PaperStudy {
public:
    explicit PaperStudy(PaperConfig config) : config_(std::move(config)) {}

    const PaperSettings& settings() const { return config_.settings; }
    /// Why [paper] cannot feed the source; "" if it can.
    std::string_view missing(PaperSource source) const;
    /// The command that prints the source's result, and the file with it in the folder of the
    /// paper.
    std::string command(PaperSource source) const;
    /// The commands for the table of all models.
    std::string ranking_command() const;
    static std::string_view file_of(PaperSource source);

    /// Both data sets. Throws as run_gap() does; a second call throws the same error.
    const GapReport& gap();
    /// The same with the values on the composites and the order by ASMA on them. Throws as gap(),
    /// composites() and rank_by() do.
    const GapReport& ranked();
    /// ranked(), or gap() without composites. If they fail, it is gap(), with a warning.
    const GapReport& widest_gap();
    /// Means over the composites. Throws as score_runs() does.
    const ScoreResult& composites();
    /// Throws as run_adjust() does.
    const replication::AdjustOutcome& adjust();
    /// The competition and its ranking, also by fewer images. Throw as Competition::open() and
    /// rank_classifiers() do.
    const mad::Competition& competition();
    const mad::Ranking& ranking();
    /// As paper_mad::distances_of(). Their results are in files of their own.
    const std::vector<mad::DistancePath>& distances();
    /// The table of dimensions, QUBA, correlations, and the comparisons of [paper].groups, whose
    /// results are in files of their own. Throw as the functions of assay/quality do. A comparison
    /// that fails is a warning if another one does not.
    const quality::QualityTable& quality_table();
    const quality::QubaResult& quality_scores();
    const quality::CorrelateResult& quality_correlations();
    /// The same and those of each group, with p-values adjusted over all of them.
    const quality::CorrelateResult& grouped_correlations();
    const std::vector<quality::GroupResult>& comparisons();
    /// QUBA. Models that lack a dimension are scored by the others.
    quality::QubaResult scored(quality::QubaOptions options);
    /// The result in its schema.
    const nlohmann::json& result(PaperSource source);
    /// The results so far, by the names of their files.
    const std::map<std::string, nlohmann::json>& results() const { return results_; }
    /// The warnings of the evaluations so far, each once.
    const std::vector<std::string>& warnings() const { return warnings_; }
    /// True if a result lacks something: scores of a store, answers to questions, or unreadable
    /// images.
    bool partial() const { return partial_; }
    /// Adds warnings of a row of the paper.
    void add_warnings(const std::vector<std::string>& texts);
    void set_partial() { partial_ = true; }

private:
    template <class T, class Make>
    const T& once(std::optional<T>& value, PaperSource source, Make&& make);
    nlohmann::json made(PaperSource source);
    std::string competition_command(PaperSource source) const;
    std::string quality_command(PaperSource source) const;

    PaperConfig config_;
    std::optional<GapReport> gap_, ranked_;
    std::optional<ScoreResult> composites_;
    std::optional<replication::AdjustOutcome> adjust_;
    std::map<std::string, nlohmann::json> results_;
    std::optional<mad::Competition> competition_;
    std::optional<mad::Ranking> ranking_;
    std::optional<std::vector<mad::DistancePath>> distances_;
    std::optional<quality::QualityTable> quality_table_;
    std::optional<quality::QubaResult> quality_scores_;
    std::optional<quality::CorrelateResult> quality_correlations_, grouped_correlations_;
    std::optional<std::vector<quality::GroupResult>> comparisons_;
    std::map<PaperSource, std::exception_ptr> failed_;
    std::vector<std::string> warnings_;
    bool partial_ = false;
};

/// Words for a shell: " --labels1 real.json", or nothing.
std::string option_text(std::string_view option, const std::string& value);

/// The models that the figure of the composites shows: the five best by top-1 on the first data
/// set, and the five best by ASMA on the composites. Only models with both values are among them.
std::vector<std::string> best_by_both(const GapReport& report);

template <class T, class Make>
const T& PaperStudy::once(std::optional<T>& value, PaperSource source, Make&& make) {
    if (value) return *value;
    if (const auto before = failed_.find(source); before != failed_.end())
        std::rethrow_exception(before->second);
    try {
        value.emplace(make());
    } catch (const Error&) {
        failed_.emplace(source, std::current_exception());
        throw;
    }
    return *value;
}

}  // namespace assay::cli
