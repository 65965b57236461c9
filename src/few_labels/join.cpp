// Adds classifiers to a study that has begun.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/few_labels/estimate.h"
#include "assay/robustness/model_stores.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "few_labels/design.h"
#include "few_labels/known.h"
#include "few_labels/question_table.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"
#include "study/times.h"

namespace assay::few_labels {
namespace {

/// Adds the stores that are not in the design yet, and returns their number.
std::size_t add_new(std::vector<PredictionStore> stores, const std::filesystem::path& study,
                    Design& design) {
    std::set<std::string> names;
    for (const PredictionStore& store : open_stores(design)) names.insert(store.spec().model_name);
    std::size_t added = 0;
    for (const PredictionStore& store : stores) {
        if (std::ranges::find(design.store_ids, store.spec().id) != design.store_ids.end())
            continue;
        if (!names.insert(store.spec().model_name).second)
            throw Error(
                ErrorCode::usage,
                fmt::format("{}: `{}` has a classifier `{}` with other predictions already; "
                            "store these under another name (assay import --name)",
                            store.folder().string(), study.string(), store.spec().model_name));
        design.stores.push_back(std::filesystem::absolute(store.folder()).lexically_normal());
        design.store_ids.push_back(store.spec().id);
        ++added;
    }
    return added;
}

}  // namespace

DrawnSample join_study(const std::filesystem::path& study, const JoinOptions& options,
                       const ProgressCallback& progress) {
    DrawnSample result;
    std::optional<Design> design = read_design(study);
    if (!design)
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` is no study of `assay estimate`; begin one: assay estimate "
                                "select {} RUNS --draw 200",
                                study.string(), study.string()));
    OpenedModels opened = open_models(options.stores);
    if (!opened.skipped.empty()) result.warnings.push_back(opened.skipped);
    std::size_t before = design->stores.size();
    if (add_new(std::move(opened.stores), study, *design) > 0) {
        design->joined.push_back(design->stores.size());
        design->join_times.push_back(study::utc_now());
    } else if (design->joined.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` began with all of these classifiers; name others: assay "
                                "estimate add {} RUNS",
                                study.string(), study.string()));
    } else {
        // The last time is repeated.
        const std::size_t times = design->joined.size();
        before = times > 1 ? design->joined[times - 2] : design->founders;
    }
    const Pool pool(open_stores(*design), design->founders);
    const KnownAnswers known = read_known(study, *design, pool);
    // Settled for the founders: the labels of other classifiers are asked.
    const Strata strata(pool, design->purpose, strata_for(design->drawn.front()), options.threads,
                        progress, Strata::sorted_at_most, settled_rows(known, pool));
    if (strata.pool_size() < design->images)
        refuse(
            fmt::format("the new classifiers have no finite scores for {} of the {} images of "
                        "`{}`; complete their predictions with `assay predict`",
                        design->images - strata.pool_size(), design->images, study.string()));
    if (strata.pool_size() != design->images || strata.images() != design->strata)
        refuse(
            fmt::format("{}: the strata of the predictions differ from the recorded ones; begin "
                        "a new study",
                        design_file(study).string()));
    const Sample sample =
        draw(pool, strata, allocate(strata.totals(), strata.images(), design->drawn.back()),
             design->seed, options.threads, progress);
    QuestionTable questions(pool, known);
    for (const auto* images : {&sample.images, &sample.settled})
        for (const SampledImage& image : *images) questions.add(image, before);
    result.study = study;
    result.questions_file = added_questions_file(study, design->joined.size());
    write_file_atomically(result.questions_file, questions.csv());
    write_design(study, *design);
    describe_sample(pool, strata, sample, result);
    result.questions = questions.questions();
    result.spared = questions.spared();
    return result;
}

}  // namespace assay::few_labels
