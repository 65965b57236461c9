// Which question a row of a file means.
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

/// By token, which image and label must not contradict where they are known; else by image and
/// label. Images by id or path, also as addresses (image_addresses.h).
class QuestionFinder {
public:
    QuestionFinder(const Competition& competition, const std::vector<QuestionRow>& questions);
    /// Its place in `questions`. Throws bad_input: nobody is asked that, with the nearest.
    std::size_t find(const FoundAnswer& found);

private:
    /// Numbers of those that it may mean.
    std::vector<std::int64_t> images_of(const std::string& text);
    /// Throws bad_input: image or label are known, and not those of the question.
    void check_agrees(const FoundAnswer& found, const QuestionRow& question);
    [[noreturn]] void refuse_image(const FoundAnswer& found) const;

    const Competition& competition_;
    const std::vector<QuestionRow>& questions_;
    std::map<std::int64_t, ImageRow> rows_;
    ImageAddresses addresses_;
    std::unordered_map<std::string, std::size_t> by_token_;
    std::map<QuestionKey, std::size_t> by_key_;
    /// By id; by path where that is no other image's id. Several may have one path.
    std::unordered_map<std::string, std::vector<std::int64_t>> images_;
};

}  // namespace assay::mad
