// What the library `datasets` writes about its columns into the files.
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

/// `json`: the value of the key "huggingface" of a file's metadata, or "". Features of other types
/// are passed over. Throws bad_input: no JSON, or a ClassLabel whose names are no list of texts.
HuggingfaceFeatures parse_huggingface_features(std::string_view json);

}  // namespace assay::parquet
