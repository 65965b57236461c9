#include "few_labels/answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "annotation/item_finder.h"
#include "assay/annotation/votes.h"
#include "core/text.h"

namespace assay::few_labels {
namespace {

struct Counts {
    std::uint64_t yes = 0, no = 0, cannot = 0;
    std::uint64_t chosen = 0;  ///< number of yes answers from people who each named one class
    std::uint64_t all() const { return yes + no + cannot; }
};

/// The known answers about one drawn image.
struct Known {
    std::map<std::int32_t, Counts> votes;
    /// People who each named the class of the image, in all files: a person who named another class
    /// than this one answered no to it.
    std::uint64_t choosers = 0;
    std::optional<std::vector<std::int32_t>> labels;  ///< from a file of labels
};

/// True if at least four fifths could not say.
bool cannot_be_said(const Counts& counts) {
    return counts.all() > 0 && 5 * counts.cannot >= 4 * counts.all();
}

Judgement settle(const Known& known, const ImagePredictions& predictions) {
    Judgement out;
    out.state = Judgement::State::judged;
    for (const std::int32_t label : predictions.labels) {
        if (known.labels) {
            out.correct.push_back(std::ranges::binary_search(*known.labels, label) ? 1 : 0);
            continue;
        }
        const auto found = known.votes.find(label);
        if (found == known.votes.end() && known.choosers == 0) return {};
        Counts counts = found == known.votes.end() ? Counts{} : found->second;
        counts.no += known.choosers - std::min(counts.chosen, known.choosers);
        if (cannot_be_said(counts)) out.state = Judgement::State::unjudged;
        out.correct.push_back(counts.yes > counts.no ? 1 : 0);
    }
    return out;
}

class Reading {
public:
    Reading(const Pool& pool, const Sample& sample)
        : dataset_(pool.dataset()), finder_(dataset_), known_(sample.images.size()) {
        for (std::size_t i = 0; i < sample.images.size(); ++i) at_[sample.images[i].row] = i;
    }

    void add_votes(const std::filesystem::path& file, int threads, Judgements& out) {
        VotesOptions options;
        options.threads = threads;
        const Votes votes = read_votes(file, options);
        std::vector<Known*> images;
        for (std::size_t i = 0; i < votes.items.size(); ++i)
            images.push_back(known_of(finder_.find(votes.items[i]).item));
        std::vector<std::int32_t> classes;
        for (std::size_t i = 0; i < votes.labels.size(); ++i)
            classes.push_back(class_of(votes.labels[i]));
        for (std::size_t q = 0; q < votes.questions(); ++q) {
            Known* const image = images[votes.question_item[q]];
            const std::int32_t cls = classes[votes.question_label[q]];
            if (image != nullptr && votes.which_class)
                for (const std::uint32_t code : votes.of(q))
                    image->choosers += code % votes.answers() + 1 == votes.answers() ? 1 : 0;
            if (image == nullptr || cls < 0) {
                out.ignored += votes.of(q).size();
                continue;
            }
            Counts& counts = image->votes[cls];
            for (const std::uint32_t code : votes.of(q)) {
                const std::size_t answer = code % votes.answers();
                if (votes.which_class) {
                    // Each chooser answers yes once, and no to the classes that others chose in
                    // this file.
                    const bool chose = answer + 1 == votes.answers();
                    counts.yes += chose ? 1 : 0;
                    counts.chosen += chose ? 1 : 0;
                    continue;
                }
                ++(answer == 0                     ? counts.no
                   : answer + 1 == votes.answers() ? counts.yes
                                                   : counts.cannot);
            }
        }
        for (const std::string& note : votes.notes)
            out.notes.push_back(fmt::format("{}: {}", file.filename().string(), note));
        for (const VoteProblems::Kind& kind : votes.problems.kinds())
            out.notes.push_back(fmt::format("{}: {} {}; first: {}", file.filename().string(),
                                            kind.count, kind.what, kind.examples.front()));
    }

    void add_labels(const std::filesystem::path& file, Judgements& out) {
        LabelMatch match;
        const LabelSets sets = read_label_sets(file, dataset_, dataset_.classes, &match);
        std::uint64_t named = 0, used = 0;
        for (std::size_t row = 0; row < sets.size(); ++row) {
            if (sets[row].empty()) continue;
            ++named;
            Known* const image = known_of(static_cast<std::int64_t>(row));
            if (image == nullptr) continue;
            ++used;
            image->labels.emplace(sets[row].begin(), sets[row].end());
        }
        out.ignored += named - used + match.others;
    }

    void finish(const Sample& sample, Judgements& out) const {
        for (std::size_t i = 0; i < known_.size(); ++i)
            out.of.push_back(settle(known_[i], sample.images[i].predictions));
    }

private:
    Known* known_of(std::int64_t row) {
        if (row < 0) return nullptr;
        const auto found = at_.find(static_cast<std::uint64_t>(row));
        return found == at_.end() ? nullptr : &known_[found->second];
    }
    std::int32_t class_of(std::string_view text) const {
        if (const auto named = dataset_.classes.find(text)) return *named;
        std::uint64_t number = 0;
        if (dataset_.classes.empty() && parse_number(text, number) && number < 1'000'000'000)
            return static_cast<std::int32_t>(number);
        return -1;
    }

    const Dataset& dataset_;
    ItemFinder finder_;
    std::vector<Known> known_;
    std::unordered_map<std::uint64_t, std::size_t> at_;
};

}  // namespace

Judgements read_judgements(const EstimateOptions& options, const Pool& pool, const Sample& sample) {
    Judgements out;
    Reading reading(pool, sample);
    for (const std::filesystem::path& file : options.answers)
        reading.add_votes(file, options.threads, out);
    for (const std::filesystem::path& file : options.labels) reading.add_labels(file, out);
    reading.finish(sample, out);
    return out;
}

}  // namespace assay::few_labels
