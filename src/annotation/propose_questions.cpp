#include "annotation/propose_questions.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "collective/rank_part.h"
#include "core/parallel.h"

namespace assay::propose {
namespace {

/// Mean probability over the chosen models, see Question.
float prior_of(const Thresholds& thresholds, const TopClasses& top, std::int32_t c) {
    double sum = 0, models = 0;
    for (std::size_t m = 0; m < top.size(); ++m) {
        if (thresholds.chosen[m] == 0) continue;
        ++models;
        const std::size_t at = place_in(top[m], c);
        if (at < top[m].size()) sum += static_cast<double>(top[m][at].probability);
    }
    return static_cast<float>(models > 0 ? sum / models : 0);
}

/// `top` is a buffer for the item's best classes.
void ask_about(std::uint64_t item, const Inputs& inputs, const Thresholds& thresholds,
               QuestionCounts& counts, TopClasses& top) {
    if (!inputs.read(item, top)) {
        ++counts.not_scored;
        return;
    }
    const std::size_t models = inputs.models();
    const auto labels = inputs.original(item), known = inputs.known(item),
               anyway = inputs.asked_anyway(item);
    const auto gold = inputs.has_gold() ? known : std::span<const std::int32_t>();
    counts.original += labels.size();
    counts.gold += gold.size();
    if (inputs.agreed(item, top)) {
        ++counts.agreed;
        ++counts.original_found;
        counts.gold_found += contains(gold, labels[0]) ? 1 : 0;
        for (std::size_t m = 0; m < models; ++m)
            counts.found[m] += contains(known, labels[0]) ? 1 : 0;
        return;
    }
    const auto begin = static_cast<std::ptrdiff_t>(counts.questions.size());
    for (const std::int32_t c : classes_in(top, anyway)) {
        const std::uint64_t mask = proposers(inputs, thresholds, top, c);
        const bool correct = contains(known, c);
        for (std::size_t m = 0; m < models && mask != 0; ++m) {
            if ((mask >> m & 1U) == 0) continue;
            ++counts.proposals[m];
            counts.alone[m] += mask == std::uint64_t{1} << m ? 1 : 0;
            counts.found[m] += correct ? 1 : 0;
        }
        if (mask != 0) {
            counts.original_found += contains(labels, c) ? 1 : 0;
            counts.gold_found += contains(gold, c) ? 1 : 0;
        } else if (!contains(anyway, c)) {
            continue;
        }
        counts.questions.push_back({item, c, prior_of(thresholds, top, c), mask});
    }
    std::stable_sort(counts.questions.begin() + begin, counts.questions.end(),
                     [](const Question& a, const Question& b) { return a.prior > b.prior; });
    const std::uint64_t count = counts.questions.size() - static_cast<std::size_t>(begin);
    counts.asked += count > 0 ? 1 : 0;
    counts.most = std::max(counts.most, count);
}

void combine_ranks(QuestionCounts& counts, Comm& comm) {
    counts.questions = gathered(comm, counts.questions);
    for (const std::uint64_t most : gathered(comm, std::vector{counts.most}))
        counts.most = std::max(counts.most, most);
    const auto sums =
        sum_over_ranks(comm, {counts.asked, counts.agreed, counts.not_scored, counts.original,
                              counts.original_found, counts.gold, counts.gold_found});
    counts.asked = sums[0];
    counts.agreed = sums[1];
    counts.not_scored = sums[2];
    counts.original = sums[3];
    counts.original_found = sums[4];
    counts.gold = sums[5];
    counts.gold_found = sums[6];
    for (auto* by_model : {&counts.proposals, &counts.alone, &counts.found})
        *by_model = sum_over_ranks(comm, *by_model);
}

}  // namespace

void QuestionCounts::add(const QuestionCounts& part) {
    questions.insert(questions.end(), part.questions.begin(), part.questions.end());
    asked += part.asked;
    agreed += part.agreed;
    not_scored += part.not_scored;
    most = std::max(most, part.most);
    original += part.original;
    original_found += part.original_found;
    gold += part.gold;
    gold_found += part.gold_found;
    for (std::size_t m = 0; m < found.size(); ++m) {
        proposals[m] += part.proposals[m];
        alone[m] += part.alone[m];
        found[m] += part.found[m];
    }
}

QuestionCounts choose_questions(const Inputs& inputs, const Thresholds& thresholds, Comm& comm,
                                const ProgressCallback& callback) {
    const auto all = static_cast<std::size_t>((inputs.items() + block_items - 1) / block_items);
    const RankPart mine = part_of_rank(all, comm);
    std::vector<QuestionCounts> blocks(mine.size(), QuestionCounts(inputs.models()));
    const auto first_of = [&](std::size_t b) {
        return std::min<std::uint64_t>(inputs.items(), (mine.begin + b) * block_items);
    };
    StepProgress progress(callback, "questions", first_of(blocks.size()) - first_of(0));
    agree(comm, [&] {
        parallel_blocks(blocks.size(), inputs.threads(), [&](std::size_t b) {
            TopClasses top;
            for (std::uint64_t item = first_of(b); item < first_of(b + 1); ++item)
                ask_about(item, inputs, thresholds, blocks[b], top);
            progress.advance(first_of(b + 1) - first_of(b));
        });
    });
    QuestionCounts total(inputs.models());
    for (QuestionCounts& block : blocks) {
        total.add(block);
        block = QuestionCounts(0);  // frees its questions
    }
    combine_ranks(total, comm);
    return total;
}

double shortest(float value) {
    const std::string text = fmt::format("{}", value);
    double out = value;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

}  // namespace assay::propose
