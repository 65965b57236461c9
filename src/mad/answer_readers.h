// Reads files of answers from any tool as a sequence of answers. This code does not interpret the
// questions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/pairs.h"
#include "data/crowd/crowd.h"

namespace assay::mad {

struct FoundAnswer {
    std::string where;         ///< place in the file: "answers.csv line 3"
    std::string question;      ///< token; may be any text if image and label are present
    std::string image, label;  ///< as written: id, path or address; id, name or number
    /// Image or label values that could not be read although the question is named; otherwise
    /// "".
    std::string unread;
    std::string annotator;   ///< "" if the file does not say
    std::string at;          ///< "2026-11-23T01:02:03.000000Z"; "" if the file does not say
    std::string key;         ///< the file's key, or ""
    std::string annotation;  ///< Label Studio's number of the annotation, or ""
    std::string made;        ///< when that annotation was created, even if it changed later
    /// True if the answer was withdrawn: canceled, or without a choice. Counted as skipped.
    bool taken_back = false;
    Answer answer = Answer::no;
    std::vector<std::string> tags;  ///< as study::checked_tags()
};

struct AnswerSink {
    std::function<void(const FoundAnswer&)> found;
    std::uint64_t skipped = 0;  ///< tasks without an answer, drafts, canceled ones
};

/// Recognizes the format by its content. It is Label Studio's JSON or JSON-MIN, a table, or the
/// answers of a service (data/crowd/crowd.h). A table is a csv, including Label Studio's CSV and
/// TSV. Memory: one task. Throws bad_input with row or task: damaged, no answer in a known
/// spelling, missing columns, an invalid time. `source` is the text's name in messages.
void read_found_answers(std::string_view text, const std::string& source, AnswerSink& sink);

/// The field for the number of annotations in tasks that Assay exported with annotations. Label
/// Studio's flat formats only say who imported these.
constexpr std::string_view exported_annotations = "exported_annotations";
/// Refuses a row of a flat format with such annotations. `count` is "" or "0" without annotations.
void refuse_exported(std::string_view count, const std::string& where);

/// The readers for each format.
void read_answers_csv(std::string_view text, const std::string& source, AnswerSink& sink);
void read_label_studio(std::string_view text, const std::string& source, AnswerSink& sink);

/// The answers "yes", "no", "cannot say".
inline std::string_view name_of(Answer answer) {
    return study::words_for(answer).name;
}
/// Recognizes common spellings of answers, in any case; nothing for other texts.
std::optional<Answer> answer_named(std::string_view text);
using crowd::known_answers;
using crowd::says_nothing;

/// As study::utc_moment_of(), with "" for "". Throws bad_input with `where` for an invalid time.
std::string utc_time_in(std::string_view text, const std::string& where);

}  // namespace assay::mad
