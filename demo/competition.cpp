#include "demo/competition.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/mad/rank.h"
#include "assay/store/prediction_store.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/paths.h"
#include "demo/answers.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Compares the end of the path of its scores, because the whole folder may have moved.
bool is_own(const mad::CompetitionClassifier& classifier) {
    return classifier.store.filename() == classifier.name &&
           classifier.store.parent_path().filename() == "unlabelled";
}

/// True if the demo's own stores have other scores now. A classifier from elsewhere belongs to the
/// user.
bool has_other_scores(const fs::path& folder, const fs::path& stores) {
    const mad::Competition competition = mad::Competition::open(folder);
    const std::vector<mad::CompetitionClassifier>& all = competition.classifiers();
    return std::any_of(all.begin(), all.end(), [&](const mad::CompetitionClassifier& one) {
        if (!is_own(one)) return false;
        const fs::path store = stores / one.name;
        return !is_there(store / "manifest.json") ||
               PredictionStore::open(store).spec().id != one.store_id;
    });
}

void remove_all_of(const fs::path& path) {
    std::error_code problem;
    fs::remove_all(path, problem);
    if (problem)
        throw Error(ErrorCode::io,
                    fmt::format("cannot remove {}: {}", path.string(), problem.message()));
}

/// Renames the folder first, so that an interrupted removal leaves no part that looks complete.
void remove_competition(const fs::path& folder, const fs::path& aside) {
    std::error_code problem;
    fs::rename(folder, aside, problem);
    if (problem)
        throw Error(ErrorCode::io, fmt::format("cannot remove the old competition {}: {}",
                                               folder.string(), problem.message()));
    remove_all_of(aside);
}

bool has_answers(const fs::path& folder) {
    const mad::CompetitionStatus status = status_of(mad::Competition::open(folder));
    return std::any_of(
        status.annotators.begin(), status.annotators.end(),
        [](const mad::CompetitionStatus::Annotator& one) { return one.answers > 0; });
}

/// Returns "mad-yours-1", or the next free number.
fs::path rename_with_number(const fs::path& folder) {
    fs::path name;
    for (int number = 1; name.empty() || is_there(name); ++number)
        name = folder.string() + "-" + std::to_string(number);
    std::error_code problem;
    fs::rename(folder, name, problem);
    if (problem)
        throw Error(ErrorCode::io, fmt::format("cannot rename the old competition {}: {}",
                                               folder.string(), problem.message()));
    return name;
}

}  // namespace

DroppedCompetitions drop_stale_competitions(const CompetitionFiles& files) {
    const fs::path aside = files.folder.parent_path() / ".stale-mad";
    remove_all_of(aside);
    DroppedCompetitions dropped;
    if (mad::is_competition(files.yours) && has_other_scores(files.yours, files.stores)) {
        // The demo must not remove a person's answers.
        if (has_answers(files.yours)) {
            dropped.kept = rename_with_number(files.yours);
        } else {
            remove_competition(files.yours, aside);
        }
        dropped.any = true;
    }
    const bool there = mad::is_competition(files.folder);
    if (there && !has_other_scores(files.folder, files.stores)) return dropped;
    // Removes answers first, because answers to questions of a missing competition are useless.
    for (const fs::path& answers : files.answers) remove_all_of(answers);
    remove_all_of(files.questions);
    if (!there) return dropped;
    remove_competition(files.folder, aside);
    dropped.any = true;
    return dropped;
}

bool takes_part(const CompetitionFiles& files, const std::string& network) {
    if (!mad::is_competition(files.folder)) return false;
    const mad::Competition competition = mad::Competition::open(files.folder);
    const std::vector<mad::CompetitionClassifier> active = competition.active();
    return std::any_of(active.begin(), active.end(),
                       [&](const mad::CompetitionClassifier& one) { return one.name == network; });
}

CrowdAnswers answer_round(const Demo& demo, const CompetitionFiles& files, std::size_t round) {
    std::set<std::string> blocked;
    const mad::CompetitionStatus status = status_of(mad::Competition::open(files.folder));
    for (const mad::CompetitionStatus::Annotator& one : status.annotators)
        if (one.blocked) blocked.insert(one.name);
    const auto mine = files.answers.begin() + static_cast<std::ptrdiff_t>(round - 1);
    const std::vector<fs::path> earlier(files.answers.begin(), mine);
    return answer_questions(world_of(demo), files.questions, earlier, *mine, blocked);
}

void write_known_accuracies(const Demo& demo, const CompetitionFiles& files) {
    const std::map<std::string, KnownImage> known =
        read_known_images(demo.dir / "truth" / "unlabelled.csv");
    std::string out;
    CsvWriter csv(out);
    csv.row({"model", "accuracy"});
    const mad::Competition competition = mad::Competition::open(files.folder);
    for (const mad::CompetitionClassifier& one : competition.active()) {
        // The user may have added other networks, whose labels have another order.
        if (!is_own(one)) continue;
        const PredictionStore store = PredictionStore::open(files.stores / one.name);
        const Dataset& dataset = store.dataset();
        const ClassList classes = world_classes();
        std::uint64_t correct = 0;
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const PredictionStore::Shard shard = store.shard(s);
            for (std::uint32_t r = 0; r < shard.rows; ++r) {
                double log_sum_exp = 0;
                const std::span<const TopEntry> best = shard.top(r, log_sum_exp);
                const auto image = known.find(
                    std::string(dataset.ids[static_cast<std::size_t>(shard.first_row) + r]));
                if (image == known.end() || best.empty() || best[0].cls < 0) continue;
                const std::vector<std::string>& there = image->second.labels;
                const std::string& said = classes.id(static_cast<std::size_t>(best[0].cls));
                correct += std::find(there.begin(), there.end(), said) != there.end() ? 1 : 0;
            }
        }
        csv.row({one.name, fmt::format("{:.6f}", static_cast<double>(correct) /
                                                     static_cast<double>(store.rows()))});
    }
    write_file_atomically(files.accuracies, out);
}

}  // namespace assay::cli
