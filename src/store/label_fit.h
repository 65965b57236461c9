// Checks that a file of labels belongs to the images of a data set: counts images that get labels,
// and labels that match no image.
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
    LabelSets sets;                            ///< one per item, unless they are soft labels
    std::shared_ptr<const SoftLabels> soft{};  ///< one per item, if the file has soft labels
    LabelMatch match;
    std::vector<std::string> notes{};  ///< interpretation of the file's columns
    std::uint64_t labelled = 0;        ///< items with a label
    std::string doubt{};               ///< a reason to suspect that the labels belong to other
                                       ///< images
    /// The reason why the file does not match these images, or cannot be read. If there is no
    /// error, the file matches, and the other members are valid.
    std::optional<Error> error{};
    bool names_no_item = false;  ///< the error is that no name matches an item

    bool fits() const { return !error; }
    std::string misfit() const { return error ? error->message() : std::string(); }
};

/// The treatment of files that may contain soft labels.
enum class SoftFiles : std::uint8_t {
    refused,  ///< nothing else
    taken,    ///< rows of probabilities are soft labels
    votes     ///< every file contains counts, which become soft labels
};

/// Column names for a table of labels, from the user (LabelReading in data/label_rows.h); ""
/// detects them. `options` means that they are command options, which messages may mention.
struct LabelTableColumns {
    std::string image{}, label{};
    bool options = false;

    bool named() const { return !image.empty() || !label.empty(); }
};

/// `labels` is an input of read_label_sets(), a folder whose images' locations give their classes,
/// or an input of read_soft_labels() if `soft` allows it. A file that does not match does not cause
/// an exception. Other failures do (a file that cannot be opened, columns for a file without
/// columns). If `columns` names the labels of a table, it has no soft labels. Cost: reads the file.
LabelFit label_fit(const std::filesystem::path& labels, const Dataset& images,
                   SoftFiles soft = SoftFiles::refused, const LabelTableColumns& columns = {});

/// Returns "labels of real.json: 46,837 of 50,000 images have some", with missing and extra counts.
std::string describe(const LabelFit& fit, const std::filesystem::path& labels);

}  // namespace assay::store
