#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "assay/mad/rank.h"
#include "assay/report.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/annotator_check.h"
#include "mad/control_accuracy.h"
#include "mad/shown_questions.h"
#include "mad/tally.h"

namespace assay::mad {
namespace {

std::uint64_t rows_of(const Database& database, std::string_view table) {
    Statement row = database.prepare(fmt::format("SELECT count(*) FROM {}", table));
    return row.step() ? row.count(0) : 0;
}

/// (image, label) that nobody was asked about yet: one question, however many places and images of
/// the control sample need it.
using Unasked = std::set<std::pair<std::int64_t, std::uint16_t>>;

void count_selected(const std::vector<SelectedRow>& selected, const Tally& tally, Unasked& unasked,
                    CompetitionStatus& out) {
    for (const SelectedRow& row : selected) {
        if (row.state == SelectedState::replaced) ++out.replaced;
        if (row.state == SelectedState::duplicate) ++out.duplicates;
        if (row.state != SelectedState::accepted) continue;
        ++out.accepted;
        bool unclear = false;
        for (const std::uint16_t label : {row.first_label, row.second_label}) {
            const QuestionTally* const question = tally.find(row.image, label);
            if (question == nullptr) unasked.insert({row.image, label});
            unclear =
                unclear || (question != nullptr && question->known() && question->outcome.unclear);
        }
        out.to_replace += unclear ? 1 : 0;
    }
    out.unasked_places = static_cast<std::uint64_t>(std::count_if(
        selected.begin(), selected.end(),
        [](const SelectedRow& row) { return row.state == SelectedState::accepted && !row.asked; }));
}

/// Questions about labels that classifiers predict for the control sample.
void find_unasked_of_control(const Competition& competition, const Tally& tally, Unasked& unasked) {
    const ControlSample sample = read_control_sample(competition, competition.active());
    for (const auto& labels : sample.labels) {
        for (std::size_t r = 0; r < labels.size(); ++r) {
            if (labels[r] && tally.find(sample.rows[r].image, *labels[r]) == nullptr)
                unasked.insert({sample.rows[r].image, *labels[r]});
        }
    }
}

void describe_annotators(const Competition& competition, CompetitionStatus& out) {
    for (const AnnotatorCheck& check : check_annotators(competition)) {
        out.annotators.push_back({.name = check.annotator.name,
                                  .blocked = check.annotator.blocked,
                                  .answers = check.answers,
                                  .yes = check.yes,
                                  .cannot_say = check.cannot_say,
                                  .gold = check.gold,
                                  .agreement = check.agreement});
        out.warnings.insert(out.warnings.end(), check.findings.begin(), check.findings.end());
    }
}

/// What keeps the ranking from being made, first things first.
std::string next_command(const Competition& competition, const CompetitionStatus& status) {
    const std::string folder = shell_word(competition.folder().string());
    if (status.pairs_selected < status.pairs || status.to_replace > 0)
        return fmt::format("assay mad select {}", folder);
    if (status.unasked > 0 || status.unasked_places > 0)
        return fmt::format("assay mad questions {} --out questions.csv", folder);
    if (status.open > 0) return fmt::format("assay mad answers {} answers.csv", folder);
    return fmt::format("assay mad rank {}", folder);
}

}  // namespace

CompetitionStatus status_of(const Competition& competition) {
    const Database& database = competition.impl().database;
    CompetitionStatus out;
    out.settings = competition.settings();
    out.images = competition.images();
    out.classifiers = competition.classifiers();
    const std::vector<PairRow> pairs = read_pairs(database);
    const std::vector<SelectedRow> selected = read_selected(database);
    const Tally tally = tally_of(competition);
    const std::uint64_t active = competition.active().size();
    out.pairs = active * (active - 1) / 2;
    out.excluded = rows_of(database, "exclusion");
    out.control = rows_of(database, "control");
    Unasked unasked;
    count_selected(selected, tally, unasked, out);

    std::map<std::int64_t, std::uint32_t> accepted;
    for (const SelectedRow& row : selected)
        if (row.state == SelectedState::accepted) ++accepted[row.pair];
    for (const PairRow& pair : pairs) {
        // After set_k() a pair is to be selected further.
        if (pair.k < out.settings.rule.k) continue;
        ++out.pairs_selected;
        if (accepted[pair.id] < pair.k) ++out.short_pairs;
    }
    if (out.control > 0) find_unasked_of_control(competition, tally, unasked);
    out.unasked = unasked.size();
    out.questions = tally.of.size();
    out.settled = tally.settled();
    // Those that annotators are shown: not what only replaced places wanted to know.
    out.open = open_places(competition, tally).size();
    out.unwanted = out.questions - out.settled - out.open;
    for (const QuestionTally& question : tally.of) {
        out.gold += question.gold ? 1 : 0;
        out.unclear += question.known() && question.outcome.unclear ? 1 : 0;
    }
    describe_annotators(competition, out);
    for (std::size_t i = 0; i < out.classifiers.size(); ++i) {
        for (std::size_t j = i + 1; j < out.classifiers.size(); ++j) {
            const CompetitionClassifier &a = out.classifiers[i], &b = out.classifiers[j];
            if (a.active && b.active && a.labels_hash == b.labels_hash)
                out.warnings.push_back(fmt::format("{} and {} predict the same for every image",
                                                   shortened(a.name), shortened(b.name)));
        }
    }
    out.next = next_command(competition, out);
    return out;
}

}  // namespace assay::mad
