// How a question is called, worded and shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "study/table_csv.h"

namespace assay::mad {

/// Its name for annotators and its place in the order of asking: hashes, so that they say nothing
/// of classifiers, of gold or of other questions.
struct QuestionName {
    std::string token;
    std::uint32_t turn = 0;
};
QuestionName question_name(std::uint64_t seed, std::int64_t image, std::uint16_t label);

/// A class's name for people; where several classes have that name, with what is above it in the
/// hierarchy, or else with its id.
std::vector<std::string> names_for_people(const Competition& competition);
/// "Does this image show "great white shark"?"
std::string question_text(std::string_view label_name);

using study::for_spreadsheet;
using study::from_spreadsheet;

}  // namespace assay::mad
