// One image: its labels and what each model predicts for it.
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
    std::string image;  ///< an item's id, its path, or an end of either that no other item has
    std::vector<std::string> paths;   ///< RUNS folders, data sets in them, or stores
    std::vector<std::string> labels;  ///< as in MeasureOptions, for all metrics; none: its own
    std::size_t top = 5;              ///< classes shown of each model
};

struct ShownClass {
    std::int32_t index = -1;  ///< in the data set's class list
    std::string id, name;
};

struct ShownImage {
    struct Predicted {
        ShownClass cls;
        std::size_t rank = 0;    ///< from 1
        double probability = 0;  ///< with Model::has_probabilities
        bool correct = false;    ///< one of the labels
    };
    struct Model {
        std::string name;
        std::string not_scored;            ///< "", or why there are no scores
        std::uint32_t classes_stored = 0;  ///< of each row
        bool has_probabilities = true;     ///< false: predicted classes alone are known
        std::vector<Predicted> best;       ///< best first, as many as asked for and stored
        std::vector<std::optional<Predicted>> labels;  ///< one a label; none: not stored
        /// How many of the g best classes are among the g labels; none: fewer than g are stored.
        std::optional<std::uint32_t> hits;
    };
    std::string dataset;  ///< its name; of namesakes the folder
    std::string id, path;
    std::size_t item = 0, items = 0;
    std::vector<ShownClass> labels;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<Model> models;
};

/// The image in every data set that has it: stores of the same items, images, labels and classes
/// together, in the order of the paths. `notes` says which labels each data set is shown with,
/// where some are given. Throws usage: no item of that name, or several; bad_input.
/// Cost: reads one row of each store.
std::vector<ShownImage> show_image(const ShowOptions& options, std::vector<std::string>& notes);

/// A section for each image, a table for each model; the records are the classes shown. JSON:
/// assay.show/1.
Report report_of(std::span<const ShownImage> images);

}  // namespace assay
