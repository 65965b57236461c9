// A one-sentence definition of each built-in ImageNet class.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// WordNet 3.0's definitions without their examples, in the order of imagenet_classes().
const std::vector<std::string>& imagenet_definitions();

}  // namespace assay
