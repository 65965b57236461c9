// The readers of each layout, and what they share.
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

/// The names of columns and fields, in lower case; of several that are there the first counts.
using Words = std::initializer_list<std::string_view>;
inline const Words item_words = {"item",      "image",     "picture", "path",    "filename",
                                 "file",      "file_name", "img",     "photo",   "image_path",
                                 "image_url", "image_id",  "url",     "item_id", "task"};
inline const Words label_words = {"label", "class", "category", "labels"};
inline const Words answer_words = {"answer", "vote", "response", "choice", "annotation"};
/// What may be an answer, too, beside a class.
inline const Words doubtful_words = {
    "selected", "correct", "is_correct", "fits",     "valid",  "applies", "present", "agree",
    "decision", "verdict", "judgement",  "judgment", "rating", "score",   "value",   "result"};
/// What tools write beside these, and no class of a table with a column per class.
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

/// Trimmed and in lower case.
std::string plain_name(std::string_view text);
bool is_among(std::string_view name, Words words);

/// Rows, tasks and marks that are not counted, by what they are.
class LeftOut {
public:
    void add(std::string_view what, std::uint64_t n = 1) {
        if (n > 0) counts_[std::string(what)] += n;
    }
    /// One sentence where there are any.
    void note(const std::string& source, std::vector<std::string>& notes) const;

private:
    std::map<std::string, std::uint64_t> counts_;
};

/// What was read. `taken`: what was taken for what, "image: column item; ...".
Reading reading_of(Layout layout, bool which_class, const std::string& source,
                   std::string_view taken, const LeftOut& left_out);
/// Whom votes are of, where an attribute of each may name an annotator.
std::string_view annotator_of_attribute(bool unnamed);

/// All tasks of a file ask about a class, or none does.
class OneKind {
public:
    /// `label`: the class that was asked about, or "". Throws bad_input where it is of the other
    /// kind than those before.
    void check(std::string_view label, const Where& where);
    bool asks() const { return asked_.value_or(false); }
    bool which_class() const { return !asks(); }

private:
    std::optional<bool> asked_;
};

/// The first field of these names with a text or a number in it, else ""; its name in `name`.
std::string field_among(const nlohmann::json& object, Words words, std::string* name = nullptr);
/// What a JSON value chose: a text, a number, a list of them, {"choices": ...}, {"label": ...},
/// {"cat": true, "dog": false}, or any of these as the one member of an object.
std::vector<std::string> chosen_in(const nlohmann::json& value);
/// A text, a number, true or false as text; "" of others. 1.0 is "1".
std::string scalar_in(const nlohmann::json& value);

/// A vote of each class that was chosen: none is counted as left out; several answers to whether a
/// class fits are a problem.
void give(const Sink& sink, Vote vote, const std::vector<std::string>& chosen, const Where& where,
          LeftOut& left_out);

/// Throws bad_input where another column may be the answer to whether `label` fits, so that it
/// would not be the class chosen.
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
