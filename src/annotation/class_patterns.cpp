#include "annotation/class_patterns.h"

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

/// The rank of each text in byte order, and the inverse permutation.
std::vector<std::uint32_t> ranks(const StringColumn& texts, std::vector<std::uint32_t>& of_rank) {
    of_rank.resize(texts.size());
    std::iota(of_rank.begin(), of_rank.end(), 0U);
    std::ranges::sort(of_rank,
                      [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
    std::vector<std::uint32_t> out(texts.size());
    for (std::uint32_t r = 0; r < of_rank.size(); ++r) out[of_rank[r]] = r;
    return out;
}

/// The answers of each item, sorted.
struct ItemAnswers {
    std::vector<std::uint64_t> begin;
    std::vector<ClassAnswer> answers;
    std::span<const ClassAnswer> of(std::uint32_t item) const {
        return std::span(answers).subspan(begin[item], begin[item + 1] - begin[item]);
    }
};

ItemAnswers answers_by_item(const Votes& votes, const std::vector<std::uint32_t>& annotator_rank,
                            const std::vector<std::uint32_t>& label_rank) {
    const auto kinds = static_cast<std::uint32_t>(votes.answers());
    const auto chosen = [&](std::uint32_t code) { return code % kinds == kinds - 1; };
    ItemAnswers out;
    out.begin.assign(votes.items.size() + 1, 0);
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        for (const std::uint32_t code : votes.of(q))
            out.begin[votes.question_item[q] + 1] += chosen(code) ? 1 : 0;
    }
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.answers.resize(out.begin.back());
    std::vector<std::uint64_t> next = out.begin;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        for (const std::uint32_t code : votes.of(q)) {
            if (chosen(code))
                out.answers[next[votes.question_item[q]]++] = {annotator_rank[code / kinds],
                                                               label_rank[votes.question_label[q]]};
        }
    }
    for (std::size_t i = 0; i < votes.items.size(); ++i)
        std::sort(out.answers.begin() + static_cast<std::ptrdiff_t>(out.begin[i]),
                  out.answers.begin() + static_cast<std::ptrdiff_t>(out.begin[i + 1]));
    return out;
}

void group_images(const ItemAnswers& by_item, ClassPatterns& out) {
    const auto items = static_cast<std::uint32_t>(by_item.begin.size() - 1);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < items; ++i)
        if (!by_item.of(i).empty()) order.push_back(i);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        return std::ranges::lexicographical_compare(by_item.of(a), by_item.of(b));
    });
    out.of_item.assign(items, ClassPatterns::none);
    out.begin.assign(1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto answers = by_item.of(order[i]);
        if (i == 0 || !std::ranges::equal(answers, by_item.of(order[i - 1]))) {
            out.answers.insert(out.answers.end(), answers.begin(), answers.end());
            out.begin.push_back(out.answers.size());
            out.images.push_back(0);
        }
        ++out.images.back();
        out.of_item[order[i]] = static_cast<std::uint32_t>(out.images.size() - 1);
    }
}

void add_candidates(ClassPatterns& out) {
    out.candidates_begin.assign(1, 0);
    std::vector<std::uint32_t> all(out.classes);
    std::iota(all.begin(), all.end(), 0U);
    for (std::size_t p = 0; p < out.size(); ++p) {
        std::vector<std::uint32_t> said;
        for (const ClassAnswer& answer : out.of(p)) said.push_back(answer.said);
        std::ranges::sort(said);
        said.erase(std::unique(said.begin(), said.end()), said.end());
        const std::vector<std::uint32_t>& those = out.full ? all : said;
        out.candidates.insert(out.candidates.end(), those.begin(), those.end());
        out.candidates_begin.push_back(out.candidates.size());
    }
}

/// Returns the distinct keys in ascending order, and replaces each of `keys` by its index among
/// them.
std::vector<std::uint64_t> number_keys(std::vector<std::uint64_t>& keys) {
    std::vector<std::uint64_t> distinct = keys;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::uint64_t& key : keys)
        key =
            static_cast<std::uint64_t>(std::ranges::lower_bound(distinct, key) - distinct.begin());
    return distinct;
}

/// Does the same as `number_keys` for keys below `limit`, in one pass.
std::vector<std::uint64_t> number_dense(std::vector<std::uint64_t>& keys, std::uint64_t limit) {
    std::vector<std::uint32_t> place(limit, 0);
    for (const std::uint64_t key : keys) place[key] = 1;
    std::vector<std::uint64_t> distinct;
    for (std::uint64_t key = 0; key < limit; ++key) {
        if (place[key] == 0) continue;
        place[key] = static_cast<std::uint32_t>(distinct.size());
        distinct.push_back(key);
    }
    for (std::uint64_t& key : keys) key = place[key];
    return distinct;
}

void add_cells(ClassPatterns& out) {
    constexpr std::uint64_t most_dense = std::uint64_t{1} << 24;
    const std::uint64_t classes = out.classes;
    std::vector<std::uint64_t> keys;
    out.cells_begin.assign(1, 0);
    for (std::size_t p = 0; p < out.size(); ++p) {
        for (const ClassAnswer& answer : out.of(p)) {
            for (const std::uint32_t k : out.candidates_of(p))
                keys.push_back((answer.annotator * classes + k) * classes + answer.said);
        }
        out.cells_begin.push_back(keys.size());
    }
    const std::uint64_t limit = out.annotators * classes * classes;
    const std::vector<std::uint64_t> cells =
        limit <= most_dense ? number_dense(keys, limit) : number_keys(keys);
    out.cell_of.assign(keys.begin(), keys.end());
    std::vector<std::uint64_t> pools;
    for (const std::uint64_t cell : cells) {
        ClassPatterns::Cell one;
        one.said = static_cast<std::uint32_t>(cell % classes);
        one.truth = static_cast<std::uint32_t>(cell / classes % classes);
        one.annotator = static_cast<std::uint32_t>(cell / classes / classes);
        if (!out.cells.empty() &&
            (out.cells.back().annotator != one.annotator || out.cells.back().truth != one.truth))
            ++out.rows;
        one.row = out.rows;
        out.cells.push_back(one);
        pools.push_back(one.truth * classes + one.said);
    }
    out.rows += out.cells.empty() ? 0 : 1;
    for (const std::uint64_t pool : number_keys(pools))
        out.pools.push_back({static_cast<std::uint32_t>(pool / classes),
                             static_cast<std::uint32_t>(pool % classes)});
    for (std::size_t c = 0; c < pools.size(); ++c)
        out.cells[c].pool = static_cast<std::uint32_t>(pools[c]);
}

}  // namespace

ClassPatterns class_patterns(const Votes& votes) {
    ClassPatterns out;
    const auto annotator_rank = ranks(votes.annotators, out.annotator_of);
    const auto label_rank = ranks(votes.labels, out.label_of);
    out.annotators = static_cast<std::uint32_t>(votes.annotators.size());
    out.classes = std::max<std::uint32_t>(2, static_cast<std::uint32_t>(votes.labels.size()));
    out.full = votes.labels.size() >= 2 && out.classes <= ClassPatterns::most_full;
    group_images(answers_by_item(votes, annotator_rank, label_rank), out);
    add_candidates(out);
    add_cells(out);
    return out;
}

}  // namespace assay
