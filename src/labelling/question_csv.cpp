#include "labelling/question_csv.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/hash.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"
#include "data/text_numbers.h"
#include "labelling/definition_files.h"
#include "labelling/question_columns.h"
#include "labelling/shown_text.h"
#include "mad/answer_readers.h"
#include "study/table_csv.h"

namespace assay::labelling {
namespace {

constexpr std::size_t most_questions = std::size_t{1} << 30;

/// The rows' data about an image or a label, and the line where each was first given.
struct ImageFacts {
    std::uint32_t path = UINT32_MAX;
    std::uint64_t line = 0;
};
struct LabelFacts {
    LabelText text;
    std::string synonyms;
    std::uint64_t name_line = 0, definition_line = 0, synonyms_line = 0;
};

class QuestionCsv {
public:
    QuestionCsv(std::string_view text, const std::string& source, Task task)
        : row_(text, source),
          source_(source),
          columns_(question_columns(row_, task, set_.warnings)) {
        batches_("");
    }

    QuestionSet read() {
        while (row_.next()) take_row();
        if (set_.questions.empty()) refuse(fmt::format("{}: it holds no question", source_));
        if (columns_.of_annotators && batch_contradicted_) forget_batches();
        set_.images = images_.take();
        for (const ImageFacts& image : image_facts_) set_.path_of.push_back(image.path);
        set_.paths = paths_.take();
        set_.batches = batches_.take();
        for (LabelFacts& label : label_facts_) {
            label.text.synonyms = parts_of_synonyms(label.synonyms);
            set_.labels.push_back(std::move(label.text));
        }
        return std::move(set_);
    }

private:
    void take_row() {
        if (is_blank()) return;
        if (is_header(columns_.item) && is_header(columns_.label))
            throw row_.error("the header appears here again; remove it if you join tables");
        CsvQuestion question;
        question.line = row_.line();
        question.image = image_of_row();
        question.label = label_of_row();
        question.known = known_of_row();
        if (question.known) question.known_line = question.line;
        if (columns_.batch) question.batch = batches_(shown(*columns_.batch, most_bytes_of_ids));
        const auto next = static_cast<std::uint32_t>(set_.questions.size());
        const auto [at, is_new] =
            there_.try_emplace(std::uint64_t{question.image} << 32 | question.label, next);
        if (!is_new) {
            merge(set_.questions[at->second], question);
            return;
        }
        if (set_.questions.size() >= most_questions) throw row_.error("more than 2^30 questions");
        set_.questions.push_back(question);
    }

    void merge(CsvQuestion& first, const CsvQuestion& again) {
        if (first.known && again.known && *first.known != *again.known) {
            throw row_.error(fmt::format("`{}` is {} of `{}` here, but line {} says {}",
                                         row_text(columns_.label), *again.known ? "true" : "false",
                                         row_text(columns_.item), first.known_line,
                                         *first.known ? "true" : "false"));
        }
        if (!first.known && again.known) {
            first.known = again.known;
            first.known_line = again.line;
        }
        if (first.batch == again.batch) return;
        if (!columns_.of_annotators) {
            throw row_.error(
                fmt::format("the question about `{}` and `{}` is also in line {}, in another batch",
                            row_text(columns_.item), row_text(columns_.label), first.line));
        }
        batch_contradicted_ = true;
    }

    /// Annotators saw the same images in different grids, so these grids are not used.
    void forget_batches() {
        for (CsvQuestion& question : set_.questions) question.batch = 0;
        set_.warnings.emplace_back(
            "annotators saw the same image in different batches, so the batches are ignored and "
            "images are grouped again");
    }

    std::uint32_t image_of_row() {
        const std::uint32_t image = images_(id_in(columns_.item));
        if (image == image_facts_.size()) image_facts_.emplace_back();
        ImageFacts& facts = image_facts_[image];
        std::string path = field_in(columns_.path ? *columns_.path : columns_.item);
        if (path.empty()) path = field_in(columns_.item);
        if (path.size() > most_bytes_of_texts)
            throw row_.error(fmt::format("the path has {} bytes; at most {} are allowed",
                                         path.size(), most_bytes_of_texts));
        const std::uint32_t number = paths_(path);
        if (facts.path != UINT32_MAX && facts.path != number) {
            throw row_.error(fmt::format("the path of `{0}` is `{1}`, but `{3}` in line {2}",
                                         row_text(columns_.item), shortened(path), facts.line,
                                         shortened(paths_.texts()[facts.path])));
        }
        if (facts.path == UINT32_MAX) facts = {.path = number, .line = row_.line()};
        return image;
    }

    std::uint32_t label_of_row() {
        const std::uint32_t label = labels_(id_in(columns_.label));
        if (label == label_facts_.size()) {
            if (label == most_labels)
                throw row_.error(fmt::format("more than {} labels", most_labels));
            label_facts_.emplace_back().text.id = labels_.texts()[label];
        }
        LabelFacts& facts = label_facts_[label];
        take_fact(columns_.name, most_bytes_of_ids, facts.text.name, facts.name_line);
        take_fact(columns_.definition, most_bytes_of_texts, facts.text.definition,
                  facts.definition_line);
        take_fact(columns_.synonyms, most_bytes_of_texts, facts.synonyms, facts.synonyms_line);
        return label;
    }

    void take_fact(std::optional<std::size_t> from, std::size_t most, std::string& fact,
                   std::uint64_t& line) {
        if (!from || row_[*from].empty() || row_[*from] == fact) return;
        const std::size_t column = *from;
        std::string text = shown(column, most);
        if (text.empty() || text == fact) return;
        if (line > 0) {
            throw row_.error(fmt::format("the {} of `{}` is `{}` here, but line {} has `{}`",
                                         trimmed(row_.columns()[column]), row_text(columns_.label),
                                         shortened(text), line, shortened(fact)));
        }
        fact = std::move(text);
        line = row_.line();
    }

    std::optional<bool> known_of_row() const {
        std::optional<bool> known;
        if (columns_.known) {
            const std::string_view text = trimmed(row_[*columns_.known]);
            const auto said = mad::answer_named(text);
            const bool clear = said && *said != Answer::cannot_say;
            if (!text.empty() && !clear) {
                throw row_.error(
                    fmt::format("the known answer `{}` is neither yes nor no; empty: "
                                "it is not known",
                                shortened(text)));
            }
            if (clear) known = *said == Answer::yes;
        }
        if (!columns_.control) return known;
        const std::string_view text = trimmed(row_[*columns_.control]);
        const auto said = mad::answer_named(text);
        if (!text.empty() && (!said || *said == Answer::cannot_say))
            throw row_.error(fmt::format("control `{}` is neither 0 nor 1", shortened(text)));
        if (text.empty() || *said == Answer::no) return known;
        if (known == true)
            throw row_.error(
                "control is 1 (the image does not show the label), but the answer is yes");
        return false;
    }

    /// The text before a spreadsheet program changed it; for votes, also without outer blanks.
    std::string field_in(std::size_t column) const {
        return std::string(trimmed(study::from_spreadsheet(trimmed(row_[column]))));
    }
    /// An id in the current row.
    std::string id_in(std::size_t column) const {
        std::string text = field_in(column);
        if (text.empty())
            throw row_.error(fmt::format("the {} is empty", trimmed(row_.columns()[column])));
        check_text(text, most_bytes_of_ids, column);
        return text;
    }
    /// A text to show to annotators in the current row.
    std::string shown(std::size_t column, std::size_t most) const {
        std::string text = on_one_line(field_in(column));
        check_text(text, most, column);
        return text;
    }
    void check_text(std::string_view text, std::size_t most, std::size_t column) const {
        if (const std::string fault = fault_of_text(text, most); !fault.empty())
            throw row_.error(fmt::format("the {} {}", trimmed(row_.columns()[column]), fault));
    }
    /// Spreadsheets add such rows at the end.
    bool is_blank() const {
        for (std::size_t column = 0; column < row_.fields(); ++column)
            if (!trimmed(row_[column]).empty()) return false;
        return true;
    }
    bool is_header(std::size_t column) const {
        return trimmed(row_[column]) == trimmed(row_.columns()[column]);
    }
    /// Text for messages.
    std::string row_text(std::size_t column) const { return shortened(trimmed(row_[column])); }

    QuestionSet set_;
    CsvReader row_;
    std::string source_;
    QuestionColumns columns_;
    TextNumbers images_, paths_, labels_, batches_;
    std::vector<ImageFacts> image_facts_;
    std::vector<LabelFacts> label_facts_;
    std::unordered_map<std::uint64_t, std::uint32_t> there_;
    bool batch_contradicted_ = false;
};

/// The questions behind the votes of a labeling tool, as a table of unique questions.
std::string questions_of_votes(std::string_view text, crowd::Layout layout,
                               const std::string& source, std::vector<std::string>& notes) {
    std::string table;
    CsvWriter csv(table);
    csv.row({"item", "label"});
    TextNumbers items, labels;
    std::unordered_set<std::uint64_t> there;
    const crowd::Sink sink{
        .take =
            [&](const crowd::Vote& vote, const crowd::Where&) {
                const std::string item = crowd::image_of_address(vote.item);
                const std::string_view label = vote.label.empty() ? vote.answer : vote.label;
                if (there.insert(std::uint64_t{items(item)} << 32 | labels(label)).second)
                    csv.row({item, label});
            },
        .problem = [](std::string_view, const crowd::Where& message) { refuse(message()); }};
    notes = crowd::read_votes(text, layout, source, sink).notes;
    return table;
}

}  // namespace

QuestionSet read_question_csv(std::string_view text, const std::string& source, Task task) {
    const crowd::Layout layout = crowd::layout_of(text);
    // In a table with a column per person, each row is a question, even if it is unanswered.
    const bool people =
        layout == crowd::Layout::people && !CsvReader(text, source).find_column({"label", "class"});
    if (!people && !crowd::is_of_a_tool(layout)) return QuestionCsv(text, source, task).read();
    std::vector<std::string> notes;
    const std::string table = questions_of_votes(text, layout, source, notes);
    QuestionSet set = QuestionCsv(table, source, task).read();
    set.warnings.insert(set.warnings.begin(), notes.begin(), notes.end());
    return set;
}

std::string fingerprint_of(const QuestionSet& set) {
    Hasher hasher;
    for (const CsvQuestion& question : set.questions) {
        hasher.add_field(set.images[question.image]);
        hasher.add_field(set.paths[set.path_of[question.image]]);
        hasher.add_field(set.labels[question.label].id);
        hasher.add_field(set.batches[question.batch]);
        hasher.add_field(!question.known ? "" : *question.known ? "yes" : "no");
    }
    return hasher.digest();
}

}  // namespace assay::labelling
