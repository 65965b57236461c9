#include "mad/question_budget.h"

#include <algorithm>
#include <array>
#include <map>

namespace assay::mad {
namespace {

/// The places of one pair that are not asked yet.
struct PairQueue {
    std::vector<std::size_t> places;  ///< by their turns
    std::size_t next = 0;
    PairSample sample;

    bool empty() const { return next == places.size(); }
};

class Budget {
public:
    Budget(const Tally& tally, const std::vector<SelectedRow>& selected, std::uint64_t budget)
        : selected_(selected), left_(budget) {
        for (const QuestionRow& row : tally.questions) there_.insert({row.image, row.label});
    }

    /// The next place, where it can be paid for.
    bool take(PairQueue& queue, BudgetChoice& choice) {
        if (queue.empty()) return false;
        const std::size_t place = queue.places[queue.next];
        const std::uint64_t cost = cost_of(place);
        if (cost > left_) return false;
        for (const QuestionKey& key : questions_of(selected_[place])) there_.insert(key);
        left_ -= cost;
        ++queue.next;
        choice.places.push_back(place);
        choice.questions += cost;
        return true;
    }
    bool next_is_free(const PairQueue& queue) const {
        return !queue.empty() && cost_of(queue.places[queue.next]) == 0;
    }

private:
    std::uint64_t cost_of(std::size_t place) const {
        std::uint64_t cost = 0;
        for (const QuestionKey& key : questions_of(selected_[place]))
            cost += there_.count(key) == 0 ? 1 : 0;
        return cost;
    }

    const std::vector<SelectedRow>& selected_;
    std::set<QuestionKey> there_;
    std::uint64_t left_;
};

std::vector<PairQueue> queues_of(const Tally& tally, const std::vector<PairRow>& pairs,
                                 const std::vector<SelectedRow>& selected,
                                 const std::vector<std::uint32_t>& numbers) {
    const std::vector<PairSample> samples = samples_of(tally, pairs, selected, numbers);
    std::vector<PairQueue> queues(samples.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_classifiers;
    for (std::size_t s = 0; s < samples.size(); ++s) {
        queues[s].sample = samples[s];
        by_classifiers[{numbers[samples[s].counts.first], numbers[samples[s].counts.second]}] = s;
    }
    std::map<std::int64_t, std::size_t> by_pair;
    for (const PairRow& pair : pairs) {
        const auto found = by_classifiers.find({pair.first, pair.second});
        if (found != by_classifiers.end()) by_pair[pair.id] = found->second;
    }
    std::vector<std::uint64_t> open(queues.size(), 0);
    for (std::size_t i = 0; i < selected.size(); ++i) {
        const SelectedRow& row = selected[i];
        const auto found = by_pair.find(row.pair);
        if (found == by_pair.end() || row.state != SelectedState::accepted) continue;
        const PlaceState state = place_state(tally, row);
        if (row.asked)
            open[found->second] += state == PlaceState::open ? 1 : 0;
        else if (state != PlaceState::unclear)  // it is to be replaced, and needs no question
            queues[found->second].places.push_back(i);
    }
    for (std::size_t q = 0; q < queues.size(); ++q) {
        PairQueue& queue = queues[q];
        std::sort(queue.places.begin(), queue.places.end(), [&](std::size_t a, std::size_t b) {
            return selected[a].turn != selected[b].turn ? selected[a].turn < selected[b].turn
                                                        : selected[a].image < selected[b].image;
        });
        queue.sample.counts = extended(queue.sample.counts, open[q]);
        // What can still be known of this list: images that nobody can judge are no part of it.
        queue.sample.list = queue.sample.counts.n() + queue.places.size();
    }
    return queues;
}

}  // namespace

PairCounts extended(PairCounts now, std::uint64_t images) {
    const auto n = static_cast<double>(now.n());
    std::array<std::uint64_t*, 4> cells = {&now.both, &now.only_first, &now.only_second,
                                           &now.neither};
    std::array<double, 4> proportion{};
    for (std::size_t c = 0; c < cells.size(); ++c)
        proportion[c] = (static_cast<double>(*cells[c]) + .5) / (n + 2);
    for (std::uint64_t i = 0; i < images; ++i) {
        const double after = n + static_cast<double>(i) + 1;
        std::size_t most = 0;
        double most_lacking = -1;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const double lacking = proportion[c] * after - static_cast<double>(*cells[c]);
            if (lacking <= most_lacking) continue;
            most = c;
            most_lacking = lacking;
        }
        ++*cells[most];
    }
    return now;
}

BudgetChoice places_within_budget(const Tally& tally, const std::vector<PairRow>& pairs,
                                  const std::vector<SelectedRow>& selected,
                                  const std::vector<std::uint32_t>& numbers, std::uint64_t budget) {
    BudgetChoice choice;
    std::vector<PairQueue> queues = queues_of(tally, pairs, selected, numbers);
    Budget money(tally, selected, budget);
    const auto take = [&](PairQueue& queue, std::uint64_t most) {
        std::uint64_t taken = 0;
        while (taken < most && money.take(queue, choice)) ++taken;
        queue.sample.counts = extended(queue.sample.counts, taken);
        return taken;
    };
    const auto take_free = [&] {
        for (bool again = true; again;) {
            again = false;
            for (PairQueue& queue : queues) {
                while (money.next_is_free(queue)) {
                    take(queue, 1);
                    again = true;
                }
            }
        }
    };
    take_free();
    while (true) {
        std::vector<PairSample> samples;
        std::vector<std::size_t> queue_of;
        for (std::size_t q = 0; q < queues.size(); ++q) {
            if (queues[q].sample.list == 0) continue;  // 0 would mean a list without an end
            samples.push_back(queues[q].sample);
            queue_of.push_back(q);
        }
        const std::optional<NextImages> next =
            next_images(numbers.size(), samples, {.lists_alone = true});
        if (!next || next->images == 0) break;
        const std::uint64_t taken = take(queues[queue_of[next->pair]], next->images);
        take_free();
        if (taken < next->images) break;  // what is left of the budget does not pay the next one
    }
    return choice;
}

}  // namespace assay::mad
