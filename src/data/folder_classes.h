// Interprets the names of class folders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

struct FolderClasses {
    ClassList classes;
    std::vector<std::int32_t> class_of;  ///< one class for each folder
    std::string note;                    ///< the assumptions that were made
};

/// True if the classes are numbers without names, so that only their count is known.
bool only_numbers(const ClassList& known);
/// False if the classes are numbers without names and some folder is none of these
/// numbers.
bool folder_names_fit(const std::vector<std::string>& folders, const ClassList& known);

/// Finds the class of each folder. With `known` classes, each folder must be one of them (id,
/// unique name, number; then by ClassAliases: other spellings, synonyms). If `known` is mere
/// numbers and the folders have other names, that many folders in order are its classes. Without
/// `known`: WordNet ids of ImageNet's classes mean ImageNet's 1000; numbers are classes in numeric
/// order; otherwise the names in byte order are the classes. Throws bad_input for an unknown
/// folder, two folders for one class, a folder whose name two classes have.
FolderClasses match_folders(const std::vector<std::string>& folders, const ClassList& known);

}  // namespace assay
