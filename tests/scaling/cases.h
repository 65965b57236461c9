// Readers, and inputs of any size for them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct ScalingCase {
    std::string name;
    std::size_t smallest;  ///< number of parts of the smallest input; the others have 10 and 100
                           ///< times as many
    double kibibytes;      ///< the largest memory that a part of the largest input may need
    /// Writes an input of `n` parts into an empty folder.
    void (*make)(std::size_t n, const std::filesystem::path& folder);
    /// Reads the input. Throws unless all `n` parts are read.
    void (*read)(std::size_t n, const std::filesystem::path& folder);
};

const std::vector<ScalingCase>& scaling_cases();

}  // namespace assay
