// Reads the votes of a crowd from any tool, as a sequence of answers by annotators. It does not
// interpret images, classes or the scale of answers.
//
// A vote either answers "does this class fit this image?" or names classes itself. In yes/no votes,
// `label` is the class that was asked about. In which-class votes, `label` is empty, and there is
// one vote for each chosen class. A file contains only one of the two kinds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::crowd {

/// Text such as "votes.csv line 3". It is only built if a message needs it.
using Where = std::function<std::string()>;

struct Vote {
    std::string_view annotator, item, label, answer;
    /// True if this is one more class of the previous vote's answer, because the annotator chose
    /// several.
    bool further = false;
};

struct Sink {
    std::function<void(const Vote& vote, const Where& where)> take;
    /// Reports a row that should be a vote but is not: the kind of fault, and a sentence about it.
    std::function<void(std::string_view kind, const Where& message)> problem;
};

enum class Layout {
    none,    ///< no votes: no column or field names the annotators
    table,   ///< csv or tsv with a column of annotators: a row per vote, or a column per class
    people,  ///< csv or tsv with a column per person
    mechanical_turk,
    toloka,
    zooniverse,
    label_studio,   ///< JSON: tasks with their annotations
    records,        ///< a JSON list of flat objects: Label Studio's JSON-MIN and the like
    ground_truth,   ///< SageMaker's manifest: a JSON object per line
    consolidation,  ///< SageMaker's answers of workers: a JSON list of objects of the data set
    datumaro,
    cvat
};
std::string_view name_of(Layout layout);

/// The extensions of texts that may hold votes, in lower case.
inline constexpr std::array<std::string_view, 6> text_extensions = {".csv",   ".tsv",      ".json",
                                                                    ".jsonl", ".manifest", ".xml"};

inline bool may_hold_votes(std::string_view extension) {
    return std::ranges::find(text_extensions, extension) != text_extensions.end();
}

/// Recognizes the layout by the text's first bytes: a header, a member's name or an element.
Layout layout_of(std::string_view text);
/// True if only one program writes this layout, so that it cannot be another kind of table.
inline bool is_of_a_tool(Layout layout) {
    return layout > Layout::people;
}

struct Reading {
    Layout layout = Layout::none;
    bool which_class = false;
    /// Sentences about how columns were interpreted, and what was not counted.
    std::vector<std::string> notes;
};

/// Passes each vote to `sink`. Memory: one row, task or image. Throws bad_input with the place:
/// damaged text, a column that is missing, repeated or ambiguous. `source` is the text's name in
/// messages.
Reading read_votes(std::string_view text, const std::string& source, const Sink& sink);
/// The same, if `layout` is layout_of(text).
Reading read_votes(std::string_view text, Layout layout, const std::string& source,
                   const Sink& sink);

/// The names of the column of people, in tables of votes and of annotators, in lower case.
inline const std::initializer_list<std::string_view> annotator_words = {
    "annotator", "rater",        "worker",   "user",          "completed_by", "workerid",
    "worker_id", "user_name",    "username", "labeler",       "labeller",     "performer",
    "coder",     "annotator_id", "rater_id", "annotator_name"};

/// The meaning of an answer to "does this class fit?", in the common spellings and any case.
enum class Said { no, cannot_say, yes };
std::optional<Said> said_by(std::string_view text);
/// All accepted answers, for messages.
std::string known_answers();
/// True if the text means that there is no answer: empty, "skip", "skipped".
bool says_nothing(std::string_view text);

/// The image that an address refers to, without the service's prefix and the mark of an upload
/// ("/data/upload/1/1a2b3c4d-a.png", "/data/local-files/?d=a.png"). Other texts are returned
/// unchanged.
std::string image_of_address(std::string_view text);

}  // namespace assay::crowd
