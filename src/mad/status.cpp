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
#include "mad/predict_alike.h"
#include "mad/shown_questions.h"
#include "mad/tally.h"

namespace assay::mad {
namespace {

std::uint64_t rows_of(const Database& database, std::string_view table) {
    return static_cast<std::uint64_t>(
        database.integer(fmt::format("SELECT count(*) FROM {}", table)));
}

/// Questions that nobody was asked yet. Each counts once, even if several places and control images
/// need it.
using Unasked = std::set<QuestionKey>;

void count_selected(const std::vector<SelectedRow>& selected, const Tally& tally, Unasked& unasked,
                    CompetitionStatus& out) {
    for (const SelectedRow& row : selected) {
        if (row.state == SelectedState::replaced) ++out.replaced;
        if (row.state == SelectedState::duplicate) ++out.duplicates;
        if (row.state != SelectedState::accepted) continue;
        ++out.accepted;
        out.unasked_places += row.asked ? 0 : 1;
        out.to_replace += place_state(tally, row) == PlaceState::unclear ? 1 : 0;
        for (const QuestionKey& key : questions_of(row))
            if (tally.find(key) == nullptr) unasked.insert(key);
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

/// The most important next command for a ranking.
std::string next_command(const Competition& competition, const CompetitionStatus& status) {
    const std::string folder = shell_word(competition.folder().string());
    if (status.pairs_selected < status.pairs || status.to_replace > 0)
        return fmt::format("assay mad select {}", folder);
    if (status.unasked > 0 || status.unasked_places > 0)
        return fmt::format("assay mad questions {} --out questions.csv", folder);
    if (status.open > 0) return fmt::format("assay mad answers {} answers.csv", folder);
    // If no image qualifies for any pair, this command explains why.
    if (status.accepted == 0) return fmt::format("assay mad select {}", folder);
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
    const ControlSample control = read_control_sample(competition, competition.active());
    out.control = control.rows.size();
    Unasked unasked;
    count_selected(selected, tally, unasked, out);

    std::map<std::int64_t, std::uint32_t> accepted;
    for (const SelectedRow& row : selected)
        if (row.state == SelectedState::accepted) ++accepted[row.pair];
    for (const PairRow& pair : pairs) {
        // After set_k() the selection of a pair must continue.
        if (pair.k < out.settings.rule.k) continue;
        ++out.pairs_selected;
        if (accepted[pair.id] < pair.k) ++out.short_pairs;
    }
    for (const QuestionKey& key : control_keys(control))
        if (tally.find(key) == nullptr) unasked.insert(key);
    out.unasked = unasked.size();
    out.questions = tally.of.size();
    out.settled = tally.settled();
    // The questions that annotators see, without questions that only replaced places needed.
    out.open = open_places(competition, tally).size();
    out.unwanted = out.questions - out.settled - out.open;
    for (const QuestionTally& question : tally.of) {
        out.gold += question.gold ? 1 : 0;
        out.unclear += question.unclear() ? 1 : 0;
    }
    describe_annotators(competition, out);
    for (std::size_t i = 0; i < out.classifiers.size(); ++i) {
        for (std::size_t j = i + 1; j < out.classifiers.size(); ++j) {
            const CompetitionClassifier &a = out.classifiers[i], &b = out.classifiers[j];
            if (a.active && b.active && predict_alike(a, b))
                out.warnings.push_back(
                    fmt::format("{} and {} make the same prediction for every image",
                                shortened(a.name), shortened(b.name)));
        }
    }
    out.next = next_command(competition, out);
    return out;
}

}  // namespace assay::mad
