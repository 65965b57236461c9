#include "annotation/pool_questions.h"

#include <unordered_map>

#include "assay/error.h"

namespace assay {
namespace {

/// The new number of each text: texts with one meaning share a number, and only the first of them
/// is kept.
std::vector<std::uint32_t> pool_texts(StringColumn& texts,
                                      const std::vector<std::int64_t>& meanings) {
    if (meanings.size() != texts.size())
        throw Error(ErrorCode::internal, "the meanings belong to different texts");
    StringColumn kept;
    std::vector<std::uint32_t> numbers;
    std::unordered_map<std::int64_t, std::uint32_t> first;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto next = static_cast<std::uint32_t>(kept.size());
        const std::uint32_t number =
            meanings[i] < 0 ? next : first.try_emplace(meanings[i], next).first->second;
        if (number == next) kept.append(texts[i]);
        numbers.push_back(number);
    }
    texts = std::move(kept);
    return numbers;
}

}  // namespace

std::vector<std::uint32_t> pool_questions(Votes& votes, const VoteMeanings& meanings) {
    const auto items = pool_texts(votes.items, meanings.items),
               labels = pool_texts(votes.labels, meanings.labels);
    std::vector<std::uint32_t> question_item, question_label, numbers;
    std::unordered_map<std::uint64_t, std::uint32_t> first;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const std::uint32_t item = items[votes.question_item[q]],
                            label = labels[votes.question_label[q]];
        const auto next = static_cast<std::uint32_t>(question_item.size());
        const auto [at, fresh] = first.try_emplace((std::uint64_t{item} << 32) | label, next);
        numbers.push_back(at->second);
        if (!fresh) continue;
        question_item.push_back(item);
        question_label.push_back(label);
    }
    votes.pooled = votes.questions() - question_item.size();
    votes.question_item = std::move(question_item);
    votes.question_label = std::move(question_label);
    return numbers;
}

}  // namespace assay
