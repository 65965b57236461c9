#include "annotation/original_votes.h"

#include <algorithm>
#include <string>

#include "assay/annotation/aggregate.h"
#include "assay/error.h"

namespace assay {

Votes with_original_labels(const Votes& votes, const Dataset& dataset, const ClassList& classes,
                           const LabelSets& original, std::span<const int> voting,
                           OriginalVotes& given) {
    for (std::size_t r = 0; r < votes.annotators.size(); ++r) {
        if (votes.annotators[r] == original_annotator)
            throw Error(ErrorCode::bad_input, "an annotator of the votes is called `" +
                                                  std::string(original_annotator) + "` already");
    }
    const VoteMeanings meanings = meanings_among(dataset, classes, votes);
    const auto votes_on = [&](std::int64_t cls) {
        return cls >= 0 && (voting.empty() ||
                            std::ranges::binary_search(voting, static_cast<std::int32_t>(cls)));
    };
    /// The state of an image; later values mean that more is known.
    enum Known : char { without_vote, unlabelled, not_asked, asked };
    std::vector<Known> images(votes.items.size(), without_vote);
    std::vector<char> voted(votes.items.size(), 0);

    Votes out = votes;
    out.annotators.append(original_annotator);
    out.codes.clear();
    out.begin.assign(1, 0);
    const auto answers = static_cast<std::uint32_t>(votes.answers());
    const std::uint32_t no = static_cast<std::uint32_t>(votes.annotators.size()) * answers,
                        yes = no + answers - 1;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const auto codes = votes.of(q);
        out.codes.insert(out.codes.end(), codes.begin(), codes.end());
        const std::uint32_t i = votes.question_item[q];
        const std::int64_t item = meanings.items[i], cls = meanings.labels[votes.question_label[q]];
        const auto labels =
            item < 0 ? std::span<const std::int32_t>() : original[static_cast<std::size_t>(item)];
        if (labels.size() != 1) {
            images[i] = unlabelled;
        } else {
            const bool fits = cls == labels.front();
            if (votes_on(labels.front())) images[i] = fits ? asked : std::max(images[i], not_asked);
            if (votes_on(cls)) {
                // The last annotator has the largest codes, so they stay ascending.
                out.codes.push_back(fits ? yes : no);
                // Naming one class implies a no to the others, without a separate vote.
                ++(votes.which_class && !fits ? out.implied : given.votes);
                voted[i] = 1;
            }
        }
        out.begin.push_back(out.codes.size());
    }
    given.unlabelled = static_cast<std::uint64_t>(std::ranges::count(images, unlabelled));
    given.not_asked = static_cast<std::uint64_t>(std::ranges::count(images, not_asked));
    given.images = static_cast<std::uint64_t>(std::ranges::count(voted, 1));
    if (given.images == 0)
        throw Error(
            ErrorCode::bad_input,
            "no question is about an image whose original label is one of the classes that vote");
    return out;
}

}  // namespace assay
