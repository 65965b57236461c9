#include <fmt/format.h>

#include <algorithm>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/refuse.h"
#include "mad/question_rows.h"
#include "mad/question_texts.h"
#include "mad/shown_questions.h"

namespace assay::mad {

ShownQuestions::ShownQuestions(const Competition& competition)
    : competition_(competition),
      images_(read_images(competition.impl().database)),
      names_(names_for_people(competition)) {}

OpenQuestion ShownQuestions::of(const QuestionRow& row, const QuestionTally& tally) const {
    const auto image = images_.find(row.image);
    if (image == images_.end() || row.label >= names_.size())
        refuse(fmt::format("{}: question {} has no image or class",
                           competition_.impl().database.path().string(), row.token));
    OpenQuestion shown;
    shown.token = row.token;
    shown.image = image->second.id;
    // Imported scores identify images by id only.
    shown.relative_path = image->second.path.empty() ? image->second.id : image->second.path;
    shown.below = row.image >= 0 || std::filesystem::path(shown.relative_path).is_relative();
    shown.path = competition_.image_root() / shown.relative_path;
    shown.label = competition_.classes().id(row.label);
    shown.label_name = names_[row.label];
    shown.answers = static_cast<std::uint32_t>(tally.answers.size());
    const std::uint32_t votes = competition_.settings().votes;
    shown.wanted = shown.answers < votes ? votes - shown.answers : 0;
    return shown;
}

bool asked_before(const QuestionRow& one, const QuestionRow& other) {
    return one.turn != other.turn ? one.turn < other.turn : one.token < other.token;
}

std::vector<std::size_t> open_places(const Competition& competition, const Tally& tally) {
    const std::set<QuestionKey> wanted = wanted_questions(competition, tally);
    std::vector<std::size_t> open;
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        const QuestionRow& row = tally.questions[q];
        if (tally.of[q].settled) continue;
        if (row.gold || wanted.count({row.image, row.label}) > 0) open.push_back(q);
    }
    std::sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return asked_before(tally.questions[a], tally.questions[b]);
    });
    return open;
}

std::vector<OpenQuestion> open_questions(const Competition& competition) {
    const Tally tally = tally_of(competition);
    const ShownQuestions shown(competition);
    std::vector<OpenQuestion> questions;
    for (const std::size_t q : open_places(competition, tally))
        questions.push_back(shown.of(tally.questions[q], tally.of[q]));
    return questions;
}

namespace {

/// Writes a question for answers in a spreadsheet.
struct QuestionToAnswer {
    const OpenQuestion* of;
};
ResultType result_type(ResultOf<QuestionToAnswer>) {
    using Of = QuestionToAnswer;
    static constexpr auto rows = describe_result<Of>(
        {.name = "QuestionToAnswer", .columns = "question,image,path,label,name,answers,wanted"},
        {
            part<&Of::of, &OpenQuestion::token>({.name = "question"}),
            part({.name = "image"}, [](const Of& o) { return for_spreadsheet(o.of->image); }),
            part({.name = "path"},
                 [](const Of& o) { return for_spreadsheet(o.of->path.string()); }),
            part({.name = "label"}, [](const Of& o) { return for_spreadsheet(o.of->label); }),
            part({.name = "name"}, [](const Of& o) { return for_spreadsheet(o.of->label_name); }),
            part<&Of::of, &OpenQuestion::answers>({}),
            part<&Of::of, &OpenQuestion::wanted>({}),
        });
    return rows;
}

}  // namespace

std::string questions_csv(const std::vector<OpenQuestion>& questions) {
    std::string text;
    DescribedCsv<QuestionToAnswer> csv(text);
    for (const OpenQuestion& question : questions) csv.add({&question});
    return text;
}

void check_holds_no_answers(const std::filesystem::path& file) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(file, unknown)) return;
    bool holds = false;
    try {
        const MappedFile bytes(file);
        const CsvReader header(bytes.text(), file.string());
        // The columns are those that read_answers_into() accepts.
        holds = header.find_column({"answer", "choice"}).has_value();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;  // a file that is no csv has no answers
    }
    if (!holds) return;
    throw Error(ErrorCode::usage,
                fmt::format("{} has a column of answers, which questions would overwrite; import "
                            "them with `assay mad answers`, and write questions to another file",
                            file.string()));
}

}  // namespace assay::mad
