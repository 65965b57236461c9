#include "few_labels/answers.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "annotation/image_answers.h"

namespace assay::few_labels {
namespace {

/// The known answers about one drawn image.
struct Known {
    const ImageAnswers* votes = nullptr;
    std::optional<std::vector<std::int32_t>> labels;  ///< from a file of labels
    std::uint64_t row = 0;
};

/// The classes that most annotators chose; nothing if none of them chose any.
std::optional<std::vector<std::int32_t>> chosen_classes(const ImageAnswers* votes) {
    if (votes == nullptr || votes->choosers() == 0) return std::nullopt;
    std::vector<std::int32_t> out;
    for (const std::int32_t cls : votes->classes()) {
        const ClassAnswers said = votes->about(cls);
        if (said.yes > said.no) out.push_back(cls);
    }
    return out;
}

Judgement settle(const Known& known, const ImagePredictions& predictions,
                 const KnownAnswers& before) {
    Judgement out;
    out.state = Judgement::State::judged;
    for (const std::int32_t label : predictions.labels) {
        if (known.labels) {
            out.correct.push_back(std::ranges::binary_search(*known.labels, label) ? 1 : 0);
            continue;
        }
        if (const KnownLabel* const settled = find_known(before, known.row, label)) {
            if (settled->outcome == KnownOutcome::unclear) out.state = Judgement::State::unjudged;
            out.correct.push_back(settled->outcome == KnownOutcome::yes ? 1 : 0);
            continue;
        }
        const ClassAnswers answers =
            known.votes != nullptr ? known.votes->about(label) : ClassAnswers{};
        if (answers.all() == 0) return {};
        if (answers.cannot_be_said()) out.state = Judgement::State::unjudged;
        out.correct.push_back(answers.yes > answers.no ? 1 : 0);
    }
    out.classes = known.labels ? known.labels : chosen_classes(known.votes);
    return out;
}

class Reading {
public:
    Reading(const Pool& pool, const Sample& sample) : dataset_(pool.dataset()) {
        for (const auto* images : {&sample.images, &sample.settled}) {
            for (const SampledImage& image : *images) {
                at_[image.row] = known_.size();
                known_.emplace_back().row = image.row;
            }
        }
    }

    void add_votes(const ImageAnswerReader& votes, Judgements& out) {
        for (const auto& [row, image] : votes.images()) {
            Known* const known = known_of(row);
            if (known != nullptr) {
                known->votes = &image;
            } else if (!out.gold || !out.gold->rows.contains(row)) {
                out.ignored += image.answers();
            }
        }
        out.ignored += votes.about_others();
        out.notes.insert(out.notes.end(), votes.notes().begin(), votes.notes().end());
    }

    void add_labels(const std::filesystem::path& file, Judgements& out) {
        LabelMatch match;
        const LabelSets sets = read_label_sets(file, dataset_, dataset_.classes, &match);
        std::uint64_t named = 0, used = 0;
        for (std::size_t row = 0; row < sets.size(); ++row) {
            if (sets[row].empty()) continue;
            ++named;
            Known* const image = known_of(row);
            if (image == nullptr) continue;
            ++used;
            image->labels.emplace(sets[row].begin(), sets[row].end());
        }
        out.ignored += named - used + match.others;
    }

    void finish(const Sample& sample, const KnownAnswers& before, Judgements& out) const {
        for (const auto* images : {&sample.images, &sample.settled})
            for (const SampledImage& image : *images)
                out.of.push_back(settle(known_[out.of.size()], image.predictions, before));
    }

private:
    Known* known_of(std::uint64_t row) {
        const auto found = at_.find(row);
        return found == at_.end() ? nullptr : &known_[found->second];
    }

    const Dataset& dataset_;
    std::vector<Known> known_;
    std::unordered_map<std::uint64_t, std::size_t> at_;
};

}  // namespace

Judgements read_judgements(const EstimateOptions& options, const Pool& pool, const Sample& sample,
                           const KnownAnswers& known) {
    Judgements out;
    ImageAnswerReader votes(pool.dataset(), pool.classes());
    for (const std::filesystem::path& file : options.answers) votes.add(file, options.threads);
    if (!options.gold.empty()) out.gold = read_gold_counts(options.gold, pool, votes);
    Reading reading(pool, sample);
    reading.add_votes(votes, out);
    for (const std::filesystem::path& file : options.labels) reading.add_labels(file, out);
    reading.finish(sample, known, out);
    return out;
}

}  // namespace assay::few_labels
