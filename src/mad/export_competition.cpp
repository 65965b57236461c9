// Exports all data of a competition as tables and as Label Studio's tasks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_readers.h"
#include "mad/answers_result.h"
#include "mad/label_studio.h"
#include "mad/question_rows.h"
#include "mad/question_texts.h"
#include "mad/shown_questions.h"

namespace assay::mad {
namespace {

constexpr std::array<std::string_view, 8> exported_names = {
    "classifiers.csv", "selected.csv",  "control.csv",      "questions.csv",
    "answers.csv",     "decisions.csv", "annotations.json", "config.xml"};
/// The list of files that an export wrote here.
constexpr std::string_view export_manifest = "export.json";

constexpr const char* classifiers_query =
    "SELECT number, name, store, threshold / 200.0 AS threshold, scored, confident, active "
    "FROM classifier ORDER BY number";
constexpr const char* control_query =
    "SELECT image.id AS image, path, stratum, stratum_images, stratum_sample FROM control "
    "JOIN image ON image.number = control.image ORDER BY stratum, control.image";
constexpr const char* decisions_query =
    "SELECT at, kind, subject, value, reason FROM decision ORDER BY id";

std::string shown_outcome(const QuestionTally* question) {
    if (question == nullptr || !question->known()) return "";
    return question->outcome.unclear ? "unclear" : question->outcome.yes ? "yes" : "no";
}

/// A selected image and the answers about it.
struct SelectedImage {
    std::string first, second;  ///< classifiers
    const SelectedRow* row;
    std::string image, path, first_label, second_label;
    std::string first_correct, second_correct;  ///< "yes", "no", "unclear"; "" if not known
    std::string_view known_case;
};
ResultType result_type(ResultOf<SelectedImage>) {
    using Of = SelectedImage;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SelectedImage",
         .columns = "first,second,place,image,path,first_label,second_label,distance,confidence,"
                    "state,asked,first_correct,second_correct,case"},
        {
            part<&Of::first>({}),
            part<&Of::second>({}),
            part<&Of::row, &SelectedRow::place>({}),
            part<&Of::image>({}),
            part<&Of::path>({}),
            part<&Of::first_label>({}),
            part<&Of::second_label>({}),
            part({.name = "distance"},
                 [](const Of& o) { return o.row->units * ClassDistances::unit; }),
            part({.name = "confidence"},
                 [](const Of& o) {
                     return o.row->confidence / static_cast<double>(confidence_levels);
                 }),
            part({.name = "state"}, [](const Of& o) { return name_of(o.row->state); }),
            part({.name = "asked"}, [](const Of& o) { return o.row->asked ? 1 : 0; }),
            part<&Of::first_correct>({}),
            part<&Of::second_correct>({}),
            part<&Of::known_case>({.name = "case"}),
        });
    return rows;
}

std::string selected_table(const Competition& competition, const Tally& tally) {
    std::string text;
    DescribedCsv<SelectedImage> csv(text);
    const Database& database = competition.impl().database;
    const std::map<std::int64_t, ImageRow> images = read_images(database);
    std::map<std::int64_t, PairRow> pairs;
    for (const PairRow& pair : read_pairs(database)) pairs[pair.id] = pair;
    for (const SelectedRow& row : read_selected(database)) {
        const PairRow& pair = pairs.at(row.pair);
        const std::optional<Case> known = case_of_place(tally, row);
        csv.add({for_spreadsheet(competition.classifiers().at(pair.first).name),
                 for_spreadsheet(competition.classifiers().at(pair.second).name), &row,
                 for_spreadsheet(images.at(row.image).id),
                 for_spreadsheet(images.at(row.image).path),
                 for_spreadsheet(competition.classes().id(row.first_label)),
                 for_spreadsheet(competition.classes().id(row.second_label)),
                 shown_outcome(tally.find(row.image, row.first_label)),
                 shown_outcome(tally.find(row.image, row.second_label)),
                 known ? name_of(*known) : std::string_view()});
    }
    return text;
}

/// A question and the annotators' answers.
struct ExportedQuestion {
    std::string question, image, path, label, name, gold;
    std::uint64_t yes, no, cannot_say;
    int settled, open;
    std::string outcome;
};
ResultType result_type(ResultOf<ExportedQuestion>) {
    using Of = ExportedQuestion;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ExportedQuestion",
         .columns = "question,image,path,label,name,gold,yes,no,cannot_say,settled,open,outcome"},
        {part<&Of::question>({}), part<&Of::image>({}), part<&Of::path>({}), part<&Of::label>({}),
         part<&Of::name>({}), part<&Of::gold>({}), part<&Of::yes>({}), part<&Of::no>({}),
         part<&Of::cannot_say>({}), part<&Of::settled>({}), part<&Of::open>({}),
         part<&Of::outcome>({})});
    return rows;
}

std::string asked_table(const Competition& competition, const Tally& tally) {
    const ShownQuestions shown(competition);
    const std::vector<std::size_t> open = open_places(competition, tally);
    const std::set<std::size_t> is_open(open.begin(), open.end());
    std::string text;
    DescribedCsv<ExportedQuestion> csv(text);
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        const OpenQuestion question = shown.of(tally.questions[q], tally.of[q]);
        std::array<std::uint64_t, 3> said{};
        for (const AnswerRow& row : tally.of[q].answers)
            ++said[static_cast<std::size_t>(row.answer)];
        const std::optional<bool> gold = tally.questions[q].gold;
        csv.add({question.token, for_spreadsheet(question.image),
                 for_spreadsheet(question.relative_path), for_spreadsheet(question.label),
                 for_spreadsheet(question.label_name), gold ? (*gold ? "yes" : "no") : "", said[1],
                 said[0], said[2], tally.of[q].settled ? 1 : 0, is_open.count(q) > 0 ? 1 : 0,
                 shown_outcome(&tally.of[q])});
    }
    return text;
}

/// The tasks of all questions, with the answers that count.
std::string annotations_json(const Competition& competition, const Tally& tally,
                             std::string_view prefix, bool users) {
    const ShownQuestions shown(competition);
    const Database& database = competition.impl().database;
    std::map<std::int64_t, std::string> annotators;
    for (const AnnotatorRow& row : read_annotators(database)) annotators[row.id] = row.name;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> times;
    for (Statement row =
             database.prepare("SELECT question, annotator, at FROM answer WHERE counts = 1");
         row.step();) {
        times[{row.integer(0), row.integer(1)}] = row.text(2);
    }
    std::string text = "[";
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        nlohmann::json task = label_studio_task(shown.of(tally.questions[q], tally.of[q]), prefix);
        task["annotations"] = nlohmann::json::array();
        for (const AnswerRow& row : tally.of[q].answers) {
            const std::string& name = annotators.at(row.annotator);
            nlohmann::json result = label_studio_result(row.answer);
            result["id"] = fmt::format("{}-{}", tally.questions[q].token, row.annotator);
            result["meta"] = {{"annotator", name}};
            nlohmann::json annotation = {{"result", nlohmann::json::array({std::move(result)})},
                                         {"was_cancelled", false},
                                         {"created_at", times[{row.question, row.annotator}]}};
            // Label Studio refuses the whole file if it does not know one of the users, and
            // attributes answers without a user to the importer.
            if (users && name.find('@') != std::string::npos)
                annotation["completed_by"] = {{"email", name}};
            task["annotations"].push_back(std::move(annotation));
        }
        if (const std::size_t count = task["annotations"].size(); count > 0)
            task["data"][std::string(exported_annotations)] = count;
        text += q == 0 ? "\n" : ",\n";
        text += json_line(task);
    }
    return text + "\n]\n";
}

ExportHashes read_export_hashes(const std::filesystem::path& file) {
    if (!is_there(file)) return {};
    const std::string where = file.string();
    nlohmann::json manifest;
    try {
        manifest = parse_json(read_text(file), 4);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        refuse(fmt::format("{}: {}; name a new folder", where, error.what()));
    }
    ExportHashes hashes;
    const auto files = manifest.is_object() ? manifest.find("files") : manifest.end();
    if (!manifest.is_object() || files == manifest.end() || !files->is_object())
        refuse(where + ": it does not list the files of an export; name a new folder");
    for (const auto& [name, listed] : files->items()) {
        if (!listed.is_array()) refuse(where + ": damaged; name a new folder");
        for (const nlohmann::json& hash : listed)
            if (hash.is_string()) hashes[name].push_back(hash.get<std::string>());
    }
    return hashes;
}

void write_export_hashes(const std::filesystem::path& file, const ExportHashes& hashes) {
    write_file_atomically(file, json_of(ExportManifest{hashes}).dump(1) + "\n");
}

/// Tables with these names may be the user's own, or edited exports. So only unchanged files from
/// an export are replaced.
void check_export_folder(const std::filesystem::path& folder, const ExportHashes& known) {
    if (!is_there(folder)) return;
    if (!is_folder(folder))
        throw Error(ErrorCode::usage, fmt::format("{} is not a folder", folder.string()));
    for (const std::filesystem::path& entry : entries_of(folder)) {
        const std::string name = entry.filename().string();
        if (name == export_manifest || is_stale_temporary(name)) continue;
        if (std::find(exported_names.begin(), exported_names.end(), name) == exported_names.end()) {
            throw Error(
                ErrorCode::usage,
                fmt::format("{} holds `{}`, which does not belong to an export; name a new folder",
                            folder.string(), shortened(name)));
        }
        const auto found = known.find(name);
        if (is_folder(entry) || found == known.end() ||
            std::find(found->second.begin(), found->second.end(), hash_file(entry)) ==
                found->second.end()) {
            throw Error(
                ErrorCode::usage,
                fmt::format("{} holds a `{}` that was changed after the export; name a new folder",
                            folder.string(), name));
        }
    }
}

}  // namespace

ResultType result_type(ResultOf<ExportManifest>) {
    static constexpr auto rows = describe_result<ExportManifest>(
        {.name = "MadExportManifest",
         .help = "`export.json` of a folder that `assay mad export` wrote",
         .schema = "assay.mad_export_files/1"},
        {part<&ExportManifest::files>({.help = "Hashes of the allowed contents of each file"})});
    return rows;
}

std::vector<std::filesystem::path> export_competition(const Competition& competition,
                                                      const std::filesystem::path& folder,
                                                      std::string_view prefix, bool users) {
    const std::filesystem::path manifest = folder / export_manifest;
    const ExportHashes known = read_export_hashes(manifest);
    check_export_folder(folder, known);
    const Database& database = competition.impl().database;
    const Tally tally = tally_of(competition);
    const std::array<std::string, exported_names.size()> texts = {
        study::csv_of(database, {classifiers_query}),
        selected_table(competition, tally),
        study::csv_of(database, {control_query}),
        asked_table(competition, tally),
        study::answers_csv(database),
        study::csv_of(database, {decisions_query}),
        annotations_json(competition, tally, prefix, users),
        label_studio_config()};
    make_folders(folder);
    // Lists both old and new files during replacement, so that an interrupted export can be
    // repeated.
    ExportHashes now, both = known;
    for (std::size_t f = 0; f < texts.size(); ++f) {
        const std::string name(exported_names[f]), hash = hash_text(texts[f]);
        now[name] = {hash};
        both[name].push_back(hash);
    }
    write_export_hashes(manifest, both);
    std::vector<std::filesystem::path> files;
    for (std::size_t f = 0; f < texts.size(); ++f) {
        files.push_back(folder / exported_names[f]);
        write_file_atomically(files.back(), texts[f]);
    }
    write_export_hashes(manifest, now);
    files.push_back(manifest);
    return files;
}

}  // namespace assay::mad
