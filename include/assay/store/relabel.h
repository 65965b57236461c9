// Replaces the class list of finished stores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/report.h"

namespace assay {

/// A data set with a new class list.
struct RelabelledData {
    std::filesystem::path folder;   ///< RUNS/<data set>
    std::string name;               ///< name of the data set
    std::uint64_t stores = 0;       ///< the stores of the data set, which all share the list
    std::uint64_t classes = 0;      ///< number of classes in the list
    std::uint64_t changed = 0;      ///< classes whose id or name has changed
    std::string first_change = {};  ///< "class 3 was `cat` and is `dog`"; "" if none changed
    bool reordered = false;         ///< the same classes as before, but in another order
};

/// Sets the class list of each data set that has a store at or below one of `paths`. Scores and
/// labels store class numbers and do not change. All data sets are checked before the first is
/// changed. In each, one file is replaced (docs/formats.md: dataset.json), which also records the
/// earlier lists. If the call is killed, each data set has either the old list or the new one.
/// Throws bad_input for no store, scores with another number of classes; io.
std::vector<RelabelledData> relabel_stores(const std::vector<std::filesystem::path>& paths,
                                           const ClassList& classes);

/// The report has one row per data set. JSON: assay.relabel/1.
Report report_of(const std::vector<RelabelledData>& relabelled);

}  // namespace assay
