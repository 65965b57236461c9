// What the classes of finished stores are called.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/report.h"

namespace assay {

/// A data set whose classes have another list.
struct RelabelledData {
    std::filesystem::path folder;   ///< RUNS/<data set>
    std::string name;               ///< of the data set
    std::uint64_t stores = 0;       ///< of the data set: all of them have the list
    std::uint64_t classes = 0;      ///< in the list
    std::uint64_t changed = 0;      ///< classes with another id or name than before
    std::string first_change = {};  ///< "class 3 was `cat` and is `dog`"; "": none
    bool reordered = false;         ///< the same classes as before, in another order
};

/// Sets the list of classes of each data set that has a store at or below one of `paths`. Scores
/// and labels are numbers of classes, and stay. All data sets are checked before the first is
/// changed; one file of each is replaced (docs/formats.md: dataset.json), which records the lists
/// of before. Killed at any moment, a data set has the old list or the new one. Throws bad_input:
/// no store, scores of another number of classes; io.
std::vector<RelabelledData> relabel_stores(const std::vector<std::filesystem::path>& paths,
                                           const ClassList& classes);

/// One row a data set. JSON: assay.relabel/1.
Report report_of(const std::vector<RelabelledData>& relabelled);

}  // namespace assay
