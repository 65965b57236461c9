// Writes answers from a labeling page or a file to the tables of a study. No answer is ever
// deleted. One of an annotator's answers to a question counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/study/answer.h"
#include "core/database.h"
#include "study/columns.h"

namespace assay::study {

struct GivenAnswer {
    std::int64_t question = 0, annotator = 0;
    Answer answer = Answer::no;
    std::string at;
    std::string_view source;
    std::string key;
    std::string tags = {};  ///< as stored_tags()
};

class AnswerWriter {
public:
    explicit AnswerWriter(Database& database);

    /// The row of the annotator with this name, created if missing. Throws bad_input if the name is
    /// invalid. `what` begins the message.
    std::int64_t annotator(std::string_view name, const std::string& what);
    /// Finds an existing answer with the key of this answer. Its tags are only compared if this one
    /// has some.
    enum class Known : std::uint8_t { nothing, same, other };
    Known find(const GivenAnswer& given);
    /// The counting answer of the same annotator to the same question.
    struct Counting {
        Answer answer = Answer::no;
        std::string at, key, tags;
    };
    std::optional<Counting> counting(std::int64_t question, std::int64_t annotator);
    /// Marks all these answers as not counting.
    void outdate(std::int64_t question, std::int64_t annotator);
    /// If `counts`, the answer replaces the counting answer. Throws bad_input if the key exists.
    void write(const GivenAnswer& given, bool counts);
    /// Records that an annotator was given the screen that begins with this question.
    void give(std::int64_t question, std::int64_t annotator);

private:
    Database& database_;
    const Column& name_column_;
    Statement annotator_, of_key_, counting_, outdate_, insert_, give_;
};

}  // namespace assay::study
