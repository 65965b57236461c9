// Reads any bytes as questions of each task, and as definitions. The result is an Error or
// questions. Each question is on one screen. The fingerprint of the questions is that of the same
// questions written out.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "containers/csv.h"
#include "core/terminal_text.h"
#include "labelling/class_definitions.h"
#include "labelling/screens.h"
#include "mad/question_texts.h"
#include "scratch.h"

namespace {

using namespace assay::labelling;

void need(bool good) {
    if (!good) std::abort();
}

/// The same questions in the simplest form.
std::string written(const QuestionSet& set) {
    std::string text;
    assay::CsvWriter csv(text);
    csv.row({"item", "path", "label", "batch", "answer"});
    for (const CsvQuestion& question : set.questions) {
        // Paths may have any bytes, and do not change. The marker of a formula is removed.
        const auto field = [&](std::string_view value) {
            const bool marked = assay::mad::for_spreadsheet(value).starts_with('\'');
            csv.field((marked ? "'" : "") + std::string(value));
        };
        field(set.images[question.image]);
        field(set.paths[set.path_of[question.image]]);
        field(set.labels[question.label].id);
        field(set.batches[question.batch]);
        field(!question.known ? "" : *question.known ? "yes" : "no");
        csv.end_row();
    }
    return text;
}

void ask(std::string_view text, Task task) {
    const QuestionSet set = read_question_csv(text, "questions", task);
    need(!set.questions.empty() && set.labels.size() <= most_labels);
    for (const LabelText& label : set.labels) {
        need(!label.id.empty() && assay::is_utf8(label.id) && assay::is_utf8(label.name));
        need(assay::is_utf8(label.definition));
    }
    need(fingerprint_of(read_question_csv(written(set), "again", task)) == fingerprint_of(set));
    fuzz::attempt([&] {
        std::vector<bool> seen(set.questions.size(), false);
        std::size_t shown = 0;
        for (const PlannedScreen& screen : plan_screens(set, task, 3, 1)) {
            need(!screen.questions.empty() && !screen.name.empty());
            for (const std::uint32_t q : screen.questions) {
                need(!seen.at(q));
                seen[q] = true;
                ++shown;
            }
        }
        need(shown == set.questions.size());
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Task task : {Task::yes_no, Task::grid, Task::labels})
        fuzz::attempt([&] { ask(text, task); });
    static const std::filesystem::path folder = fuzz::scratch_folder("labelling_questions");
    const std::filesystem::path file = folder / "definitions";
    std::ofstream(file, std::ios::binary)
        .write(text.data(), static_cast<std::streamsize>(text.size()));
    fuzz::attempt([&] {
        std::vector<std::string> warnings;
        for (const LabelText& label :
             label_texts({{"cat", "", "", {}}, {"n01440764", "", "", {}}}, file, warnings)) {
            need(!label.name.empty() && assay::is_utf8(label.definition));
        }
    });
    return 0;
}
