#include "assay/evaluate/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "annotation/item_finder.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "evaluate/given_labels.h"
#include "store/same_data.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

ShownClass shown(const ClassList& classes, std::int32_t c) {
    const auto index = static_cast<std::size_t>(c);
    if (index < classes.size()) return {c, classes.id(index), classes.name(index)};
    return {c, std::to_string(c), std::to_string(c)};
}

ShownImage::Model look(const PredictionStore& store, std::size_t item,
                       std::span<const std::int32_t> labels, std::size_t top) {
    const RowReader reader(store);
    const ClassList& classes = store.dataset().classes;
    const auto correct = [&](std::int32_t c) {
        return std::find(labels.begin(), labels.end(), c) != labels.end();
    };
    ShownImage::Model model;
    model.name = store.spec().model_name;
    model.classes_stored = reader.depth();
    model.has_probabilities = reader.has_probabilities();
    model.not_scored = reader.why_not(item);
    std::vector<RankedClass> best;
    if (reader.top(item, top, best) != RowStatus::ok) return model;
    for (const RankedClass& one : best) {
        model.best.push_back({shown(classes, one.cls), model.best.size() + 1,
                              static_cast<double>(one.probability), correct(one.cls)});
    }
    for (const std::int32_t c : labels) {
        auto& label = model.labels.emplace_back();
        if (const auto place = reader.place_of(item, c)) {
            label = {shown(classes, c), place->rank + 1, static_cast<double>(place->probability),
                     true};
        }
    }
    RowPrediction row;
    reader.read(item, labels, row, RowReader::Detail::ranking);
    if (row.hits >= 0) model.hits = static_cast<std::uint32_t>(row.hits);
    return model;
}

ShownImage look(const std::vector<const PredictionStore*>& stores, std::size_t item,
                const LabelSets& labels, std::size_t top) {
    const Dataset& dataset = stores.front()->dataset();
    ShownImage image{.dataset = dataset.name,
                     .id = std::string(dataset.ids[item]),
                     .path = {},
                     .item = item,
                     .items = dataset.size(),
                     .labels = {},
                     .attributes = {},
                     .models = {}};
    if (dataset.paths.size() > 0) image.path = dataset.paths[item];
    std::span<const std::int32_t> own;
    if (item < labels.size()) own = labels[item];
    for (const std::int32_t c : own) image.labels.push_back(shown(dataset.classes, c));
    for (const auto& attribute : dataset.attributes)
        image.attributes.emplace_back(attribute.name, attribute.values[item]);
    for (const PredictionStore* store : stores)
        image.models.push_back(look(*store, item, own, top));
    return image;
}

std::vector<PredictionStore> open_all_of(const std::vector<std::string>& paths) {
    std::vector<PredictionStore> stores;
    for (const fs::path& folder : find_stores({paths.begin(), paths.end()}))
        stores.push_back(PredictionStore::open(folder));
    return stores;
}

}  // namespace

std::vector<ShownImage> show_image(const ShowOptions& options, std::vector<std::string>& notes) {
    const std::vector<PredictionStore> opened = open_all_of(options.paths);
    std::vector<const PredictionStore*> stores;
    for (const PredictionStore& store : opened) stores.push_back(&store);
    // Data that is shown once must be equal for all stores of the group: the image, its labels and
    // the names of classes.
    const auto groups = store::groups_of(stores, {.classes = true, .labels = true, .name = true});
    std::map<std::string, std::size_t> namesakes;
    for (const auto& group : groups) ++namesakes[stores[group.front()]->spec().dataset_name];

    struct Found {
        std::vector<const PredictionStore*> stores;
        std::size_t item;
    };
    std::vector<Found> found;
    std::vector<const PredictionStore*> labelled;
    std::optional<Error> unknown;
    for (const auto& group : groups) {
        const PredictionStore& first = *stores[group.front()];
        try {
            found.push_back({{}, item_named(first.dataset(), options.image)});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            if (!unknown) unknown = error;
            continue;
        }
        for (const std::size_t s : group) found.back().stores.push_back(stores[s]);
        labelled.push_back(&first);
    }
    if (found.empty()) {
        if (groups.size() > 1)
            unknown->add_note(fmt::format("looking in {} data sets", groups.size()));
        throw *unknown;
    }
    const GivenLabels given(options.labels, labelled);
    for (const auto& lines : {given.notes(), given.warnings()})
        notes.insert(notes.end(), lines.begin(), lines.end());

    std::vector<ShownImage> images;
    for (const Found& one : found) {
        const PredictionStore& first = *one.stores.front();
        for (const PredictionStore* store : one.stores) {
            if (std::string writing = writer_warning(*store); !writing.empty())
                notes.push_back(std::move(writing));
        }
        const MeasureOptions labels = given.measure_for({}, first);
        images.push_back(look(one.stores, one.item,
                              labels.label_sets ? *labels.label_sets : first.dataset().labels,
                              options.top));
        if (namesakes[images.back().dataset] > 1)
            images.back().dataset = first.folder().parent_path().string();
    }
    return images;
}

}  // namespace assay
