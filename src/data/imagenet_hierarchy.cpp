// The nouns above ImageNet's classes, from WordNet 3.0 (Princeton University; licence in
// imagenet_hierarchy.LICENSE).
#include <string_view>

#include "assay/data/hierarchy.h"
#include "data/hierarchy_readers.h"

namespace assay {
namespace {

constexpr std::string_view hierarchy_text =
#include "imagenet_hierarchy.inc"  // imagenet_hierarchy.csv as a string literal, made by CMake
    ;

}  // namespace

const Hierarchy& imagenet_hierarchy() {
    static const Hierarchy hierarchy = hierarchy_from_csv(hierarchy_text, "imagenet_hierarchy.csv");
    return hierarchy;
}

}  // namespace assay
