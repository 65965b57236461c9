#include "assay/slices/slices.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/given_labels.h"
#include "evaluate/group_hits.h"
#include "slices/cluster_test.h"
#include "slices/facets.h"
#include "slices/search.h"
#include "slices/sliced_data.h"
#include "store/same_data.h"

namespace assay::slices {
namespace {

constexpr std::uint64_t prediction_block = 1024;

/// The predictions and slices of one store.
class StoreSlices {
public:
    StoreSlices(const PredictionStore& store, const SlicedData& data, const SliceOptions& options,
                SliceResult& result)
        : store_(store), data_(data), options_(options), result_(result), reader_(store) {
        predict();
        judge();
    }

    void add() {
        std::vector<const Facet*> facets;
        for (const Facet& facet : data_.facets()) facets.push_back(&facet);
        const Facet predicted =
            class_facet("predicted", predicted_source, predicted_, store_.dataset().classes);
        if (predicted.values.size() > 1) facets.push_back(&predicted);
        const Confirmed found = search_slices(facets, judged_, options_.level, options_.threads);
        SlicedModel out;
        out.model = store_.spec().model_name;
        out.dataset = store_.spec().dataset_name;
        out.first = found.all[0].images;
        out.second = found.all[1].images;
        out.accuracy = data_.clusters() == nullptr
                           ? proportion(found.all[1])
                           : accuracies([](std::size_t) { return true; })[1];
        if (data_.clusters() != nullptr) out.few_clusters = found.few_clusters;
        out.tested = found.tested;
        out.selected = found.selected;
        for (std::size_t f = 0; f < data_.facets().size(); ++f)
            if (found.used[f]) data_.summary_of(f).used = true;
        out.by_predicted = found.used.size() > data_.facets().size() && found.used.back();
        out.by_pairs = found.tested_pairs;
        if (!found.slices.empty()) read_confidences();
        for (const ConfirmedSlice& slice : found.slices)
            out.found.push_back(described(slice, facets, found));
        result_.models.push_back(std::move(out));
    }

private:
    void predict() {
        const auto rows = static_cast<std::size_t>(store_.rows());
        predicted_.assign(rows, -1);
        const std::size_t blocks = (rows + prediction_block - 1) / prediction_block;
        parallel_blocks(blocks, resolve_threads(options_.threads), [&](std::size_t block) {
            throw_if_stopped();
            RowPrediction one;
            const std::size_t end = std::min<std::size_t>(rows, (block + 1) * prediction_block);
            for (std::size_t row = block * prediction_block; row < end; ++row) {
                if (reader_.read(row, {}, one, RowReader::Detail::ranking) == RowStatus::ok)
                    predicted_[row] = one.predicted;
            }
        });
    }

    void judge() {
        const LabelSets& labels = data_.labels();
        std::uint64_t not_scored = 0, unlabelled = 0;
        for (std::size_t row = 0; row < predicted_.size(); ++row) {
            if (predicted_[row] < 0 || labels[row].empty()) {
                ++(predicted_[row] < 0 ? not_scored : unlabelled);
                predicted_[row] = -1;
                continue;
            }
            const unsigned hit = labels.contains(row, predicted_[row]) ? 1 : 0;
            judged_.rows.push_back(row);
            judged_.code.push_back(static_cast<std::uint8_t>(2 * data_.half_of(row) + hit));
        }
        result_.not_scored += not_scored;
        const StoreSpec& spec = store_.spec();
        if (not_scored + unlabelled > 0)
            result_.notes.push_back(
                fmt::format("{} on {}: {} without scores or valid classes skipped", spec.model_name,
                            spec.dataset_name, how_many(not_scored + unlabelled, "image")));
        if (judged_.rows.size() < fewest_judged_images)
            refuse(fmt::format(
                "{}: {} of its images have scores and labels, but a slice and the other images "
                "need {} each in both halves: at least {}. Measure groups that you choose: assay "
                "score RUNS --by ATTRIBUTE",
                store_.folder().string(), count_text(judged_.rows.size()), fewest_slice_images,
                fewest_judged_images));
        if (data_.clusters() != nullptr) put_clusters_together();
    }

    void put_clusters_together() {
        const std::vector<std::uint32_t>& of = data_.clusters()->of;
        std::vector<std::size_t> order(judged_.rows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const JudgedRows by_row = std::exchange(judged_, {});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) {
            return std::pair(by_row.code[i] >> 1U, of[by_row.rows[i]]);
        });
        std::uint64_t clusters = 0;
        for (const std::size_t i : order) {
            const std::uint32_t cluster = of[by_row.rows[i]];
            clusters += judged_.cluster.empty() || judged_.cluster.back() != cluster ? 1 : 0;
            judged_.rows.push_back(by_row.rows[i]);
            judged_.code.push_back(by_row.code[i]);
            judged_.cluster.push_back(cluster);
        }
        constexpr std::uint64_t fewest = 4 * std::uint64_t{fewest_slice_clusters};
        if (clusters < fewest)
            refuse(fmt::format(
                "{}: its images with scores and labels are of {} by `{}`. A slice and the other "
                "images need {} clusters each in both halves: at least {}. Measure groups that you "
                "choose: assay score RUNS --by ATTRIBUTE --cluster {}",
                store_.folder().string(), how_many(clusters, "cluster"), options_.cluster,
                fewest_slice_clusters, fewest, shell_word(options_.cluster)));
    }

    /// Accuracies of the second half with intervals for clusters: of the images that are outside
    /// and inside. `inside`: of a judged image.
    template <class Inside>
    std::array<Estimate, 2> accuracies(const Inside& inside) const {
        evaluate::GroupedHits hits;
        auto& column = hits.columns.emplace_back();
        column.groups = hits.groups = 2;
        hits.clusters = data_.clusters()->count;
        for (std::size_t i = 0; i < judged_.rows.size(); ++i) {
            if (judged_.code[i] < 2) continue;
            hits.hit.push_back(judged_.code[i] & 1U);
            hits.cluster.push_back(judged_.cluster[i]);
            column.of.push_back(inside(i) ? 1 : 0);
        }
        const std::vector<evaluate::HitsOfGroup> groups =
            evaluate::hits_by_group(hits, options_.level);
        std::array<Estimate, 2> out;
        for (std::size_t g = 0; g < 2; ++g) {
            out[g] = proportion({groups[g].hits, groups[g].images});
            out[g].interval = groups[g].interval;
        }
        return out;
    }

    Estimate proportion(const Counts& counts) const {
        return wilson_proportion(counts.hits, counts.images, options_.level, "no image");
    }

    void read_confidences() {
        confidence_.assign(judged_.rows.size(), 0);
        if (!reader_.has_probabilities()) return;
        const std::size_t blocks = (judged_.rows.size() + prediction_block - 1) / prediction_block;
        parallel_blocks(blocks, resolve_threads(options_.threads), [&](std::size_t block) {
            throw_if_stopped();
            std::vector<RankedClass> best;
            const std::size_t end =
                std::min<std::size_t>(judged_.rows.size(), (block + 1) * prediction_block);
            for (std::size_t i = block * prediction_block; i < end; ++i) {
                if ((judged_.code[i] & 1U) != 0) continue;
                reader_.top(judged_.rows[i], 1, best);
                if (!best.empty()) confidence_[i] = best[0].probability;
            }
        });
    }

    template <class Inside>
    std::uint64_t clusters_in(const Inside& inside) const {
        std::uint64_t clusters = 0;
        const std::uint32_t* last = nullptr;
        for (std::size_t i = 0; i < judged_.rows.size(); ++i) {
            if (!inside(i) || (last != nullptr && *last == judged_.cluster[i])) continue;
            last = &judged_.cluster[i];
            ++clusters;
        }
        return clusters;
    }

    FoundSlice described(const ConfirmedSlice& slice, const std::vector<const Facet*>& facets,
                         const Confirmed& found) const {
        FoundSlice out;
        out.model = store_.spec().model_name;
        out.dataset = store_.spec().dataset_name;
        for (const auto& [f, value] : slice.conditions) {
            out.conditions.push_back(
                {facets[f]->by, facets[f]->values[static_cast<std::size_t>(value)]});
            out.name += fmt::format("{}{}={}", out.name.empty() ? "" : ",",
                                    out.conditions.back().by, out.conditions.back().value);
        }
        out.images = slice.own[0].images + slice.own[1].images;
        out.incorrect = out.images - slice.own[0].hits - slice.own[1].hits;
        const auto is_inside = [&](std::size_t i) {
            return std::ranges::all_of(slice.conditions, [&](const auto& condition) {
                return facets[condition.first]->of[judged_.rows[i]] == condition.second;
            });
        };
        if (data_.clusters() == nullptr) {
            out.accuracy = proportion(slice.own[1]);
            out.rest = proportion(found.all[1] - slice.own[1]);
        } else {
            std::array<Estimate, 2> both = accuracies(is_inside);
            out.rest = std::move(both[0]);
            out.accuracy = std::move(both[1]);
            out.clusters = clusters_in(is_inside);
        }
        out.p = slice.p;
        out.screened = slice.screened;
        std::vector<std::size_t> errors;
        for (std::size_t i = 0; i < judged_.rows.size(); ++i) {
            if ((judged_.code[i] & 1U) == 0 && is_inside(i)) errors.push_back(i);
        }
        const std::size_t shown = std::min<std::size_t>(errors.size(), options_.examples);
        std::partial_sort(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(shown),
                          errors.end(), [&](std::size_t a, std::size_t b) {
                              return std::pair(-confidence_[a], judged_.rows[a]) <
                                     std::pair(-confidence_[b], judged_.rows[b]);
                          });
        for (std::size_t e = 0; e < shown; ++e)
            out.examples.emplace_back(store_.dataset().ids[judged_.rows[errors[e]]]);
        return out;
    }

    const PredictionStore& store_;
    const SlicedData& data_;
    const SliceOptions& options_;
    SliceResult& result_;
    RowReader reader_;
    std::vector<std::int32_t> predicted_;  ///< -1 means no scores or no label
    JudgedRows judged_;
    std::vector<float> confidence_;  ///< confidence of incorrect predictions
};

/// Data that is common to stores with the same slices.
constexpr store::Needs same_slices = {
    .images = true, .classes = true, .labels = true, .name = true, .attributes = true};

/// `groups` has at least two groups.
[[noreturn]] void refuse_data(const SliceOptions& options,
                              const std::vector<const PredictionStore*>& stores,
                              const std::vector<std::vector<std::size_t>>& groups) {
    const PredictionStore &one = *stores[groups[0][0]], &other = *stores[groups[1][0]];
    std::string which;
    if (store::same_name(one.spec(), other.spec())) {
        which = fmt::format("`{}` and `{}` have {}", one.folder().string(), other.folder().string(),
                            store::difference(one, other, same_slices));
    } else {
        std::vector<std::string> names;
        for (const auto& group : groups) names.push_back(stores[group[0]]->spec().dataset_name);
        which = fmt::format("{}", fmt::join(names, ", "));
    }
    // The folder of the data set, unless the stores have two data sets.
    std::filesystem::path named = one.folder().parent_path();
    const auto is_in_folder = [&](std::size_t s) {
        return stores[s]->folder().parent_path() == named;
    };
    for (std::size_t g = 1; g < groups.size(); ++g)
        if (std::ranges::any_of(groups[g], is_in_folder)) named = one.folder();
    throw Error(ErrorCode::usage,
                fmt::format("--data is about one data set, but the stores are of {} ({}); name the "
                            "stores of one: assay slices {} -d {}",
                            groups.size(), which, shell_word(named.string()),
                            shell_word(options.data.string())));
}

}  // namespace

SliceResult find_slices(const SliceOptions& options, const ProgressCallback& progress) {
    if (options.stores.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    SliceResult result;
    result.level = options.level;
    result.seed = options.seed;
    result.cluster = options.cluster;
    result.top = options.top;
    const OpenedModels opened = open_models(options.stores);
    if (!opened.skipped.empty()) result.notes.push_back(opened.skipped);
    std::vector<const PredictionStore*> stores;
    for (const PredictionStore& store : opened.stores) stores.push_back(&store);
    std::vector<std::string> files;
    if (!options.labels.empty()) files.push_back(options.labels.string());
    const GivenLabels labels(files, stores);
    result.notes.insert(result.notes.end(), labels.notes().begin(), labels.notes().end());
    result.warnings = labels.warnings();
    const auto groups = store::groups_of(stores, same_slices);
    if (!options.data.empty() && groups.size() > 1) refuse_data(options, stores, groups);
    KnownStatistics known;
    for (const auto& group : groups) {
        SlicedData data(*stores[group[0]], labels, options, result);
        data.read(known, progress);
        for (const std::size_t s : group) StoreSlices(*stores[s], data, options, result).add();
    }
    return result;
}

}  // namespace assay::slices
