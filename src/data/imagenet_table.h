// The built-in table of ImageNet's classes and what other benchmarks make of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

/// One entry a class, in the usual order (WordNet ids ascending).
struct ImagenetTable {
    ClassList classes;
    std::vector<std::int32_t> in9;  ///< backgrounds challenge (Xiao et al. 2020): 0..8, or -1
    std::vector<std::string>
        sixteen;  ///< model-vs-human (Geirhos et al. 2018): the category, or ""
    std::vector<std::uint8_t> in_a,
        in_r;  ///< member of ImageNet-A's, ImageNet-R's 200 (Hendrycks et al. 2021)
};

const ImagenetTable& imagenet_table();

}  // namespace assay
