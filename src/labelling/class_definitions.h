// The labels' texts for annotators: names, definitions and synonyms, from a file or from
// WordNet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/labelling/task.h"

namespace assay::labelling {

/// One entry for each of `ids`, in order. Names come from `names` (if "" or absent: ImageNet's for
/// its WordNet ids, else the id). Definitions and synonyms come from the file `definitions` ("":
/// none), whose labels may be ids or names. It may be a csv with the columns label, definition, and
/// optionally name, synonyms (separated by semicolons). It may be JSON: {label: text} or {label:
/// {"definition", "name", "synonyms": [...]}}. WordNet fills the gaps for labels that are WordNet
/// ids of ImageNet's classes. Two labels with equal texts get their ids after their names.
/// Throws bad_input: a damaged file, a repeated label, unknown labels with the nearest known
/// one.
std::vector<LabelText> label_texts(const std::vector<std::string>& ids,
                                   const std::vector<std::string>& names,
                                   const std::filesystem::path& definitions);

/// The same, but `known` has texts for each label, which take precedence over WordNet but not over
/// the file. The file may have more labels: these are ignored, and `warnings` gets a sentence about
/// them.
std::vector<LabelText> label_texts(std::vector<LabelText> known,
                                   const std::filesystem::path& definitions,
                                   std::vector<std::string>& warnings);

}  // namespace assay::labelling
