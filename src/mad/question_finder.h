// Which question a row of a file means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mad/answer_readers.h"
#include "mad/question_rows.h"

namespace assay::mad {

/// By token; else by image and label. Images by id or path, also behind a prefix ("/data/local-
/// files/?d=", an address), and under the name that Label Studio gives to files that are uploaded
/// to it, where one image alone has it.
class QuestionFinder {
public:
    QuestionFinder(const Competition& competition, const std::vector<QuestionRow>& questions);
    /// Its place in `questions`. Throws bad_input: nobody is asked that, with the nearest.
    std::size_t find(const FoundAnswer& found) const;

private:
    std::optional<std::int64_t> image_of(std::string_view text) const;
    std::optional<std::int64_t> image_behind_prefix(std::string_view text) const;

    const Competition& competition_;
    const std::vector<QuestionRow>& questions_;
    std::unordered_map<std::string, std::size_t> by_token_;
    std::map<QuestionKey, std::size_t> by_key_;
    std::unordered_map<std::string, std::int64_t> images_;      ///< by id, and by path
    std::unordered_map<std::string, std::int64_t> base_names_;  ///< several_images: of several
};

}  // namespace assay::mad
