// The findings about an inspected data set: sentences with a mark and examples.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/evaluate/inspect.h"

namespace assay::inspect {

/// A sentence, and the images that it describes.
struct InspectFinding {
    /// fault: numbers would be incorrect. doubt: probably wrong. note: for information. sound: no
    /// problem was found.
    enum class Grade { fault, doubt, note, sound };
    Grade grade;
    std::string text;
    std::vector<std::string> examples;
};
constexpr auto words_of(InspectFinding::Grade) {
    using Grade = InspectFinding::Grade;
    using Row = std::pair<Grade, std::string_view>;
    return std::array{Row{Grade::fault, "fault"}, Row{Grade::doubt, "doubt"},
                      Row{Grade::note, "note"}, Row{Grade::sound, "sound"}};
}
std::vector<InspectFinding> findings_of(const InspectResult& result);
/// The mark before the sentence.
std::string_view mark_of(InspectFinding::Grade grade);

/// Formats counts: "1 image", "5,600 images".
std::string counted(std::uint64_t n, std::string_view noun, std::string_view plural);
/// Lists examples as "a, b, ..."; `all` is the total number.
std::string listed_names(const std::vector<std::string>& names, std::uint64_t all);

}  // namespace assay::inspect
