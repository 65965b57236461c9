// Finds the question that a row of a file means.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "mad/answer_readers.h"
#include "mad/image_addresses.h"
#include "mad/question_rows.h"

namespace assay::mad {

/// Finds the question by token, which known image and label must match; otherwise by both of these.
/// Images are given by id or path, or as addresses (image_addresses.h).
class QuestionFinder {
public:
    QuestionFinder(const Competition& competition, const std::vector<QuestionRow>& questions);
    /// Returns the index in `questions`. Throws bad_input with the nearest one if it is not asked.
    std::size_t find(const FoundAnswer& found);

private:
    /// The numbers of images that the row may mean.
    std::vector<std::int64_t> images_of(const std::string& text);
    /// Throws bad_input if image or label are known and differ from the question's.
    void check_agrees(const FoundAnswer& found, const QuestionRow& question);
    [[noreturn]] void refuse_image(const FoundAnswer& found) const;

    const Competition& competition_;
    const std::vector<QuestionRow>& questions_;
    std::map<std::int64_t, ImageRow> rows_;
    ImageAddresses addresses_;
    std::unordered_map<std::string, std::size_t> by_token_;
    std::map<QuestionKey, std::size_t> by_key_;
    /// Images by id, and by path if that is no other image's id. Several images may share a path.
    std::unordered_map<std::string, std::vector<std::int64_t>> images_;
};

}  // namespace assay::mad
