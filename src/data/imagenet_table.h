// The built-in table of ImageNet's classes and of their roles in other benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

/// One entry per class, in the usual order (WordNet ids ascending).
struct ImagenetTable {
    ClassList classes;
    std::vector<std::int32_t> in9;  ///< backgrounds challenge (Xiao et al. 2020): 0..8, or -1
    std::vector<std::string>
        sixteen;  ///< the category of model-vs-human (Geirhos et al. 2018), or ""
    /// Letters of the subsets that a class is in. A and R are ImageNet-A and ImageNet-R (Hendrycks
    /// et al. 2021). H is ImageNet-100 (Tian et al. 2020, Contrastive Multiview Coding). N and W
    /// are Imagenette and Imagewoof (Howard 2019).
    std::vector<std::string> subsets;
    std::vector<std::string> lemmas;  ///< WordNet 3.0's synonyms: "tench, Tinca tinca"
};

const ImagenetTable& imagenet_table();

}  // namespace assay
