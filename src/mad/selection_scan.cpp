#include "mad/selection_scan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/string_index.h"
#include "data/attributes.h"

namespace assay::mad {
namespace {

/// The candidates that one rank kept: for each pair three numbers, then its candidates.
std::vector<std::byte> packed_pairs(std::span<const PairSketch> sketches,
                                    std::span<const std::uint64_t> disagreeing) {
    std::vector<std::byte> bytes;
    const auto put = [&](const void* from, std::size_t size) {
        if (size == 0) return;
        bytes.resize(bytes.size() + size);
        std::memcpy(bytes.data() + bytes.size() - size, from, size);
    };
    for (std::size_t p = 0; p < sketches.size(); ++p) {
        const std::vector<Candidate> kept = sketches[p].candidates();
        const std::array<std::uint64_t, 3> head = {sketches[p].offered(), disagreeing[p],
                                                   kept.size()};
        put(head.data(), sizeof(head));
        put(kept.data(), kept.size() * sizeof(Candidate));
    }
    return bytes;
}

class PackedPairs {
public:
    explicit PackedPairs(std::span<const std::byte> bytes) : left_(bytes) {}
    ScannedPair next() {
        std::array<std::uint64_t, 3> head{};
        take(head.data(), sizeof(head));
        ScannedPair pair{.candidates = head[0], .disagreeing = head[1], .kept = {}};
        pair.kept.resize(head[2]);
        take(pair.kept.data(), pair.kept.size() * sizeof(Candidate));
        return pair;
    }

private:
    void take(void* to, std::size_t size) {
        if (size == 0) return;
        if (left_.size() < size) throw Error(ErrorCode::internal, "another rank's pairs end early");
        std::memcpy(to, left_.data(), size);
        left_ = left_.subspan(size);
    }
    std::span<const std::byte> left_;
};

}  // namespace

std::vector<std::uint64_t> parents_of(const Competition& competition, bool* found) {
    const Dataset& dataset = competition.dataset();
    const Dataset::Attribute* const attribute = find_attribute(dataset, "parent");
    *found = attribute != nullptr;
    if (attribute == nullptr) return {};
    const auto parent = [&](std::uint32_t i) {
        const std::string_view named = attribute->values[i];
        return named.empty() ? dataset.ids[i] : named;
    };
    StringIndex index(dataset.size(), parent);
    std::vector<std::uint64_t> parents(dataset.size());
    for (std::uint32_t i = 0; i < dataset.size(); ++i) parents[i] = index.insert(i).value_or(i);
    return parents;
}

SelectionScan::SelectionScan(const Competition& competition, std::span<const std::uint64_t> parents,
                             Comm& comm, int threads, const ProgressCallback& progress)
    : competition_(competition),
      parents_(parents),
      comm_(comm),
      threads_(threads),
      progress_(progress),
      part_(part_of_rank(competition.images(), comm)) {}

std::size_t pairs_of_a_batch(std::uint64_t candidates) {
    constexpr std::uint64_t most = 256, memory = std::uint64_t{512} << 20;
    const std::uint64_t each = sizeof(Candidate) * std::max<std::uint64_t>(candidates, 1);
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(memory / each, 1, most));
}

void SelectionScan::open(const std::vector<std::uint32_t>& classifiers) {
    agree(comm_, [&] { open_mine(classifiers); });
}

void SelectionScan::open_mine(const std::vector<std::uint32_t>& classifiers) {
    std::vector<std::uint32_t> mine;
    for (const std::uint32_t number : classifiers) {
        if (open_.contains(number)) continue;
        open_.emplace(number, competition_.predictions(competition_.classifiers().at(number)));
        // Every rank reads a part of each file, but only one of them verifies a file's bytes.
        if (number % static_cast<std::uint32_t>(comm_.size()) ==
            static_cast<std::uint32_t>(comm_.rank()))
            mine.push_back(number);
    }
    parallel_blocks(mine.size(), threads_, [&](std::size_t i) {
        throw_if_stopped();
        open_.at(mine[i]).check(competition_.classifiers().at(mine[i]));
    });
}

std::uint64_t SelectionScan::key_of(const PlannedPair& pair) const {
    const std::vector<CompetitionClassifier>& all = competition_.classifiers();
    return tie_key_of(competition_.settings().seed, all.at(pair.first).name,
                      all.at(pair.second).name);
}

std::vector<ScannedPair> SelectionScan::scan(std::span<const PlannedPair> pairs,
                                             std::span<const std::uint64_t> excluded) {
    std::vector<std::byte> mine;
    agree(comm_, [&] {
        std::set<std::uint32_t> numbers;
        for (const PlannedPair& pair : pairs) {
            numbers.insert(pair.first);
            numbers.insert(pair.second);
        }
        open_mine({numbers.begin(), numbers.end()});
        if (!distances_) distances_ = competition_.distances();
    });
    agree(comm_, [&] {
        ScanInput input;
        std::map<std::uint32_t, std::uint32_t> places;
        const std::uint64_t count = part_.size();
        const auto place_of = [&](std::uint32_t number) {
            const auto [at, fresh] =
                places.emplace(number, static_cast<std::uint32_t>(input.classifiers.size()));
            if (fresh) {
                const Predictions& all = open_.at(number).predictions();
                input.classifiers.push_back({all.labels.subspan(part_.begin, count),
                                             all.confidences.subspan(part_.begin, count)});
                input.thresholds.push_back(competition_.classifiers().at(number).threshold);
            }
            return at->second;
        };
        input.first_image = part_.begin;
        if (!parents_.empty()) input.parents = parents_.subspan(part_.begin, count);
        input.excluded = excluded;
        std::vector<ScanPair> scanned;
        std::vector<PairSketch> sketches;
        SelectionRule rule = competition_.settings().rule;
        for (const PlannedPair& pair : pairs) {
            const std::uint32_t first = place_of(pair.first), second = place_of(pair.second);
            scanned.push_back({first, second});
            rule.k = pair.k;
            rule.reserves = pair.reserves;
            rule.tie_key = key_of(pair);
            sketches.emplace_back(*distances_, rule);
        }
        std::vector<std::uint64_t> disagreeing(pairs.size());
        const auto progress = [&](std::uint64_t images) {
            if (progress_) progress_({.step = "selecting", .done = images, .total = count});
        };
        mad::scan(input, scanned, sketches, threads_, progress, disagreeing);
        mine = packed_pairs(sketches, disagreeing);
    });
    const std::vector<std::vector<std::byte>> all = comm_.gather(mine, 0);
    std::vector<ScannedPair> merged;
    if (comm_.rank() != 0) return merged;
    std::vector<PackedPairs> parts(all.begin(), all.end());
    SelectionRule rule = competition_.settings().rule;
    for (const PlannedPair& pair : pairs) {
        rule.k = pair.k;
        rule.reserves = pair.reserves;
        rule.tie_key = key_of(pair);
        PairSketch sketch(*distances_, rule);
        ScannedPair sum;
        for (PackedPairs& part : parts) {
            ScannedPair one = part.next();
            sum.candidates += one.candidates;
            sum.disagreeing += one.disagreeing;
            for (const Candidate& c : one.kept)
                sketch.offer(c.image, c.first_label, c.second_label, c.confidence, c.parent);
        }
        sum.kept = sketch.candidates();
        merged.push_back(std::move(sum));
    }
    return merged;
}

std::vector<std::span<const std::uint16_t>> SelectionScan::labels() {
    std::vector<std::uint32_t> numbers;
    for (const CompetitionClassifier& one : competition_.active()) numbers.push_back(one.number);
    open(numbers);
    std::vector<std::span<const std::uint16_t>> labels;
    for (const std::uint32_t number : numbers)
        labels.push_back(open_.at(number).predictions().labels.subspan(part_.begin, part_.size()));
    return labels;
}

std::uint64_t SelectionScan::scored() {
    const std::vector<CompetitionClassifier> active = competition_.active();
    const bool all = std::all_of(active.begin(), active.end(), [&](const auto& one) {
        return one.scored == competition_.images();
    });
    if (all) return competition_.images();
    const std::vector<std::span<const std::uint16_t>> labels = this->labels();
    std::array<std::int64_t, 1> count = {0};
    for (std::uint64_t i = 0; i < part_.size(); ++i) {
        count[0] += std::all_of(labels.begin(), labels.end(),
                                [&](const auto& of) { return of[i] != no_label; })
                        ? 1
                        : 0;
    }
    comm_.all_reduce(count);
    return static_cast<std::uint64_t>(count[0]);
}

}  // namespace assay::mad
