#include "slices/sliced_data.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "annotation/item_finder.h"
#include "assay/error.h"
#include "core/paths.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/archives.h"
#include "data/attributes.h"
#include "decisions/judged_labels.h"
#include "store/same_data.h"

namespace assay::slices {
namespace {

/// `what`: the id of an image, or its cluster.
bool is_of_first_half(std::string_view what, std::uint64_t seed) {
    return RandomStream(seed, fmt::format("slices half of {}", what)).uniform() < 0.5;
}

}  // namespace

SlicedData::SlicedData(const PredictionStore& store, const GivenLabels& labels,
                       const SliceOptions& options, SliceResult& result)
    : store_(store), options_(options), result_(result) {
    std::optional<LabelSets> given = options.label_sets;
    if (!given) given = labels.measure_for({}, store).label_sets;
    const bool own = !given;
    labels_ = own ? store.dataset().labels : std::move(*given);
    decisions::require_known_labels(store, labels_, own ? std::filesystem::path() : options.labels);
}

void SlicedData::read(KnownStatistics& known, const ProgressCallback& progress) {
    if (!options_.data.empty()) open_images();
    if (!options_.cluster.empty()) read_clusters();
    divide();
    add_attributes();
    add_statistics(known, progress);
    add_labels();
    first_summary_ = result_.facets.size();
    std::string_view last;
    for (const Facet& facet : facets_) {
        add_summary(facet, facet.by == last);
        last = facet.by;
    }
}

SliceFacet& SlicedData::summary_of(std::size_t facet) const {
    return result_.facets[first_summary_ + facet];
}

void SlicedData::note(const std::string& text) {
    result_.notes.push_back(fmt::format("{}: {}", store_.spec().dataset_name, text));
}

void SlicedData::open_images() {
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
            refuse(
                fmt::format("{} has one image `{}` for `{}` and `{}` of `{}`; name the data "
                            "that was predicted: assay slices RUNS -d DATA",
                            options_.data.string(), images_->ids[static_cast<std::size_t>(item)],
                            dataset().ids[static_cast<std::size_t>(known)], dataset().ids[row],
                            store_.folder().string()));
        known = static_cast<std::int64_t>(row);
    }
    if (found == 0)
        refuse(fmt::format(
            "{} has none of the images of `{}` (first: `{}`; here: `{}`); name "
            "the data that was predicted: assay slices RUNS -d DATA",
            options_.data.string(), store_.folder().string(), dataset().ids[0], images_->ids[0]));
    if (found < dataset().size())
        note(fmt::format("{} of {} images are not in {}", count_text(dataset().size() - found),
                         count_text(dataset().size()), options_.data.string()));
}

void SlicedData::read_clusters() {
    const Dataset* of = &dataset();
    Dataset by_row;
    if (images_ && (find_attribute(*images_, options_.cluster) != nullptr ||
                    find_attribute(dataset(), options_.cluster) == nullptr)) {
        for (const Dataset::Attribute& attribute : images_->attributes) {
            Dataset::Attribute& own = by_row.attributes.emplace_back();
            own.name = attribute.name;
            if (own.name != options_.cluster) continue;
            for (const std::int64_t item : items_)
                own.values.append(item < 0 ? std::string_view()
                                           : attribute.values[static_cast<std::size_t>(item)]);
        }
        by_row.ids = dataset().ids;
        of = &by_row;
    }
    clusters_ = evaluate::clusters_by(*of, options_.cluster);
    for (std::size_t row = 0; row < dataset().size(); ++row)
        cluster_names_.emplace_back(find_attribute(*of, options_.cluster)->values[row]);
    std::string text = fmt::format("each half has whole clusters of images by `{}`; there are {}",
                                   options_.cluster, count_text(clusters_->count));
    if (clusters_->without > 0)
        text += fmt::format(", {} of them single images without a value",
                            count_text(clusters_->without));
    note(text);
}

void SlicedData::divide() {
    for (std::size_t row = 0; row < dataset().size(); ++row) {
        const bool alone = !clusters_ || cluster_names_[row].empty();
        const bool first = alone
                               ? is_of_first_half(dataset().ids[row], options_.seed)
                               : is_of_first_half("cluster " + cluster_names_[row], options_.seed);
        halves_.push_back(first ? 0 : 1);
    }
    cluster_names_.clear();
}

void SlicedData::add_attributes() {
    std::size_t source = first_free_source;
    const auto add = [&](const std::string& name, const auto& text_of) {
        // Each of its values is one cluster.
        if (name == options_.cluster && clusters_) return;
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

const Dataset* SlicedData::images_in_place(std::string& why_not) {
    const Dataset* data = &dataset();
    if (data->root.empty()) {
        why_not = "the store does not say where its images are";
        return nullptr;
    }
    if (has_archived_images(*data)) {
        try {
            const auto index = archive_index_folder(store_.folder().parent_path().parent_path());
            archived_ = *data;
            archived_->archive = archive_of(*archived_, index);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::interrupted) throw;
            why_not = error.message();
            return nullptr;
        }
        data = &*archived_;
    } else if (!any_image_is_there()) {
        why_not = fmt::format("`{}` is no file in {}, and neither is another image", data->ids[0],
                              data->root.string());
        return nullptr;
    }
    for (std::size_t row = 0; row < data->size(); ++row)
        items_.push_back(static_cast<std::int64_t>(row));
    return data;
}

bool SlicedData::any_image_is_there() const {
    for (std::size_t row = 0; row < dataset().size(); ++row)
        if (is_there(dataset().path_of(row))) return true;
    return false;
}

const ImageStatistics* SlicedData::statistics(KnownStatistics& known,
                                              const ProgressCallback& progress) {
    // With --data there is only one data set.
    if (const ImageStatistics* const before = known.of(store_)) return before;
    std::string why_not;
    const Dataset* const images = images_ ? &*images_ : images_in_place(why_not);
    if (images != nullptr)
        return &known.add(store_,
                          read_statistics(*images, items_, store_, options_.threads, progress));
    note(
        fmt::format("no slices by brightness, sharpness, size or aspect: {}; name the "
                    "images with -d DATA",
                    why_not));
    return nullptr;
}

void SlicedData::add_statistics(KnownStatistics& known, const ProgressCallback& progress) {
    if (options_.without_images) return;
    const ImageStatistics* const read = statistics(known, progress);
    if (read == nullptr) return;
    const ImageStatistics& found = *read;
    if (found.unreadable > 0)
        note(
            fmt::format("{} cannot be read, and {} in no slice by brightness, sharpness, size "
                        "or aspect (first: {})",
                        how_many(found.unreadable, "image"), found.unreadable == 1 ? "is" : "are",
                        found.first_unreadable));
    if (!store::corruption_of(store_).empty())
        note("brightness and sharpness are those of the images before their corruption");
    for (std::size_t s = 0; s < image_statistics.size(); ++s) {
        Facet facet =
            quartiles_of(std::string(image_statistics[s]), "image", next_source_++, found.of[s]);
        if (facet.values.size() > 1) facets_.push_back(std::move(facet));
    }
}

void SlicedData::add_labels() {
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

void SlicedData::add_summary(const Facet& facet, bool again) {
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

}  // namespace assay::slices
