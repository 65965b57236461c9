#include "annotation/vote_patterns.h"

#include <algorithm>

namespace assay {
namespace {

constexpr std::uint32_t nothing = UINT32_MAX;

std::uint64_t hash_of(std::span<const std::uint32_t> codes) {
    std::uint64_t hash = codes.size();
    for (const std::uint32_t code : codes) {
        hash = (hash ^ code) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

VotePatterns group_by_answers(const Votes& votes) {
    const std::size_t questions = votes.questions();
    VotePatterns patterns;
    patterns.begin.assign(1, 0);
    patterns.of_question.resize(questions);
    // A table with open addressing. It doubles as it fills, so that few patterns fit the cache.
    std::vector<std::uint32_t> table(1024, nothing);
    std::vector<std::uint64_t> hashes;
    const auto place_of = [&](std::uint64_t hash, std::span<const std::uint32_t> codes) {
        std::size_t at = hash & (table.size() - 1);
        while (table[at] != nothing) {
            const std::uint32_t there = table[at];
            if (hashes[there] == hash && std::ranges::equal(patterns[there], codes)) break;
            at = (at + 1) & (table.size() - 1);
        }
        return at;
    };
    for (std::size_t q = 0; q < questions; ++q) {
        const auto codes = votes.of(q);
        const std::uint64_t hash = hash_of(codes);
        const std::size_t at = place_of(hash, codes);
        if (table[at] != nothing) {
            ++patterns.questions[table[at]];
            patterns.of_question[q] = table[at];
            continue;
        }
        const auto next = static_cast<std::uint32_t>(patterns.size());
        table[at] = patterns.of_question[q] = next;
        hashes.push_back(hash);
        patterns.codes.insert(patterns.codes.end(), codes.begin(), codes.end());
        patterns.begin.push_back(patterns.codes.size());
        patterns.questions.push_back(1);
        if (2 * patterns.size() < table.size()) continue;
        table.assign(2 * table.size(), nothing);
        for (std::uint32_t p = 0; p < patterns.size(); ++p) {
            std::size_t free = hashes[p] & (table.size() - 1);
            while (table[free] != nothing) free = (free + 1) & (table.size() - 1);
            table[free] = p;
        }
    }
    return patterns;
}

}  // namespace assay
