#include "mad/question_budget.h"

#include <algorithm>
#include <utility>

#include "core/random.h"
#include "mad/asking.h"

namespace assay::mad {
namespace {

/// An image with accepted places that people can judge.
struct AskedImage {
    std::int64_t image = 0;
    std::vector<std::size_t> unasked;  ///< places
    std::size_t places = 0;
    double cost = 0;  ///< number of questions that do not exist yet
    bool asked = false;
    std::int64_t stratum = 0;
};

class Budget {
public:
    Budget(const AskInput& in, std::uint64_t budget, AskOrder order)
        : in_(in), budget_(budget), order_(order) {
        std::set<QuestionKey> there;
        for (const QuestionRow& row : in.tally->questions) there.insert({row.image, row.label});
        std::map<std::int64_t, AskedImage> images;
        std::set<QuestionKey> missing;
        for (std::size_t p = 0; p < in.selected->size(); ++p) {
            const SelectedRow& row = (*in.selected)[p];
            if (row.state != SelectedState::accepted) continue;
            // An image that nobody can judge will be replaced, and needs no question.
            if (!row.asked && place_state(*in.tally, row) == PlaceState::unclear) continue;
            AskedImage& one = images[row.image];
            one.image = row.image;
            ++one.places;
            one.asked = one.asked || row.asked;
            if (row.asked) continue;
            one.unasked.push_back(p);
            for (const QuestionKey& key : questions_of(row))
                if (!there.contains(key) && missing.insert(key).second) ++one.cost;
        }
        for (auto& [image, one] : images) images_.push_back(std::move(one));
    }

    BudgetChoice choose() {
        complete();
        take_known();
        draw();
        return std::move(choice_);
    }

private:
    const ImageDraw* draw_of(std::int64_t image) const {
        const auto found = in_.draws.find(image);
        return found == in_.draws.end() ? nullptr : &found->second;
    }
    bool is_drawn(const AskedImage& one) const {
        const ImageDraw* const draw = draw_of(one.image);
        return draw != nullptr && draw->number.has_value();
    }
    bool is_spent() const { return choice_.questions >= budget_; }
    void take(AskedImage& one) {
        choice_.places.insert(choice_.places.end(), one.unasked.begin(), one.unasked.end());
        choice_.questions += static_cast<std::uint64_t>(one.cost);
        one.unasked.clear();
    }

    void complete() {
        std::vector<std::pair<std::int64_t, std::size_t>> order;
        for (std::size_t i = 0; i < images_.size(); ++i) {
            const AskedImage& one = images_[i];
            if (one.unasked.empty() || !(one.asked || is_drawn(one))) continue;
            order.emplace_back(is_drawn(one) ? *draw_of(one.image)->number : -1, i);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [number, i] : order) {
            if (is_spent() && images_[i].cost > 0) continue;
            take(images_[i]);
        }
    }
    void take_known() {
        for (AskedImage& one : images_)
            if (!one.unasked.empty() && one.cost == 0) take(one);
    }

    void draw() {
        std::vector<std::size_t> left;
        std::int64_t next_stratum = 0, next_number = 0;
        for (const auto& [image, draw] : in_.draws) {
            next_stratum = std::max(next_stratum, draw.stratum + 1);
            if (draw.number) next_number = std::max(next_number, *draw.number + 1);
        }
        for (std::size_t i = 0; i < images_.size(); ++i) {
            AskedImage& one = images_[i];
            if (one.unasked.empty() || one.asked || is_drawn(one)) continue;
            const ImageDraw* const before = draw_of(one.image);
            one.stratum = before == nullptr ? next_stratum : before->stratum;
            if (before == nullptr) choice_.draws[one.image].stratum = next_stratum;
            left.push_back(i);
        }
        std::vector<double> of_left = influence_of(left);
        if (order_ == AskOrder::shared) sort_by_sharing(left);
        for (; !is_spent() && !left.empty(); ++next_number) {
            const std::vector<double> q = probabilities(left, of_left);
            const std::size_t at = order_ == AskOrder::shared
                                       ? 0
                                       : drawn_at(q, static_cast<std::uint64_t>(next_number));
            AskedImage& one = images_[left[at]];
            double of_stratum = 0;
            for (std::size_t k = 0; k < left.size(); ++k)
                of_stratum += images_[left[k]].stratum == one.stratum ? q[k] : 0;
            ImageDraw& draw = choice_.draws[one.image];
            draw.stratum = one.stratum;
            draw.number = next_number;
            if (order_ != AskOrder::shared) draw.probability = std::min(1.0, q[at] / of_stratum);
            ++choice_.images_drawn;
            take(one);
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
            of_left.erase(of_left.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
    std::vector<double> probabilities(const std::vector<std::size_t>& left,
                                      const std::vector<double>& influence) const {
        if (order_ != AskOrder::information)
            return std::vector<double>(left.size(), 1 / static_cast<double>(left.size()));
        std::vector<double> cost;
        for (const std::size_t i : left) cost.push_back(images_[i].cost);
        return draw_probabilities(influence, cost);
    }
    /// The first image, by number, whose cumulative probability exceeds this draw's uniform number.
    std::size_t drawn_at(const std::vector<double>& q, std::uint64_t number) const {
        const double u = RandomStream(in_.seed, "mad draws", number).uniform();
        double sum = 0;
        for (std::size_t k = 0; k < q.size(); ++k) {
            sum += q[k];
            if (sum > u) return k;
        }
        return q.size() - 1;
    }
    void sort_by_sharing(std::vector<std::size_t>& left) const {
        const auto rank = [&](std::size_t i) {
            const AskedImage& one = images_[i];
            return std::pair(
                -static_cast<double>(one.places) / one.cost,
                RandomStream(in_.seed, "mad shared", static_cast<std::uint64_t>(one.image))
                    .next_u64());
        };
        std::stable_sort(left.begin(), left.end(),
                         [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    }

    /// The sum over the remaining images.
    std::vector<double> influence_of(const std::vector<std::size_t>& left) const {
        if (order_ != AskOrder::information) return std::vector<double>(left.size(), 0.0);
        const std::size_t m = in_.numbers.size();
        const AnsweredPlaces& answered = *in_.answered;
        OrderSoFar so_far;
        if (!answered.places.empty()) {
            for (const Estimate& score : in_.now->scores) so_far.scores.push_back(*score.value);
            so_far.variance = in_.now->variance;
        }
        std::map<std::uint64_t, bool> any_correct;
        for (const AnsweredPlace& place : answered.places) {
            bool& any = any_correct[place.image];
            any = any || place.first || place.second;
        }
        so_far.images = any_correct.size();
        for (const auto& [image, any] : any_correct) so_far.none_correct += any ? 0 : 1;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number_of;
        for (std::uint32_t p = 0; p < answered.pairs.size(); ++p) {
            const ListedPair& pair = answered.pairs[p];
            number_of[{in_.numbers[pair.first], in_.numbers[pair.second]}] = p;
        }
        std::map<std::int64_t, std::uint32_t> of_pair;
        for (const PairRow& pair : *in_.pairs) {
            const auto found = number_of.find({pair.first, pair.second});
            if (found != number_of.end()) of_pair[pair.id] = found->second;
        }
        std::vector<ListedPlace> places;
        for (std::size_t k = 0; k < left.size(); ++k) {
            for (const std::size_t p : images_[left[k]].unasked) {
                const SelectedRow& row = (*in_.selected)[p];
                const auto pair = of_pair.find(row.pair);
                if (pair != of_pair.end())
                    places.push_back({pair->second, k, row.first_label, row.second_label});
            }
        }
        return expected_influence(m, left.size(), places, answered, so_far);
    }

    const AskInput& in_;
    std::uint64_t budget_;
    AskOrder order_;
    std::vector<AskedImage> images_;  ///< by number
    BudgetChoice choice_;
};

}  // namespace

BudgetChoice images_within_budget(const AskInput& in, std::uint64_t budget, AskOrder order) {
    return Budget(in, budget, order).choose();
}

}  // namespace assay::mad
