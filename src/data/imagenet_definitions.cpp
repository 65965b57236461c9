// Definitions from WordNet 3.0 (Princeton University; licence in imagenet_hierarchy.LICENSE).
#include "data/imagenet_definitions.h"

#include <string_view>

#include "containers/csv.h"

namespace assay {
namespace {

constexpr std::string_view definitions_text =
#include "imagenet_definitions.inc"  // imagenet_definitions.csv as a string literal, made by CMake
    ;

std::vector<std::string> parse_definitions() {
    std::vector<std::string> definitions;
    CsvReader reader(definitions_text, "imagenet_definitions.csv", {.delimiter = ','});
    while (reader.next()) definitions.emplace_back(reader[1]);
    return definitions;
}

}  // namespace

const std::vector<std::string>& imagenet_definitions() {
    static const std::vector<std::string> definitions = parse_definitions();
    return definitions;
}

}  // namespace assay
