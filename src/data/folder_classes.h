// What the names of class folders mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

struct FolderClasses {
    ClassList classes;
    std::vector<std::int32_t> class_of;  ///< one for each folder
    std::string note;                    ///< what was assumed
};

/// True for the classes of a classifier that says only how many it has: numbers without names.
bool only_numbers(const ClassList& known);
/// False when the classes are mere numbers (a classifier that does not say more) and some folder is
/// none of these.
bool folder_names_fit(const std::vector<std::string>& folders, const ClassList& known);

/// Finds the class of each folder. With `known` classes each folder must be one of them (id, unique
/// name, number; then by ClassAliases: other spellings, synonyms). Where `known` is mere
/// numbers and the folders have other names, as many folders in order are its classes. Without:
/// WordNet ids of ImageNet's classes mean ImageNet's 1000; numbers are classes in numeric order;
/// else the names in byte order are the classes. Throws bad_input: unknown folder, two folders of
/// one class, a folder with a name that two classes have.
FolderClasses match_folders(const std::vector<std::string>& folders, const ClassList& known);

}  // namespace assay
