// The readers of the layouts, and their shared code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/csv.h"
#include "data/crowd/crowd.h"

namespace assay::crowd {

/// The names of columns and fields, in lower case. If several are present, the first counts.
using Words = std::initializer_list<std::string_view>;
inline const Words item_words = {"item",      "image",     "picture", "path",    "filename",
                                 "file",      "file_name", "img",     "photo",   "image_path",
                                 "image_url", "image_id",  "url",     "item_id", "task"};
inline const Words label_words = {"label", "class", "category", "labels"};
inline const Words answer_words = {"answer", "vote", "response", "choice", "annotation"};
/// Fields that may be the answer when there is a class.
inline const Words doubtful_words = {
    "selected", "correct", "is_correct", "fits",     "valid",  "applies", "present", "agree",
    "decision", "verdict", "judgement",  "judgment", "rating", "score",   "value",   "result"};
/// Other fields that tools write. In a table with a column per class, these are no classes.
inline const Words other_words = {"id",
                                  "at",
                                  "time",
                                  "created_at",
                                  "updated_at",
                                  "question",
                                  "token",
                                  "lead_time",
                                  "batch",
                                  "timestamp",
                                  "annotation_id",
                                  "question_id",
                                  "agreement",
                                  "confidence",
                                  "comment",
                                  "key",
                                  "duration",
                                  "project",
                                  "image_id",
                                  "task_id",
                                  "item_id",
                                  "exported_annotations"};

/// Returns the text trimmed and in lower case.
std::string plain_name(std::string_view text);
bool is_among(std::string_view name, Words words);

/// Counts rows, tasks and marks that are not used, by kind.
class LeftOut {
public:
    void add(std::string_view what, std::uint64_t n = 1) {
        if (n > 0) counts_[std::string(what)] += n;
    }
    /// Adds one sentence if there are any.
    void note(const std::string& source, std::vector<std::string>& notes) const;

private:
    std::map<std::string, std::uint64_t> counts_;
};

/// The summary of a file. `taken` says how columns were interpreted: "image: column item; ...".
Reading reading_of(Layout layout, bool which_class, const std::string& source,
                   std::string_view taken, const LeftOut& left_out);
/// The annotator of votes, if an attribute of each may name one.
std::string_view annotator_of_attribute(bool unnamed);

/// Checks that all tasks of a file ask about a class, or that none does.
class OneKind {
public:
    /// `label` is the class that was asked about, or "". Throws bad_input if this differs from the
    /// earlier votes.
    void check(std::string_view label, const Where& where);
    bool asks() const { return asked_.value_or(false); }
    bool which_class() const { return !asks(); }

private:
    std::optional<bool> asked_;
};

/// The first of these fields that has a text or a number, else "". Its name goes to `name`.
std::string field_among(const nlohmann::json& object, Words words, std::string* name = nullptr);
/// The choices in a JSON value: a text, a number, a list of them, {"choices": ...}, {"label": ...},
/// or {"cat": true, "dog": false}. Also accepts one of these as the only member of an object.
std::vector<std::string> chosen_in(const nlohmann::json& value);
/// A text, number or boolean as text; "" for other values. 1.0 becomes "1".
std::string scalar_in(const nlohmann::json& value);

/// Passes on a vote for each chosen class. A vote without a choice counts as unused. Several
/// answers to whether a class fits are a problem.
void give(const Sink& sink, Vote vote, const std::vector<std::string>& chosen, const Where& where,
          LeftOut& left_out);

/// Throws bad_input if another column may answer whether `label` fits, because then the label is
/// not the chosen class.
void refuse_doubtful(const CsvReader& table, std::size_t label, const std::string& source);
Reading read_table(std::string_view text, const std::string& source, Layout layout,
                   const Sink& sink);
Layout layout_of_table(std::string_view text);
Reading read_zooniverse(std::string_view text, const std::string& source, const Sink& sink);
Reading read_label_studio_tasks(std::string_view text, const std::string& source, const Sink& sink);
Reading read_records(std::string_view text, const std::string& source, const Sink& sink);
Reading read_ground_truth(std::string_view text, const std::string& source, const Sink& sink);
Reading read_consolidation(std::string_view text, const std::string& source, const Sink& sink);
Reading read_datumaro(std::string_view text, const std::string& source, const Sink& sink);
Reading read_cvat(std::string_view text, const std::string& source, const Sink& sink);

}  // namespace assay::crowd
