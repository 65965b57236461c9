#include "assay/mad/pairs.h"

#include <algorithm>

namespace assay::mad {

Settled settle(std::span<const Answer> answers) {
    const auto of = [&](Answer a) { return std::count(answers.begin(), answers.end(), a); };
    const auto cannot = static_cast<std::size_t>(of(Answer::cannot_say));
    Settled settled;
    settled.votes = static_cast<std::uint32_t>(answers.size());
    settled.unclear = !answers.empty() && 5 * cannot >= 4 * answers.size();
    // If nobody can judge the image, answers about its other label have no use.
    settled.yes = !settled.unclear && of(Answer::yes) > of(Answer::no);
    return settled;
}

bool is_settled(std::span<const Answer> answers, std::uint32_t wanted) {
    if (answers.size() >= wanted) return true;
    // It is enough to test the extremes: all open answers agree, or some of them are "cannot say".
    std::vector<Answer> all(answers.begin(), answers.end());
    const std::size_t open = wanted - answers.size();
    bool first = true;
    Settled known;
    for (std::size_t cannot = 0; cannot <= open; ++cannot) {
        for (const Answer rest : {Answer::no, Answer::yes}) {
            all.resize(answers.size());
            all.insert(all.end(), cannot, Answer::cannot_say);
            all.insert(all.end(), open - cannot, rest);
            const Settled possible = settle(all);
            if (!first && (possible.yes != known.yes || possible.unclear != known.unclear))
                return false;
            known = possible;
            first = false;
        }
    }
    return true;
}

std::string_view name_of(Case c) {
    switch (c) {
        case Case::both:
            return "I";
        case Case::one:
            return "II";
        case Case::neither:
            return "III";
        case Case::replaced:
            return "replaced";
    }
    return "";
}

Case case_of(const Settled& first, const Settled& second) {
    if (first.unclear || second.unclear) return Case::replaced;
    if (first.yes && second.yes) return Case::both;
    return first.yes || second.yes ? Case::one : Case::neither;
}

void count(PairCounts& pair, const Settled& first, const Settled& second) {
    switch (case_of(first, second)) {
        case Case::both:
            ++pair.both;
            return;
        case Case::one:
            ++(first.yes ? pair.only_first : pair.only_second);
            return;
        case Case::neither:
            ++pair.neither;
            return;
        case Case::replaced:
            ++pair.replaced;
            return;
    }
}

}  // namespace assay::mad
