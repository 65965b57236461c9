// Shows one image: its labels and each model's predictions for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/report.h"

namespace assay {

struct ShowOptions {
    std::string image;  ///< an item's id, its path, or a suffix of either that no other item has
    std::vector<std::string> paths;   ///< RUNS folders, data sets in them, or stores
    std::vector<std::string> labels;  ///< as in MeasureOptions, for all metrics; without any, the
                                      ///< data set's own labels
    std::size_t top = 5;              ///< number of classes shown per model
};

struct ShownClass {
    std::int32_t index = -1;  ///< index in the data set's class list
    std::string id, name;
};

struct ShownImage {
    struct Predicted {
        ShownClass cls;
        std::size_t rank = 0;    ///< rank from 1
        double probability = 0;  ///< with Model::has_probabilities
        bool correct = false;    ///< true if it is one of the labels
    };
    struct Model {
        std::string name;
        std::string not_scored;            ///< reason for missing scores, or ""
        std::uint32_t classes_stored = 0;  ///< number of classes stored for each row
        bool has_probabilities = true;     ///< false if only predicted classes are known
        std::vector<Predicted> best;       ///< best first, as many as requested and stored
        /// one per label; no value if it is not stored
        std::vector<std::optional<Predicted>> labels;
        /// The number of the g best classes among the g labels; no value if fewer than g are
        /// stored.
        std::optional<std::uint32_t> hits;
    };
    std::string dataset;  ///< its name; if several data sets have this name, the folder
    std::string id, path;
    std::size_t item = 0, items = 0;
    std::vector<ShownClass> labels;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<Model> models;
};

/// Returns the image in every data set that has it. Stores with the same items, images, labels and
/// classes are grouped, in the order of the paths. `notes` says which labels each data set is shown
/// with, if some are given. Throws usage if no item or several items have that name; bad_input.
/// Cost: reads one row of each store.
std::vector<ShownImage> show_image(const ShowOptions& options, std::vector<std::string>& notes);

/// The report has a section per image and a table per model; the records are the classes shown.
/// JSON: assay.show/1.
Report report_of(std::span<const ShownImage> images);

}  // namespace assay
