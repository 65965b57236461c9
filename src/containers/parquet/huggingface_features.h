// The metadata about columns that the library `datasets` writes into files.
#pragma once

#include <cstdint>
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

/// The name of the class whose number is in a cell, or "" for -1. `names` must not be empty. `row`
/// and `column` are for messages. Throws bad_input for other numbers.
std::string_view class_name(const std::vector<std::string>& names, std::string_view cell,
                            std::uint64_t row, std::string_view column);

}  // namespace assay::parquet
