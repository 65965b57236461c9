#include "annotation/class_patterns.h"
#include "assay/annotation/which_class.h"

namespace assay {

Votes with_unchosen_classes(const Votes& votes, const std::vector<UnchosenClass>& unchosen) {
    Votes out = votes;
    if (unchosen.empty()) return out;
    std::vector<std::uint32_t> question_of(votes.items.size(), ClassPatterns::none);
    for (std::uint32_t q = 0; q < votes.questions(); ++q) question_of[votes.question_item[q]] = q;
    const auto kinds = static_cast<std::uint32_t>(votes.answers());
    for (const UnchosenClass& one : unchosen) {
        out.question_item.push_back(one.item);
        out.question_label.push_back(one.label);
        // Every annotator of the image has an answer to each of its questions.
        for (const std::uint32_t code : votes.of(question_of[one.item])) {
            const std::uint32_t no = code / kinds * kinds;
            if (out.codes.size() > out.begin.back() && out.codes.back() == no) continue;
            out.codes.push_back(no);
            ++out.implied;
        }
        out.begin.push_back(out.codes.size());
    }
    return out;
}

}  // namespace assay
