#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "assay/data/class_list.h"
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
#include "few_labels/sample.h"
#include "few_labels/strata.h"
#include "study/times.h"

namespace assay::few_labels {
namespace {

struct PoolQuestion {
    std::string_view item, path;
    std::string label, class_name, predicted_by;
};
ResultType result_type(ResultOf<PoolQuestion>) {
    using Of = PoolQuestion;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PoolQuestion", .columns = "item,path,label,class,predicted_by"},
        {part<&Of::item>({}), part<&Of::path>({}), part<&Of::label>({}),
         part<&Of::class_name>({.name = "class"}), part<&Of::predicted_by>({})});
    return rows;
}

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

/// A new study, or the existing one, with its stores.
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
    if (there && !options.known_source.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("--competition {}: `{}` has begun already, and its strata are fixed. "
                        "Begin a new study, or draw more: assay estimate select {} --draw {}",
                        options.known_source, study.string(), study.string(), options.draw));
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
    if (!there) {
        if (std::filesystem::exists(study) && !std::filesystem::is_empty(study))
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` exists and is no study of `assay estimate`; "
                                    "name a new folder",
                                    study.string()));
        return design;
    }
    if (there->store_ids != design.store_ids || there->purpose != design.purpose ||
        there->seed != design.seed)
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` was begun with other predictions, --for or --seed. To draw "
                                "more images for it: assay estimate select {} --draw {}",
                                study.string(), study.string(), options.draw));
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

DrawnSample draw_sample(const std::filesystem::path& study, const DrawOptions& options,
                        const ProgressCallback& progress) {
    DrawnSample result;
    std::vector<PredictionStore> stores;
    Design design = begun_design(study, options, stores, result.warnings);
    const Pool pool(std::move(stores));
    const std::uint64_t first = design.drawn.empty() ? options.draw : design.drawn.front();
    const KnownAnswers known = design.drawn.empty() && !options.known_source.empty()
                                   ? known_answers(options.known, options.known_source, pool)
                                   : read_known(study, design, pool);
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
    const std::string settled = known.empty() ? "" : settled_csv(known, pool);
    design.settled = strata.settled().size();
    design.settled_hash = known.empty() ? "" : hash_text(settled);
    std::vector<std::vector<std::uint64_t>> rounds;
    for (const std::uint64_t drawn : design.drawn)
        rounds.push_back(allocate(strata.totals(), strata.images(), drawn));
    const Sample sample = draw(pool, strata, rounds.back(), design.seed, options.threads, progress);

    const Dataset& dataset = pool.dataset();
    const ClassList& classes = dataset.classes;
    std::string questions, rows;
    DescribedCsv<PoolQuestion> question_csv(questions);
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
        std::map<std::int32_t, std::string> by;
        for (std::size_t m = 0; m < pool.classifiers(); ++m) {
            std::string& names = by[image.predictions.labels[m]];
            names += (names.empty() ? "" : " ") + pool.stores()[m].spec().model_name;
        }
        for (const auto& [label, names] : by) {
            if (find_known(known, image.row, label) != nullptr) {
                ++result.spared;
                continue;
            }
            const auto c = static_cast<std::size_t>(label);
            const std::string number = std::to_string(label);
            question_csv.add(
                {dataset.ids[image.row],
                 dataset.paths.size() > 0 ? dataset.paths[image.row] : dataset.ids[image.row],
                 c < classes.size() ? classes.id(c) : number,
                 c < classes.size() ? classes.name(c) : number, names});
            ++result.questions;
        }
    }
    make_folders(study);
    result.study = study;
    result.questions_file = questions_file(study, rounds.size());
    write_file_atomically(result.questions_file, questions);
    write_file_atomically(sample_file(study), rows);
    if (!known.empty()) write_file_atomically(settled_file(study), settled);
    write_design(study, design);

    result.dataset = pool.stores().front().spec().dataset_name;
    for (const PredictionStore& store : pool.stores())
        result.classifiers.push_back(store.spec().model_name);
    result.images = strata.pool_size();
    result.left_out = pool.rows() - strata.pool_size();
    result.drawn = design.drawn.back();
    result.images_folder = dataset.root;
    result.added = result.drawn - before;
    result.settled = strata.settled().size();
    for (std::size_t h = 0; h < strata.size(); ++h) {
        const auto images = static_cast<double>(strata.images()[h]);
        result.strata.push_back({static_cast<std::uint32_t>(h + 1), strata.contested()[h],
                                 strata.images()[h], sample.drawn[h],
                                 images / static_cast<double>(sample.drawn[h])});
    }
    if (result.left_out > 0)
        result.warnings.push_back(
            fmt::format("{} of {} images are skipped: a classifier has no finite scores for them",
                        result.left_out, pool.rows()));
    if (result.drawn < 50)
        result.warnings.push_back("intervals were not tested with fewer than 50 labels");
    return result;
}

}  // namespace assay::few_labels
