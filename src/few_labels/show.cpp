// Computes the results of a study from its record and people's answers.
#include <optional>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/few_labels/estimate.h"
#include "core/refuse.h"
#include "few_labels/answers.h"
#include "few_labels/design.h"
#include "few_labels/known.h"
#include "few_labels/looks.h"
#include "few_labels/measured.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"

namespace assay::few_labels {

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
    const Pool pool(open_stores(*design));
    const KnownAnswers known = read_known(study, *design, pool);
    const Strata strata(pool, design->purpose, strata_for(design->drawn.front()), options.threads,
                        progress, Strata::sorted_at_most, settled_rows(known, pool));
    if (strata.pool_size() != design->images || strata.images() != design->strata)
        refuse(
            fmt::format("{}: the strata of the predictions differ from the recorded ones; begin "
                        "a new study",
                        design_file(study).string()));
    const Sample sample =
        draw(pool, strata, allocate(strata.totals(), strata.images(), design->drawn.back()),
             design->seed, options.threads, progress);
    const Judgements said = read_judgements(options, pool, sample, known);
    PoolEstimate result;
    result.study = study;
    result.dataset = pool.stores().front().spec().dataset_name;
    result.images = strata.pool_size();
    result.left_out = pool.rows() - strata.pool_size();
    result.drawn = design->drawn.back();
    result.level = options.level;
    result.answers_ignored = said.ignored;
    result.notes = said.notes;
    measure_sample({&pool, &strata, &sample}, said, options, design->purpose, result, progress);
    note_look(study, *design, options, result);
    return result;
}

}  // namespace assay::few_labels
