// Reads answers in a table with one answer per row.
#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "containers/csv.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"
#include "study/tags.h"

namespace assay::mad {

void refuse_exported(std::string_view count, const std::string& where) {
    if (count.empty() || count == "0") return;
    refuse(
        fmt::format("{}: the task contains {} imported annotations, and this format does not name "
                    "their annotators; export as JSON",
                    where, shortened(count, 20)));
}

void read_answers_csv(std::string_view text, const std::string& source, AnswerSink& sink) {
    CsvReader row(text, source);
    const auto columns = [&row](std::initializer_list<std::string_view> names) {
        std::vector<std::size_t> found;
        for (const std::string_view name : names)
            if (const auto column = row.find_column({name})) found.push_back(*column);
        return found;
    };
    // Label Studio's table has the words of the question in `question`, and its id in another
    // column.
    const auto token = columns({"question_id", "token", "question"});
    const auto image = columns({"image_id", "image", "path"});
    const auto label = columns({"label", "class"});
    if (token.empty() && (image.empty() || label.empty()))
        row.column({"question"});  // throws an error that lists the existing columns
    const std::size_t answer = row.column({"answer", "choice"});
    const auto annotator = columns({"annotator", "annotator_id", "worker", "user"});
    const auto time = columns({"at", "updated_at", "time", "created_at"});
    const auto made = columns({"created_at"});
    const auto key = columns({"key"});
    const auto exported = columns({exported_annotations});
    const auto annotation = columns({"annotation_id"});
    const auto tags = columns({"tags"});
    // The first text that is not empty.
    const auto of = [&row](const std::vector<std::size_t>& places) {
        for (const std::size_t column : places)
            if (const std::string_view field = trimmed(row[column]); !field.empty())
                return from_spreadsheet(field);
        return std::string();
    };
    constexpr std::size_t often = 1024;
    for (std::size_t rows = 0; row.next(); ++rows) {
        if (rows % often == 0) throw_if_stopped();
        const std::string said = from_spreadsheet(trimmed(row[answer]));
        FoundAnswer found;
        found.where = row.where();
        found.question = of(token);
        found.image = of(image);
        found.label = of(label);
        found.annotator = of(annotator);
        found.key = of(key);
        found.annotation = of(annotation);
        refuse_exported(of(exported), found.where);
        if (says_nothing(said)) {
            ++sink.skipped;
            if (found.annotation.empty()) continue;
            found.at = utc_time_in(of(time), found.where);
            found.made = utc_time_in(of(made), found.where);
            found.taken_back = true;
            sink.found(found);
            continue;
        }
        const std::optional<Answer> known = answer_named(said);
        if (!known) {
            refuse(fmt::format("{}: the answer is `{}`; allowed: {}", found.where, shortened(said),
                               known_answers()));
        }
        found.answer = *known;
        found.at = utc_time_in(of(time), found.where);
        if (!found.annotation.empty()) found.made = utc_time_in(of(made), found.where);
        found.tags =
            study::checked_tags(study::tags_in(of(tags)), found.where + ": the column `tags`");
        sink.found(found);
    }
}

namespace {

/// Reads the answers of a service, and tables with a column per person. Image and label identify
/// the question.
void read_crowd(std::string_view text, crowd::Layout layout, const std::string& source,
                AnswerSink& sink) {
    const crowd::Sink votes{
        .take =
            [&](const crowd::Vote& vote, const crowd::Where& where) {
                FoundAnswer found;
                found.where = where();
                if (vote.label.empty()) {
                    refuse(
                        fmt::format("{}: the answer is the class `{}`, but no column names the "
                                    "class that was asked about; allowed: {}",
                                    found.where, shortened(vote.answer), known_answers()));
                }
                found.image = vote.item;
                found.label = vote.label;
                found.annotator = vote.annotator;
                if (says_nothing(vote.answer)) {
                    ++sink.skipped;
                    return;
                }
                const std::optional<Answer> known = answer_named(vote.answer);
                if (!known) {
                    refuse(fmt::format("{}: the answer is `{}`; allowed: {}", found.where,
                                       shortened(vote.answer), known_answers()));
                }
                found.answer = *known;
                sink.found(found);
            },
        .problem = [](std::string_view, const crowd::Where& message) { refuse(message()); }};
    crowd::read_votes(text, layout, source, votes);
}

}  // namespace

void read_found_answers(std::string_view text, const std::string& source, AnswerSink& sink) {
    std::string_view begin = text;
    if (begin.starts_with("\xEF\xBB\xBF")) begin.remove_prefix(3);
    const std::size_t first = begin.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) refuse(fmt::format("{}: it is empty", source));
    const crowd::Layout layout = crowd::layout_of(text);
    const bool own_reader = layout == crowd::Layout::none || layout == crowd::Layout::table ||
                            layout == crowd::Layout::label_studio ||
                            layout == crowd::Layout::records;
    if (!own_reader) {
        read_crowd(text, layout, source, sink);
    } else if (begin[first] == '[' || begin[first] == '{') {
        read_label_studio(text, source, sink);
    } else {
        read_answers_csv(text, source, sink);
    }
}

}  // namespace assay::mad
