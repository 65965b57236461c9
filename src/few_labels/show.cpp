// Computes the results of a study from its record and people's answers.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/few_labels/estimate.h"
#include "core/refuse.h"
#include "core/text.h"
#include "few_labels/answers.h"
#include "few_labels/design.h"
#include "few_labels/known.h"
#include "few_labels/looks.h"
#include "few_labels/measured.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"

namespace assay::few_labels {

namespace {

/// Results of the first classifiers of a study.
struct PartOfStudy {
    PoolEstimate result;
    std::uint64_t open = 0;          ///< drawn images without all answers about their labels
    std::uint64_t open_settled = 0;  ///< settled ones; if there are any, nothing is estimated
    double drawable = 0;
};

PartOfStudy estimate_first(const std::filesystem::path& study, const Design& design,
                           std::size_t classifiers, const EstimateOptions& options,
                           const ProgressCallback& progress) {
    PartOfStudy out;
    PoolEstimate& result = out.result;
    const Pool pool(open_stores(design, classifiers), design.founders);
    const KnownAnswers known = read_known(study, design, pool);
    const Strata strata(pool, design.purpose, strata_for(design.drawn.front()), options.threads,
                        progress, Strata::sorted_at_most, settled_rows(known, pool));
    if (strata.pool_size() != design.images || strata.images() != design.strata)
        refuse(
            fmt::format("{}: the strata of the predictions differ from the recorded ones; begin "
                        "a new study",
                        design_file(study).string()));
    const Sample sample =
        draw(pool, strata, allocate(strata.totals(), strata.images(), design.drawn.back()),
             design.seed, options.threads, progress);
    const Judgements said = read_judgements(options, pool, sample, known);
    result.study = study;
    result.dataset = pool.stores().front().spec().dataset_name;
    result.images = strata.pool_size();
    result.left_out = pool.rows() - strata.pool_size();
    result.drawn = design.drawn.back();
    result.level = options.level;
    result.founders = design.founders;
    result.answers_ignored = said.ignored;
    result.notes = said.notes;
    for (std::size_t i = 0; i < said.of.size(); ++i)
        if (said.of[i].state == Judgement::State::open)
            ++(i < sample.images.size() ? out.open : out.open_settled);
    if (out.open_settled > 0) return out;
    out.drawable = static_cast<double>(strata.drawable());
    measure_sample({&pool, &strata, &sample, design.stores.size()}, said, options, design.purpose,
                   result, progress);
    return out;
}

/// Appends the rows of `from` that `is_new` chooses.
template <class Row, class IsNew>
void append_new(std::vector<Row>& to, const std::vector<Row>& from, const IsNew& is_new) {
    for (const Row& row : from)
        if (is_new(row)) to.push_back(row);
}

/// All classifiers. Those that joined may lack answers that the others do not need.
PoolEstimate estimate_all(const std::filesystem::path& study, const Design& design,
                          const EstimateOptions& options, const ProgressCallback& progress) {
    PartOfStudy all = estimate_first(study, design, design.stores.size(), options, progress);
    if (design.joined.empty()) return std::move(all.result);
    PartOfStudy founders = estimate_first(study, design, design.founders, options, progress);
    const std::uint64_t missing = all.open - founders.open + all.open_settled;
    // An image that nobody can judge for a new classifier still counts for the others.
    const bool same = missing == 0 && all.result.unjudged == founders.result.unjudged &&
                      all.result.settled == founders.result.settled;
    if (same) return std::move(all.result);
    PoolEstimate result = std::move(founders.result);
    if (missing > 0) {
        // An image lacks no answer where a new classifier predicts what others predict. Those
        // images are no random sample, because such a prediction is more often correct.
        result.notes.push_back(fmt::format(
            "{} have no answer yet about labels of classifiers that joined ({}), so these are not "
            "shown",
            how_many(missing, "image", "images"),
            added_questions_file(study, design.joined.size()).string()));
        return result;
    }
    std::set<std::string> old;
    for (const EstimatedClassifier& one : result.classifiers) old.insert(one.classifier);
    const auto is_new = [&](const auto& row) { return !old.contains(row.classifier); };
    append_new(result.classifiers, all.result.classifiers, is_new);
    append_new(result.groups, all.result.groups, is_new);
    append_new(result.classes, all.result.classes, is_new);
    append_new(result.pairs, all.result.pairs, [&](const EstimatedPair& pair) {
        return !old.contains(pair.first) || !old.contains(pair.second);
    });
    for (const std::string& warning : all.result.warnings)
        if (std::ranges::find(result.warnings, warning) == result.warnings.end())
            result.warnings.push_back("classifiers that joined: " + warning);
    result.best.clear();
    result.not_resolved.clear();
    result.half_width.reset();
    result.labels_needed.reset();
    result.precise_enough = false;
    const auto labels = static_cast<double>(std::min(result.labels, all.result.labels));
    compare_and_stop(result, options, design.purpose, labels, founders.drawable);
    return result;
}

}  // namespace

PoolEstimate estimate_pool(const std::filesystem::path& study, const EstimateOptions& options,
                           const ProgressCallback& progress) {
    std::optional<Design> design = read_design(study);
    if (!design)
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` is no study of `assay estimate`; begin one: assay estimate "
                                "select {} RUNS --draw 200",
                                study.string(), study.string()));
    if (options.answers.empty() && options.labels.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("no answers are named: assay estimate show {} --answers VOTES, or "
                        "--labels LABELS. To collect them: assay serve --questions {} "
                        "--task labels",
                        study.string(), questions_file(study, design->drawn.size()).string()));
    if (!options.gold.empty() && (options.answers.empty() || !options.labels.empty()))
        throw Error(
            ErrorCode::usage,
            fmt::format("--gold {}: it corrects the errors of annotators, so give --answers "
                        "VOTES without --labels: assay estimate show {} --answers VOTES "
                        "--gold {}",
                        options.gold.string(), study.string(), options.gold.string()));
    PoolEstimate result = estimate_all(study, *design, options, progress);
    note_look(study, *design, options, result);
    return result;
}

}  // namespace assay::few_labels
