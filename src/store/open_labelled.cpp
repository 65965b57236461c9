#include "assay/store/open_labelled.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "containers/csv.h"
#include "containers/npy.h"
#include "core/file.h"
#include "core/text.h"
#include "data/label_json.h"
#include "data/label_list.h"
#include "data/label_rows.h"
#include "data/text_numbers.h"
#include "data/voted_labels.h"
#include "store/same_data.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

void require_items(Dataset& dataset, std::string_view source) {
    if (dataset.size() == 0) throw Error(ErrorCode::bad_input, fmt::format("{}: no items", source));
}

/// Names for the rows of a file without names.
void number_items(Dataset& dataset, std::uint64_t rows) {
    constexpr std::uint64_t imagenet_val = 50'000;
    for (std::uint64_t i = 0; i < rows; ++i) {
        dataset.ids.append(rows == imagenet_val ? fmt::format("ILSVRC2012_val_{:08}.JPEG", i + 1)
                                                : std::to_string(i));
    }
}

/// The items in a file of label sets. read_label_sets then gives their labels.
Dataset items_of_label_file(const fs::path& path, const ClassList& classes) {
    Dataset dataset;
    const std::string extension = lower_extension(path.string()), source = path.filename().string();
    TextNumbers names;
    if (extension == ".json") {
        const NamedRows rows = parse_label_json(read_text(path), classes, source);
        if (rows.keys.size() == 0) number_items(dataset, rows.rows.size());
        for (std::size_t i = 0; i < rows.keys.size(); ++i) names(rows.keys[i]);
    } else if (extension == ".npy") {
        const MappedFile file(path);
        const NpyView array = parse_npy(file.bytes());
        constexpr std::uint64_t most = 100'000'000;
        if (array.shape.empty() || array.shape[0] > most) {
            throw Error(ErrorCode::bad_input, fmt::format("{}: shape {}; expected one row per item",
                                                          source, array.shape_text()));
        }
        number_items(dataset, array.shape[0]);
    } else {
        const LabelList list =
            read_label_list(path, {.classes = classes.empty() ? nullptr : &classes,
                                   .attributes = false,
                                   .options = false});
        const StringColumn& keys = list.ids.size() > 0 ? list.ids : list.files;
        if (keys.size() == 0) number_items(dataset, list.rows);
        for (std::size_t i = 0; i < keys.size(); ++i) names(keys[i]);
    }
    if (names.texts().size() > 0) dataset.ids = names.take();
    require_items(dataset, source);
    return dataset;
}

ClassList classes_of(const LabelSets& sets) {
    std::int32_t largest = -1;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!sets[i].empty()) largest = std::max(largest, sets[i].back());
    }
    if (largest < 0) return {};
    const bool imagenet = sets.size() == 50'000 && largest < 1000;
    return imagenet ? imagenet_classes() : numbered_classes(static_cast<std::size_t>(largest) + 1);
}

/// Class names in byte order, or in their own order. Empty if all are numbers.
ClassList class_list_of(const StringColumn& texts, bool in_their_order) {
    std::vector<std::string> names;
    bool numbers = true;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::uint64_t ignored = 0;
        numbers = numbers && parse_number(texts[i], ignored);
        names.emplace_back(texts[i]);
    }
    if (numbers) return {};
    if (!in_their_order) {
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    return ClassList(std::move(names));
}

/// Distinct labels in byte order, or class columns in their own order, for files with label names
/// but without a class list.
ClassList classes_of_list(const fs::path& path) {
    const std::string extension = lower_extension(path.string());
    if (extension == ".npy") return {};
    if (extension == ".json")
        return ClassList(label_names_in_json(read_text(path), path.filename().string()));
    const LabelList list =
        read_label_list(path, {.classes = nullptr, .attributes = false, .options = false});
    StringColumn texts;
    for (const auto& [text, line] : list.texts) texts.append(text);
    return class_list_of(texts, list.flags);  // columns of classes have an order
}

}  // namespace

Dataset open_labelled(const fs::path& path, const ClassList& classes,
                      std::vector<std::string>* notes) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        std::vector<fs::path> stores;
        try {
            stores = find_stores(path);
        } catch (const Error&) {  // there are no stores, so it is a folder of images
        }
        if (stores.empty()) {
            DatasetOptions options;
            options.classes = classes;
            return open_dataset(path, options, notes);
        }
        const PredictionStore first = PredictionStore::open(stores[0]);
        for (std::size_t s = 1; s < stores.size(); ++s) {
            store::require_same(first, PredictionStore::open(stores[s]),
                                {.images = false, .classes = true, .labels = true});
        }
        return first.dataset();
    }
    return with_note(fmt::format("reading the labels {}", path.string()), [&] {
        const auto voted = read_voted_labels(path);
        const ClassList known = !classes.empty() ? classes
                                : voted          ? class_list_of(voted->labels, false)
                                                 : classes_of_list(path);
        Dataset dataset;
        if (voted) {
            dataset.ids = voted->items;
            require_items(dataset, path.filename().string());
        } else {
            dataset = items_of_label_file(path, known);
        }
        dataset.name = path.stem().string();
        LabelMatch match;
        std::vector<std::string> unsaid;
        dataset.labels =
            read_label_sets(path, dataset, known, match, notes != nullptr ? *notes : unsaid);
        dataset.classes = known.empty() ? classes_of(dataset.labels) : known;
        return dataset;
    });
}

}  // namespace assay
