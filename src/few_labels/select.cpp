#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/few_labels/estimate.h"
#include "assay/robustness/model_stores.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "few_labels/design.h"
#include "few_labels/known.h"
#include "few_labels/question_table.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"
#include "study/times.h"

namespace assay::few_labels {
namespace {

struct SampleRow {
    std::string_view item;
    std::uint32_t stratum, round;
    double weight;
};
ResultType result_type(ResultOf<SampleRow>) {
    using Of = SampleRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SampleRow", .columns = "item,stratum,round,weight"},
        {part<&Of::item>({}), part<&Of::stratum>({}), part<&Of::round>({}), part<&Of::weight>({})});
    return rows;
}

/// A new study, or the existing study, with its stores.
Design begun_design(const std::filesystem::path& study, const DrawOptions& options,
                    std::vector<PredictionStore>& stores, std::vector<std::string>& warnings) {
    std::optional<Design> there = read_design(study);
    if (!there && options.stores.empty())
        throw Error(ErrorCode::usage, fmt::format("`{}` is not a study yet; name the predictions: "
                                                  "assay estimate select {} RUNS --draw {}",
                                                  study.string(), study.string(), options.draw));
    const DrawOptions usual;
    const bool other_purpose =
                   options.purpose != usual.purpose && there && options.purpose != there->purpose,
               other_seed = options.seed != usual.seed && there && options.seed != there->seed;
    if (other_purpose || other_seed)
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` was begun with another {}; to change it, begin a new study",
                                study.string(), other_purpose ? "--for" : "--seed"));
    if (there && options.stores.empty()) {
        stores = open_stores(*there);
        return *there;
    }
    OpenedModels opened = open_models(options.stores);
    if (!opened.skipped.empty()) warnings.push_back(opened.skipped);
    stores = std::move(opened.stores);
    Design design;
    design.purpose = options.purpose;
    design.seed = options.seed;
    for (const PredictionStore& store : stores) {
        design.stores.push_back(std::filesystem::absolute(store.folder()).lexically_normal());
        design.store_ids.push_back(store.spec().id);
    }
    design.founders = stores.size();
    if (!there) {
        if (std::filesystem::exists(study) && !std::filesystem::is_empty(study))
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` exists and is no study of `assay estimate`; "
                                    "name a new folder",
                                    study.string()));
        return design;
    }
    // Those of the beginning may be named again, after others have joined.
    const bool same =
        there->store_ids == design.store_ids ||
        (design.store_ids.size() == there->founders &&
         std::ranges::equal(design.store_ids, std::span(there->store_ids).first(there->founders)));
    if (!same || there->purpose != design.purpose || there->seed != design.seed)
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` was begun with other predictions, --for or --seed. To draw "
                                "more images for it: assay estimate select {} --draw {}. To add "
                                "classifiers: assay estimate add {} RUNS",
                                study.string(), study.string(), options.draw, study.string()));
    if (there->stores.size() != stores.size()) stores = open_stores(*there);
    return *there;
}

void check_draw(const Design& design, std::uint64_t draw, const Strata& strata,
                const std::filesystem::path& study) {
    if (draw > strata.drawable())
        throw Error(
            ErrorCode::usage,
            fmt::format("--draw {}: the pool has {} images with scores{}", draw, strata.drawable(),
                        strata.settled().empty() ? "" : " that are not settled"));
    if (draw < 2 * strata.size())
        throw Error(ErrorCode::usage, fmt::format("--draw {}: {} strata need at least {} images",
                                                  draw, strata.size(), 2 * strata.size()));
    if (!design.drawn.empty() && draw < design.drawn.back())
        throw Error(ErrorCode::usage,
                    fmt::format("--draw {}: {} images of `{}` are drawn already, and the number "
                                "cannot be reduced",
                                draw, design.drawn.back(), study.string()));
    if (!design.strata.empty() &&
        (design.images != strata.pool_size() || design.strata != strata.images()))
        refuse(
            fmt::format("{}: the strata of the predictions differ from the recorded ones; begin "
                        "a new study",
                        design_file(study).string()));
}

/// The number, from 0, of the round that drew the image at `place` of a stratum.
std::uint32_t round_of(const std::vector<std::vector<std::uint64_t>>& rounds, std::size_t stratum,
                       std::uint64_t place) {
    std::uint32_t round = 0;
    while (round + 1 < rounds.size() && place >= rounds[round][stratum]) ++round;
    return round;
}

}  // namespace

void describe_sample(const Pool& pool, const Strata& strata, const Sample& sample,
                     DrawnSample& result) {
    result.dataset = pool.stores().front().spec().dataset_name;
    for (const PredictionStore& store : pool.stores())
        result.classifiers.push_back(store.spec().model_name);
    result.images = strata.pool_size();
    result.left_out = pool.rows() - strata.pool_size();
    result.drawn = std::accumulate(sample.drawn.begin(), sample.drawn.end(), std::uint64_t{0});
    result.images_folder = pool.dataset().root;
    result.settled = strata.settled().size();
    for (std::size_t h = 0; h < strata.size(); ++h) {
        const auto images = static_cast<double>(strata.images()[h]);
        result.strata.push_back({static_cast<std::uint32_t>(h + 1), strata.contested()[h],
                                 strata.images()[h], sample.drawn[h],
                                 images / static_cast<double>(sample.drawn[h])});
    }
}

DrawnSample draw_sample(const std::filesystem::path& study, const DrawOptions& options,
                        const ProgressCallback& progress) {
    DrawnSample result;
    std::vector<PredictionStore> stores;
    Design design = begun_design(study, options, stores, result.warnings);
    const Pool pool(std::move(stores), design.founders);
    const std::uint64_t first = design.drawn.empty() ? options.draw : design.drawn.front();
    const KnownAnswers known = options.known_source.empty()
                                   ? read_known(study, design, pool)
                                   : known_answers(options.known, options.known_source, pool);
    const std::string settled = known.empty() ? "" : settled_csv(known, pool);
    const std::string settled_hash = known.empty() ? "" : hash_text(settled);
    if (!design.drawn.empty() && design.settled_hash != settled_hash)
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "--competition {}: `{}` began {}, and its strata are fixed. Begin a new study, or "
                "draw more: assay estimate select {} --draw {}",
                options.known_source, study.string(),
                design.settled_hash.empty() ? "without a competition" : "with other answers",
                study.string(), options.draw));
    const Strata strata(pool, design.purpose, strata_for(first), options.threads, progress,
                        Strata::sorted_at_most, settled_rows(known, pool));
    check_draw(design, options.draw, strata, study);
    const bool same = !design.drawn.empty() && design.drawn.back() == options.draw;
    const std::uint64_t before = design.drawn.empty() ? 0 : design.drawn.back();
    if (!same) {
        design.drawn.push_back(options.draw);
        design.times.push_back(study::utc_now());
    }
    design.images = strata.pool_size();
    design.strata = strata.images();
    design.settled = strata.settled().size();
    design.settled_hash = settled_hash;
    std::vector<std::vector<std::uint64_t>> rounds;
    for (const std::uint64_t drawn : design.drawn)
        rounds.push_back(allocate(strata.totals(), strata.images(), drawn));
    const Sample sample = draw(pool, strata, rounds.back(), design.seed, options.threads, progress);

    const Dataset& dataset = pool.dataset();
    std::string rows;
    QuestionTable questions(pool, known);
    DescribedCsv<SampleRow> sample_csv(rows);
    std::vector<std::uint64_t> place(strata.size(), 0);
    const auto last = static_cast<std::uint32_t>(rounds.size() - 1);
    for (const SampledImage& image : sample.settled)
        sample_csv.add({dataset.ids[image.row], 0, 0, 1});
    for (const SampledImage& image : sample.images) {
        const std::size_t h = image.stratum;
        const std::uint32_t round = round_of(rounds, h, place[h]++);
        sample_csv.add(
            {dataset.ids[image.row], image.stratum + 1, round + 1,
             static_cast<double>(strata.images()[h]) / static_cast<double>(sample.drawn[h])});
        if (round != last) continue;
        questions.add(image);
    }
    make_folders(study);
    result.study = study;
    result.questions_file = questions_file(study, rounds.size());
    write_file_atomically(result.questions_file, questions.csv());
    result.questions = questions.questions();
    result.spared = questions.spared();
    write_file_atomically(sample_file(study), rows);
    if (!known.empty()) write_file_atomically(settled_file(study), settled);
    write_design(study, design);

    describe_sample(pool, strata, sample, result);
    result.added = result.drawn - before;
    if (result.left_out > 0)
        result.warnings.push_back(
            fmt::format("{} of {} images are skipped: a classifier has no finite scores for them",
                        result.left_out, pool.rows()));
    if (result.drawn < 50)
        result.warnings.push_back("intervals were not tested with fewer than 50 labels");
    return result;
}

}  // namespace assay::few_labels
