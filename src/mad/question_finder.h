// Finds the question that a row of a file means.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "mad/answer_readers.h"
#include "mad/image_finder.h"
#include "mad/question_rows.h"

namespace assay::mad {

/// Finds the question by token, which known image and label must match; otherwise by both of these.
/// Images are found by ImageFinder.
class QuestionFinder {
public:
    QuestionFinder(const Competition& competition, const std::vector<QuestionRow>& questions);
    /// Returns the index in `questions`. Throws bad_input with the nearest one if it is not asked.
    std::size_t find(const FoundAnswer& found);

private:
    /// Throws bad_input if image or label are known and differ from the question's.
    void check_agrees(const FoundAnswer& found, const QuestionRow& question);
    [[noreturn]] void refuse_image(const FoundAnswer& found) const;

    const Competition& competition_;
    const std::vector<QuestionRow>& questions_;
    ImageFinder images_;
    std::unordered_map<std::string, std::size_t> by_token_;
    std::map<QuestionKey, std::size_t> by_key_;
};

}  // namespace assay::mad
