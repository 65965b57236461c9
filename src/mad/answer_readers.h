// Files of answers, whatever tool wrote them, as one answer after the other. Nothing here knows
// what was asked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "assay/mad/pairs.h"
#include "data/crowd/crowd.h"

namespace assay::mad {

struct FoundAnswer {
    std::string where;         ///< for messages: "answers.csv line 3"
    std::string question;      ///< token; may be another text where image and label are there
    std::string image, label;  ///< as written: id, path or address; id, name or number
    /// What image or label were instead, where the question is named; "": nothing strange.
    std::string unread;
    std::string annotator;   ///< "": the file does not say
    std::string at;          ///< "2026-11-23T01:02:03.000000Z"; "": the file does not say
    std::string key;         ///< what the file calls it, "": nothing
    std::string annotation;  ///< Label Studio's number of it, likewise
    std::string made;        ///< when that annotation was created, whoever changed it since
    /// It says nothing any more: cancelled, or without a choice. Counted among the skipped.
    bool taken_back = false;
    Answer answer = Answer::no;
};

struct AnswerSink {
    std::function<void(const FoundAnswer&)> found;
    std::uint64_t skipped = 0;  ///< tasks without an answer, drafts, cancelled ones
};

/// By what it holds: Label Studio's JSON or JSON-MIN, a table (a csv, Label Studio's CSV and TSV
/// among them), or the answers of a service (data/crowd/crowd.h). Memory: that of one task. Throws
/// bad_input with row or task: damaged, no answer of a known spelling, columns that are missing, a
/// time that is none. `source` names the text in messages.
void read_found_answers(std::string_view text, const std::string& source, AnswerSink& sink);

/// In the data of tasks that went to Label Studio with annotations: so many of them. Its flat
/// formats say of these only who imported them.
constexpr std::string_view exported_annotations = "exported_annotations";
/// Refuses a row of a flat format with such annotations; `count`: "" or "0" where there are none.
void refuse_exported(std::string_view count, const std::string& where);

/// The parts of it.
void read_answers_csv(std::string_view text, const std::string& source, AnswerSink& sink);
void read_label_studio(std::string_view text, const std::string& source, AnswerSink& sink);

/// "yes", "no", "cannot say".
inline std::string_view name_of(Answer answer) {
    return study::words_for(answer).name;
}
/// In the common spellings, any case; nothing for all others.
std::optional<Answer> answer_named(std::string_view text);
using crowd::known_answers;
using crowd::says_nothing;

/// As study::utc_moment_of(); "" of "". Throws bad_input with `where`: it is none.
std::string utc_time_in(std::string_view text, const std::string& where);

}  // namespace assay::mad
