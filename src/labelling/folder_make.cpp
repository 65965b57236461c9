// Creates a folder of questions: under a temporary name, which is then renamed.
#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/labelling/folder.h"
#include "core/file.h"
#include "core/folder_aside.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/text.h"
#include "labelling/class_definitions.h"
#include "labelling/folder_images.h"
#include "labelling/folder_settings.h"
#include "labelling/screens.h"
#include "study/asked_rows.h"
#include "study/decisions.h"
#include "study/study_file.h"

namespace assay::labelling {
namespace {

std::string hash_of_texts(const std::vector<LabelText>& texts) {
    Hasher hasher;
    for (const LabelText& text : texts) {
        for (const std::string* part : {&text.id, &text.name, &text.definition})
            hasher.add_field(*part);
        hasher.add_field(fmt::to_string(text.synonyms.size()));
        for (const std::string& synonym : text.synonyms) hasher.add_field(synonym);
    }
    return hasher.digest();
}

void insert_labels(Database& database, const std::vector<LabelText>& labels) {
    Statement insert = database.prepare(
        "INSERT INTO class (number, id, name, definition, synonyms) VALUES (?, ?, ?, ?, ?)");
    for (std::size_t l = 0; l < labels.size(); ++l) {
        std::string synonyms;
        for (const std::string& synonym : labels[l].synonyms) {
            if (!synonyms.empty()) synonyms += '\n';
            synonyms += synonym;
        }
        insert.run(l, labels[l].id, labels[l].name, labels[l].definition, synonyms);
    }
}

void insert_images(Database& database, const QuestionSet& set) {
    Statement insert = database.prepare("INSERT INTO image (number, id, path) VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < set.images.size(); ++i) {
        insert.run(i, set.images[i], set.paths[set.path_of[i]]);
    }
}

void insert_screens(Database& database, const std::vector<PlannedScreen>& screens) {
    Statement screen = database.prepare("INSERT INTO screen (number, name) VALUES (?, ?)");
    Statement shown =
        database.prepare("INSERT INTO shown (screen, place, question) VALUES (?, ?, ?)");
    for (std::size_t s = 0; s < screens.size(); ++s) {
        const auto number = static_cast<std::int64_t>(s) + 1;
        screen.run(number, screens[s].name);
        for (std::size_t place = 0; place < screens[s].questions.size(); ++place) {
            shown.run(number, place, std::int64_t{screens[s].questions[place]} + 1);
        }
    }
}

/// The folder exists. Checks whether this command made it.
void check_same(const std::filesystem::path& folder, const FolderOptions& options,
                const FolderSettings& wanted, std::vector<std::string>& warnings) {
    const FolderSettings there = read_folder_settings(
        study::open_study(folder, study::StudyKind::questions, Database::Access::read));
    const auto differs = [&](std::string_view what, const auto& was, const auto& is) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} already exists with {} {}, not {}; use another folder",
                                folder.string(), what, was, is));
    };
    if (there.task != wanted.task) differs("the task", name_of(there.task), name_of(wanted.task));
    if (there.questions_hash != wanted.questions_hash)
        throw Error(ErrorCode::usage,
                    fmt::format("{} already exists with questions that differ from those of {}, or "
                                "in another order; use another folder",
                                folder.string(), options.questions.string()));
    // Options that were not given may keep their values.
    if (options.votes != 0 && there.votes != wanted.votes)
        differs("annotators per question:", there.votes, wanted.votes);
    if (!options.title.empty() && there.title != wanted.title)
        differs("the title", fmt::format("`{}`", shortened(there.title)),
                fmt::format("`{}`", shortened(wanted.title)));
    if (!options.definitions.empty() && there.texts_hash != wanted.texts_hash)
        throw Error(ErrorCode::usage, fmt::format("{} already exists with definitions that differ "
                                                  "from those of {}; use another folder",
                                                  folder.string(), options.definitions.string()));
    if (there.seed != wanted.seed) differs("the seed", there.seed, wanted.seed);
    if (there.task == Task::grid && there.screen != wanted.screen)
        differs("images per grid:", there.screen, wanted.screen);
    if (there.said_hash != wanted.said_hash && there.texts_hash != wanted.texts_hash) {
        warnings.push_back(fmt::format(
            "names, definitions or synonyms of labels in {} have changed since {} was made; "
            "annotators still see the old ones. Use another folder for the new ones",
            options.questions.filename().string(), folder.string()));
    }
}

/// Detects a wrong folder of images before anybody is asked.
void look_for_images(const QuestionSet& set, const FolderSettings& settings,
                     std::vector<std::string>& warnings) {
    constexpr std::size_t looked_at = 100;
    const std::size_t images = set.images.size(), looks = std::min(images, looked_at);
    std::uint64_t missing = 0;
    std::string first;
    for (std::size_t i = 0; i < looks; ++i) {
        const std::filesystem::path path =
            settings.images / set.paths[set.path_of[i * images / looks]];
        std::error_code none;
        if (std::filesystem::exists(path, none)) continue;
        if (++missing == 1) first = path.string();
    }
    if (missing > 0) {
        warnings.push_back(
            fmt::format("{} of {} checked image files {} missing (the first: {}); relative paths "
                        "start at {}: to "
                        "change that, pass --images FOLDER",
                        missing, looks, missing == 1 ? "is" : "are", shortened(first, 200),
                        settings.images.string()));
    }
}

void write_folder(const std::filesystem::path& target, const FolderSettings& settings,
                  const QuestionSet& set, const std::vector<LabelText>& texts) {
    const std::vector<PlannedScreen> screens =
        plan_screens(set, settings.task, settings.screen, settings.seed);
    make_folders(target.parent_path());
    FolderAside aside(target);
    {
        Database database(study::study_file(aside.path(), study::StudyKind::questions),
                          Database::Access::create);
        study::make_study(database, study::StudyKind::questions);
        // Tokens and numbers come in random order, so their indices are built in memory (KiB).
        database.execute("PRAGMA cache_size = -262144");
        Transaction all(database);
        study::decide(database, study::DecisionKind::created, settings.title, "", "");
        write_folder_settings(database, settings, set.images.size());
        insert_labels(database, texts);
        insert_images(database, set);
        // Row ids are indices plus one.
        study::QuestionRows questions(database, settings.seed);
        for (const CsvQuestion& one : set.questions)
            questions.add(one.image, static_cast<std::uint16_t>(one.label), one.known);
        insert_screens(database, screens);
        all.commit();
        // Merges the log into the database, so that the folder can be moved as a whole.
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    aside.keep();
}

}  // namespace

FolderSummary make_folder(const std::filesystem::path& folder, const FolderOptions& options) {
    FolderSettings settings = settings_of(options);
    const std::filesystem::path target = study::place_of_study(folder, study::StudyKind::questions);
    QuestionSet set;
    {
        const MappedFile file(options.questions);
        set = read_question_csv(file.text(), options.questions.filename().string(), options.task);
    }
    settings.questions_hash = fingerprint_of(set);
    settings.said_hash = hash_of_texts(set.labels);
    std::vector<std::string> warnings = std::move(set.warnings);
    const std::vector<LabelText> texts =
        label_texts(std::move(set.labels), options.definitions, warnings);
    settings.texts_hash = hash_of_texts(texts);
    set.labels = texts;
    const std::filesystem::path whole = absolute_path(options.questions).parent_path();
    if (is_labelling_folder(target)) {
        check_same(target, options, settings, warnings);
        if (!options.images.empty()) change_image_root(target, options.images, whole);
    } else {
        settings.image_root = kept_image_root(settings.images, target, whole);
        write_folder(target, settings, set, texts);
    }
    FolderSummary summary = folder_summary(target);
    summary.folder = folder;
    if (summary.warnings.empty()) {
        const Database database =
            study::open_study(target, study::StudyKind::questions, Database::Access::read);
        look_for_images(set, read_folder_settings(database), warnings);
    }
    summary.warnings.insert(summary.warnings.begin(), warnings.begin(), warnings.end());
    return summary;
}

}  // namespace assay::labelling
