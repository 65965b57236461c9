// What annotators read of labels: names, definitions and synonyms, from a file or from WordNet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/labelling/task.h"

namespace assay::labelling {

/// One entry for each of `ids`, in their order. Names: those of `names` ("" or no list: ImageNet's
/// for its WordNet ids, else the id). Definitions and synonyms: of `definitions`, a csv (columns
/// label, definition, and perhaps name, synonyms separated by semicolons) or JSON ({label: text} or
/// {label: {"definition", "name", "synonyms": [...]}}; "": none), whose labels may be ids or names;
/// what it leaves open is WordNet's, of labels that are WordNet ids of ImageNet's classes. Two
/// labels that nobody could tell apart have their ids behind their names. Throws bad_input: a
/// damaged file, a label twice, unknown labels with the nearest known one.
std::vector<LabelText> label_texts(const std::vector<std::string>& ids,
                                   const std::vector<std::string>& names,
                                   const std::filesystem::path& definitions);

/// The same where `known` has what is known already of each label, which comes before WordNet and
/// after the file. The file may be of more labels than there are: those are passed over, and
/// `warnings` gets a sentence about them.
std::vector<LabelText> label_texts(std::vector<LabelText> known,
                                   const std::filesystem::path& definitions,
                                   std::vector<std::string>& warnings);

}  // namespace assay::labelling
