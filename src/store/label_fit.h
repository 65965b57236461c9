// Whether a file of labels belongs to the images of a data set: how many of its images get labels,
// and how many labels name none of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"

namespace assay::store {

struct LabelFit {
    LabelSets sets;  ///< one an item
    LabelMatch match;
    std::vector<std::string> notes{};  ///< what the columns of the file were taken for
    std::uint64_t labelled = 0;        ///< items with a label
    /// Why the file is not about these images, or cannot be read for them; nothing: it fits, and
    /// the others hold.
    std::optional<Error> error{};
    bool names_no_item = false;  ///< that is the error

    bool fits() const { return !error; }
    std::string misfit() const { return error ? error->message() : std::string(); }
};

/// `labels`: what read_label_sets() takes, or a folder whose images' places say their classes.
/// Nothing is thrown for a file that does not fit; what else goes wrong (a file that cannot be
/// opened) is. Cost: reads the file.
LabelFit label_fit(const std::filesystem::path& labels, const Dataset& images);

/// "labels of real.json: 46,837 of 50,000 images have some", and what the file leaves out or names
/// beyond them.
std::string describe(const LabelFit& fit, const std::filesystem::path& labels);

}  // namespace assay::store
