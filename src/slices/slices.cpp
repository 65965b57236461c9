#include "assay/slices/slices.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotation/item_finder.h"
#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "data/archives.h"
#include "data/attributes.h"
#include "decisions/judged_labels.h"
#include "evaluate/given_labels.h"
#include "slices/facets.h"
#include "slices/image_statistics.h"
#include "slices/search.h"
#include "store/same_data.h"

namespace assay::slices {
namespace {

constexpr std::uint64_t prediction_block = 1024;
/// A slice and its rest, in both halves.
constexpr std::uint64_t fewest_judged_images = 4 * fewest_slice_images;

bool is_of_first_half(std::string_view id, std::uint64_t seed) {
    return RandomStream(seed, fmt::format("slices half of {}", id)).uniform() < 0.5;
}

/// What the stores of one data set share.
class SlicedData {
public:
    SlicedData(const PredictionStore& store, const GivenLabels& labels, const SliceOptions& options,
               SliceResult& result)
        : store_(store), options_(options), result_(result) {
        std::optional<LabelSets> given = labels.measure_for({}, store).label_sets;
        const bool own = !given;
        labels_ = own ? store.dataset().labels : std::move(*given);
        decisions::require_known_labels(store, labels_,
                                        own ? std::filesystem::path() : options.labels);
    }

    void read(const ProgressCallback& progress) {
        if (!options_.data.empty()) open_images();
        add_attributes();
        add_statistics(progress);
        add_labels();
        std::string_view last;
        for (const Facet& facet : facets_) {
            add_summary(facet, facet.by == last);
            last = facet.by;
        }
    }

    const LabelSets& labels() const { return labels_; }
    const std::vector<Facet>& facets() const { return facets_; }

private:
    const Dataset& dataset() const { return store_.dataset(); }
    void note(const std::string& text) {
        result_.notes.push_back(fmt::format("{}: {}", store_.spec().dataset_name, text));
    }

    void open_images() {
        images_ = open_dataset(options_.data, {}, &result_.notes);
        const ItemFinder finder(*images_);
        std::vector<std::int64_t> row_of(images_->size(), -1);
        std::uint64_t found = 0;
        for (std::size_t row = 0; row < dataset().size(); ++row) {
            const std::int64_t item = finder.find(dataset().ids[row]).item;
            items_.push_back(item);
            if (item < 0) continue;
            ++found;
            std::int64_t& known = row_of[static_cast<std::size_t>(item)];
            if (known >= 0)
                refuse(fmt::format(
                    "{} has one image `{}` for `{}` and `{}` of `{}`; name the data "
                    "that was predicted: assay slices RUNS -d DATA",
                    options_.data.string(), images_->ids[static_cast<std::size_t>(item)],
                    dataset().ids[static_cast<std::size_t>(known)], dataset().ids[row],
                    store_.folder().string()));
            known = static_cast<std::int64_t>(row);
        }
        if (found == 0)
            refuse(
                fmt::format("{} has none of the images of `{}` (first: `{}`; here: `{}`); name "
                            "the data that was predicted: assay slices RUNS -d DATA",
                            options_.data.string(), store_.folder().string(), dataset().ids[0],
                            images_->ids[0]));
        if (found < dataset().size())
            note(fmt::format("{} of {} images are not in {}", count_text(dataset().size() - found),
                             count_text(dataset().size()), options_.data.string()));
    }

    void add_attributes() {
        std::size_t source = first_free_source;
        const auto add = [&](const std::string& name, const auto& text_of) {
            std::vector<std::string> notes;
            add_attribute(name, dataset().size(), text_of, source++, facets_, notes);
            for (const std::string& one : notes) note(one);
        };
        for (const Dataset::Attribute& attribute : dataset().attributes) {
            if (images_ && find_attribute(*images_, attribute.name) != nullptr) continue;
            add(attribute.name,
                [&](std::size_t row) -> std::string_view { return attribute.values[row]; });
        }
        if (images_) {
            for (const Dataset::Attribute& attribute : images_->attributes)
                add(attribute.name, [&](std::size_t row) -> std::string_view {
                    const std::int64_t item = items_[row];
                    return item < 0 ? std::string_view()
                                    : attribute.values[static_cast<std::size_t>(item)];
                });
        }
        next_source_ = source;
    }

    /// The images where they were when they were predicted; nullptr, with the reason, if they are
    /// no longer there.
    const Dataset* images_in_place(std::string& why_not) {
        const Dataset* data = &dataset();
        if (data->root.empty()) {
            why_not = "the store does not say where its images are";
            return nullptr;
        }
        if (has_archived_images(*data)) {
            try {
                const auto index =
                    archive_index_folder(store_.folder().parent_path().parent_path());
                archived_ = *data;
                archived_->archive = archive_of(*archived_, index);
            } catch (const Error& error) {
                if (error.code() == ErrorCode::interrupted) throw;
                why_not = error.message();
                return nullptr;
            }
            data = &*archived_;
        } else if (!any_image_is_there()) {
            why_not = fmt::format("`{}` is no file in {}, and neither is another image",
                                  data->ids[0], data->root.string());
            return nullptr;
        }
        for (std::size_t row = 0; row < data->size(); ++row)
            items_.push_back(static_cast<std::int64_t>(row));
        return data;
    }
    bool any_image_is_there() const {
        for (std::size_t row = 0; row < dataset().size(); ++row)
            if (is_there(dataset().path_of(row))) return true;
        return false;
    }

    void add_statistics(const ProgressCallback& progress) {
        if (options_.without_images) return;
        std::string why_not;
        const Dataset* const images = images_ ? &*images_ : images_in_place(why_not);
        if (images == nullptr) {
            note(
                fmt::format("no slices by brightness, sharpness, size or aspect: {}; name the "
                            "images with -d DATA",
                            why_not));
            return;
        }
        const ImageStatistics found =
            read_statistics(*images, items_, store_, options_.threads, progress);
        if (found.unreadable > 0)
            note(
                fmt::format("{} cannot be read, and {} in no slice by brightness, sharpness, size "
                            "or aspect (first: {})",
                            how_many(found.unreadable, "image"),
                            found.unreadable == 1 ? "is" : "are", found.first_unreadable));
        if (!store::corruption_of(store_).empty())
            note("brightness and sharpness are those of the images before their corruption");
        for (std::size_t s = 0; s < image_statistics.size(); ++s) {
            Facet facet = quartiles_of(std::string(image_statistics[s]), "image", next_source_++,
                                       found.of[s]);
            if (facet.values.size() > 1) facets_.push_back(std::move(facet));
        }
    }

    void add_labels() {
        std::vector<std::int32_t> single;
        for (std::size_t row = 0; row < labels_.size(); ++row)
            single.push_back(labels_[row].size() == 1 ? labels_[row][0] : -1);
        Facet label = class_facet("label", label_source, single, dataset().classes);
        label.of_label = true;
        for (Facet& facet : facets_) facet.of_label = is_of_label(facet, label);
        Facet counts = label_count_facet(labels_, next_source_++);
        if (counts.values.size() > 1) facets_.push_back(std::move(counts));
        if (label.values.size() > 1) facets_.push_back(std::move(label));
    }

    /// `again`: the facet is a second view of the attribute before it.
    void add_summary(const Facet& facet, bool again) {
        const auto without = static_cast<std::uint64_t>(std::ranges::count(facet.of, Facet::none));
        result_.facets.push_back({.dataset = store_.spec().dataset_name,
                                  .by = facet.by,
                                  .kind = facet.kind,
                                  .values = facet.values.size(),
                                  .without = without});
        const bool own = facet.kind == "attribute" || facet.kind == "quartiles";
        if (own && !again && without > 0)
            note(fmt::format("{} no `{}`, and {} in no slice by it",
                             how_many(without, "image has", "images have"), facet.by,
                             without == 1 ? "is" : "are"));
    }

    const PredictionStore& store_;
    const SliceOptions& options_;
    SliceResult& result_;
    LabelSets labels_;
    std::optional<Dataset> images_;    ///< of --data
    std::optional<Dataset> archived_;  ///< the store's, with its archive
    std::vector<std::int64_t> items_;  ///< the image of each row
    std::vector<Facet> facets_;
    std::size_t next_source_ = first_free_source;
};

/// One store: its predictions, and its slices.
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
        out.accuracy = proportion(found.all[1]);
        out.tested = found.tested;
        out.selected = found.selected;
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
            const unsigned half =
                is_of_first_half(store_.dataset().ids[row], options_.seed) ? 0 : 1;
            judged_.rows.push_back(row);
            judged_.code.push_back(static_cast<std::uint8_t>(2 * half + hit));
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
        out.accuracy = proportion(slice.own[1]);
        out.rest = proportion(found.all[1] - slice.own[1]);
        out.p = slice.p;
        out.screened = slice.screened;
        std::vector<std::size_t> errors;
        for (std::size_t i = 0; i < judged_.rows.size(); ++i) {
            const auto holds = [&](const auto& condition) {
                return facets[condition.first]->of[judged_.rows[i]] == condition.second;
            };
            if ((judged_.code[i] & 1U) == 0 && std::ranges::all_of(slice.conditions, holds))
                errors.push_back(i);
        }
        const std::size_t shown = std::min<std::size_t>(errors.size(), options_.examples);
        std::partial_sort(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(shown),
                          errors.end(), [&](std::size_t a, std::size_t b) {
                              return std::pair(-confidence_[a], a) < std::pair(-confidence_[b], b);
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
    std::vector<std::int32_t> predicted_;  ///< -1: no scores, or no label
    JudgedRows judged_;
    std::vector<float> confidence_;  ///< of incorrect predictions
};

}  // namespace

SliceResult find_slices(const SliceOptions& options, const ProgressCallback& progress) {
    if (options.stores.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    SliceResult result;
    result.level = options.level;
    result.seed = options.seed;
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
    const auto groups = store::groups_of(
        stores,
        {.images = true, .classes = true, .labels = true, .name = true, .attributes = true});
    if (!options.data.empty() && groups.size() > 1) {
        std::vector<std::string> names;
        for (const auto& group : groups) names.push_back(stores[group[0]]->spec().dataset_name);
        throw Error(ErrorCode::usage,
                    fmt::format("--data is about one data set, but the stores are of {} ({}): name "
                                "the stores of one, such as RUNS/{}",
                                groups.size(), fmt::join(names, ", "), names[0]));
    }
    for (const auto& group : groups) {
        SlicedData data(*stores[group[0]], labels, options, result);
        data.read(progress);
        for (const std::size_t s : group) StoreSlices(*stores[s], data, options, result).add();
    }
    return result;
}

}  // namespace assay::slices
