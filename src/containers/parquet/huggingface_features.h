// The metadata about columns that the library `datasets` writes into files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parquet {

struct HuggingfaceFeatures {
    std::vector<std::string> images;  ///< columns of the type Image
    std::map<std::string, std::vector<std::string>>
        labels;  ///< the names of a ClassLabel's classes
};

/// `json` is the value of the key "huggingface" in a file's metadata, or "". Features of other
/// types are ignored. Throws bad_input: no JSON, or a ClassLabel whose names are no list of texts.
HuggingfaceFeatures parse_huggingface_features(std::string_view json);

}  // namespace assay::parquet
