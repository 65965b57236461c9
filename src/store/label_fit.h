// Whether a file of labels belongs to the images of a data set: how many of its images get labels,
// and how many labels name none of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/data/soft_labels.h"
#include "assay/error.h"

namespace assay::store {

struct LabelFit {
    LabelSets sets;                            ///< one an item, unless they are soft labels
    std::shared_ptr<const SoftLabels> soft{};  ///< one an item, where the file holds such
    LabelMatch match;
    std::vector<std::string> notes{};  ///< what the columns of the file were taken for
    std::uint64_t labelled = 0;        ///< items with a label
    std::string doubt{};               ///< what suggests that the labels are of other images
    /// Why the file is not about these images, or cannot be read for them; nothing: it fits, and
    /// the others hold.
    std::optional<Error> error{};
    bool names_no_item = false;  ///< that is the error

    bool fits() const { return !error; }
    std::string misfit() const { return error ? error->message() : std::string(); }
};

/// What files of labels may be beside label sets.
enum class SoftFiles : std::uint8_t {
    refused,  ///< nothing else
    taken,    ///< rows of probabilities are soft labels
    votes     ///< every file is rows of counts, which become soft labels
};

/// As a user names the columns of a table of labels (LabelReading in data/label_rows.h); "": found
/// out. `options`: they are options of the command, which messages may name.
struct LabelTableColumns {
    std::string image{}, label{};
    bool options = false;

    bool named() const { return !image.empty() || !label.empty(); }
};

/// `labels`: what read_label_sets() takes, a folder whose images' places say their classes, or what
/// read_soft_labels() takes as far as `soft` allows it. Nothing is thrown for a file that does not
/// fit; what else goes wrong (a file that cannot be opened, columns of a file that has none) is. A
/// table of which `columns` names the labels holds no soft ones. Cost: reads the file.
LabelFit label_fit(const std::filesystem::path& labels, const Dataset& images,
                   SoftFiles soft = SoftFiles::refused, const LabelTableColumns& columns = {});

/// "labels of real.json: 46,837 of 50,000 images have some", and what the file leaves out or names
/// beyond them.
std::string describe(const LabelFit& fit, const std::filesystem::path& labels);

}  // namespace assay::store
