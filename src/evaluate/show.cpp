#include "assay/evaluate/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "annotation/item_finder.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "store/image_check.h"

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

ShownImage look(const std::vector<PredictionStore>& stores, std::size_t item,
                const LabelSets& labels, std::size_t top) {
    const Dataset& dataset = stores.front().dataset();
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
    for (const PredictionStore& store : stores) image.models.push_back(look(store, item, own, top));
    return image;
}

/// Stores of the same items and classes together, in the order of the paths.
std::vector<std::vector<std::string>> by_items(const std::vector<std::string>& paths) {
    std::map<fs::path, std::string> fingerprints;  // of the class lists, by the data set's folder
    struct Group {
        std::string key;
        std::vector<std::string> folders;
    };
    std::vector<Group> groups;
    for (const fs::path& folder : find_stores({paths.begin(), paths.end()})) {
        const PredictionStore opened = PredictionStore::open(folder);
        // Class numbers mean the same in one folder, as the class list is the data set's.
        std::string& classes = fingerprints[opened.folder().parent_path()];
        if (classes.empty()) classes = opened.dataset().classes.fingerprint();
        const std::string key = opened.spec().ids_hash + "/" + opened.spec().dataset_name + "/" +
                                std::to_string(opened.classes()) + "/" + classes;
        // Of two runs folders, the same names may stand for other images.
        auto group = std::ranges::find_if(groups, [&](const Group& g) {
            return g.key == key &&
                   store::saw_same_images(PredictionStore::open(g.folders.front()), opened)
                       .value_or(true);
        });
        if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
        group->folders.push_back(folder.string());
    }
    std::vector<std::vector<std::string>> out;
    for (Group& group : groups) out.push_back(std::move(group.folders));
    return out;
}

}  // namespace

std::vector<ShownImage> show_image(const ShowOptions& options, std::vector<std::string>& notes) {
    const auto groups = by_items(options.paths);
    std::vector<ShownImage> images;
    std::optional<Error> unknown, misfit;
    for (const auto& folders : groups) {
        const std::vector<PredictionStore> stores = open_stores_together(folders);
        const Dataset& dataset = stores.front().dataset();
        std::size_t item = 0;
        try {
            item = item_named(dataset, options.image);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            if (!unknown) unknown = error;
            continue;
        }
        LabelSets given;
        try {
            if (!options.labels.empty())
                given = read_label_sets(options.labels, dataset, dataset.classes);
        } catch (const Error& error) {
            // Several data sets may hold the image, and a file of labels is made for one of them.
            if (groups.size() == 1 || error.code() != ErrorCode::bad_input) throw;
            notes.push_back(fmt::format("not shown: {}, which the labels do not fit: {}",
                                        dataset.name, error.message()));
            if (!misfit) misfit = error;
            continue;
        }
        for (const PredictionStore& store : stores) {
            if (std::string writing = writer_warning(store); !writing.empty())
                notes.push_back(std::move(writing));
        }
        images.push_back(
            look(stores, item, options.labels.empty() ? dataset.labels : given, options.top));
    }
    if (images.empty() && misfit) throw *misfit;
    if (images.empty()) {
        if (groups.size() > 1)
            unknown->add_note(fmt::format("looking in {} data sets", groups.size()));
        throw *unknown;
    }
    return images;
}

}  // namespace assay
