#include "mad/rank_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"

namespace assay::mad {
namespace {

constexpr std::size_t replicates_a_block = 25;

/// An answer in the form for a replicate.
struct Voice {
    std::uint32_t annotator = 0;
    Answer answer = Answer::no;
    double log_ratio = 0;  ///< log odds with Dawid and Skene
};

struct Decided {
    bool there = false, unclear = false, yes = false;
};

/// The data for replicates in dense arrays: all questions and places that count.
class Resampled {
public:
    Resampled(const Tally& tally, const std::vector<PairRow>& pairs,
              const std::vector<SelectedRow>& selected, const std::vector<std::uint32_t>& numbers,
              std::uint32_t first_places)
        : by_rates_(tally.rule == VoteRule::dawid_skene), prior_(tally.prior_log_odds) {
        counts_ = counts_of_pairs(tally, pairs, {}, numbers);
        std::map<std::int64_t, std::uint32_t> number_in;
        std::uint32_t next = 0;
        for (const PairRow& pair : pairs) {
            const auto there = [&](std::uint32_t number) {
                return std::binary_search(numbers.begin(), numbers.end(), number);
            };
            if (there(pair.first) && there(pair.second)) number_in[pair.id] = next++;
        }
        std::unordered_map<std::int64_t, std::uint32_t> image_of;
        std::unordered_map<const QuestionTally*, std::uint32_t> question_of;
        for (const SelectedRow& row : selected) {
            if (row.state != SelectedState::accepted || !row.asked) continue;
            if (first_places != 0 && row.place >= first_places) continue;
            const auto pair = number_in.find(row.pair);
            if (pair == number_in.end()) continue;
            const PlaceTally place = place_tally(tally, row);
            if (place.state != PlaceState::known) continue;
            const auto [image, fresh] =
                image_of.try_emplace(row.image, static_cast<std::uint32_t>(images_.size()));
            if (fresh) images_.push_back(static_cast<std::uint64_t>(row.image));
            places_.push_back({pair->second, image->second, number_of(*place.first, question_of),
                               number_of(*place.second, question_of)});
        }
        // Sorts annotators by number, so that the order of questions does not matter.
        std::map<std::int64_t, std::uint32_t> annotator_of;
        for (const auto* question : questions_)
            for (const AnswerRow& row : question->deciding()) annotator_of[row.annotator] = 0;
        for (auto& [id, number] : annotator_of) number = annotators_++;
        begin_.push_back(0);
        for (const auto* question : questions_) {
            for (const AnswerRow& row : question->deciding()) {
                double ratio = 0;
                if (by_rates_ && row.answer != Answer::cannot_say)
                    ratio = tally.log_ratio.at(row.annotator)[row.answer == Answer::yes ? 1 : 0];
                voices_.push_back({annotator_of[row.annotator], row.answer, ratio});
            }
            begin_.push_back(voices_.size());
        }
    }

    std::vector<PairCounts> draw(std::uint64_t seed, const BootstrapWeights& weights,
                                 std::uint64_t replicate) const {
        std::vector<std::uint32_t> of_image, of_annotator(annotators_, 0);
        for (const std::uint64_t image : images_) of_image.push_back(weights(replicate, image));
        RandomStream random(seed, "mad annotators", replicate);
        for (std::uint32_t a = 0; a < annotators_; ++a) ++of_annotator[random.below(annotators_)];
        std::vector<Decided> decided;
        for (std::size_t q = 0; q < questions_.size(); ++q)
            decided.push_back(decide_again(q, of_annotator));
        std::vector<PairCounts> counts = counts_;
        for (const Place& place : places_) {
            const Decided &first = decided[place.first], &second = decided[place.second];
            if (!first.there || !second.there || first.unclear || second.unclear) continue;
            PairCounts& pair = counts[place.pair];
            (first.yes    ? second.yes ? pair.both : pair.only_first
             : second.yes ? pair.only_second
                          : pair.neither) += of_image[place.image];
        }
        return counts;
    }

private:
    struct Place {
        std::uint32_t pair = 0, image = 0, first = 0, second = 0;
    };

    std::uint32_t number_of(const QuestionTally& question,
                            std::unordered_map<const QuestionTally*, std::uint32_t>& known) {
        const auto [found, fresh] =
            known.try_emplace(&question, static_cast<std::uint32_t>(questions_.size()));
        if (fresh) questions_.push_back(&question);
        return found->second;
    }

    Decided decide_again(std::size_t q, const std::vector<std::uint32_t>& of_annotator) const {
        const QuestionTally& question = *questions_[q];
        if (question.gold) return {true, false, question.outcome.yes};
        std::uint64_t said[3] = {0, 0, 0};
        double log_odds = prior_;
        for (std::size_t v = begin_[q]; v < begin_[q + 1]; ++v) {
            const Voice& voice = voices_[v];
            const std::uint32_t times = of_annotator[voice.annotator];
            said[static_cast<std::size_t>(voice.answer)] += times;
            log_odds += times * voice.log_ratio;
        }
        const std::uint64_t all = said[0] + said[1] + said[2];
        Decided out;
        out.there = all > 0;
        out.unclear = 5 * said[2] >= 4 * all;
        if (by_rates_ && said[0] + said[1] > 0)
            out.yes = log_odds > 0;
        else
            out.yes = said[0] == said[1] ? question.outcome.yes : said[1] > said[0];
        return out;
    }

    bool by_rates_;
    double prior_;
    std::vector<PairCounts> counts_;  ///< all 0
    std::vector<Place> places_;
    std::vector<std::uint64_t> images_;
    std::vector<const QuestionTally*> questions_;
    std::vector<Voice> voices_;
    std::vector<std::size_t> begin_;  ///< answers to question q: [begin_[q], begin_[q + 1])
    std::uint32_t annotators_ = 0;
};

}  // namespace

std::vector<double> places_within(const std::vector<double>& scores,
                                  const std::vector<std::uint32_t>& component) {
    std::map<std::uint32_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < scores.size(); ++i) members[component[i]].push_back(i);
    std::vector<double> places(scores.size());
    for (const auto& [number, of] : members) {
        std::vector<double> own;
        for (const std::size_t i : of) own.push_back(scores[i]);
        const std::vector<double> found = places_of(own);
        for (std::size_t a = 0; a < of.size(); ++a) places[of[a]] = found[a];
    }
    return places;
}

PairMatrix images_of_pairs(std::size_t classifiers, std::span<const PairCounts> counts) {
    PairMatrix images(classifiers);
    for (const PairCounts& pair : counts)
        images.at(pair.first, pair.second) = static_cast<double>(pair.n());
    return images;
}

PlacedBy rule_for(PlacedBy wanted, std::size_t classifiers, std::span<const PairCounts> counts) {
    const auto with = std::count_if(counts.begin(), counts.end(),
                                    [](const PairCounts& pair) { return pair.n() > 0; });
    const bool all = static_cast<std::size_t>(with) == classifiers * (classifiers - 1) / 2;
    return wanted == PlacedBy::perron && !all ? PlacedBy::hodge : wanted;
}

std::vector<double> places_by(PlacedBy rule, std::size_t classifiers,
                              std::span<const PairCounts> counts, const RankOptions& options,
                              const std::vector<std::uint32_t>& component) {
    rule = rule_for(rule, classifiers, counts);
    if (rule == PlacedBy::posterior)
        return places_within(posterior_scores(classifiers, counts, options.posterior), component);
    const PairMatrix ratios = log_ratios(classifiers, counts, options.ratios);
    if (rule == PlacedBy::perron) return places_of(perron(ratios).scores);
    return places_within(hodge_rank(ratios, images_of_pairs(classifiers, counts)).scores,
                         component);
}

RankOptions for_parts_of_images(RankOptions options) {
    if (options.ratios.alpha == 0) options.ratios.alpha = .5;
    return options;
}

std::vector<std::vector<double>> bootstrap_places(const Tally& tally,
                                                  const std::vector<PairRow>& pairs,
                                                  const std::vector<SelectedRow>& selected,
                                                  const std::vector<std::uint32_t>& numbers,
                                                  PlacedBy rule, const RankOptions& options,
                                                  const std::vector<std::uint32_t>& component) {
    const Resampled resampled(tally, pairs, selected, numbers, options.k);
    const BootstrapWeights weights(options.posterior.seed, "mad images");
    const RankOptions smoothed = for_parts_of_images(options);
    std::vector<std::vector<double>> places(options.bootstraps);
    const std::size_t blocks = (places.size() + replicates_a_block - 1) / replicates_a_block;
    parallel_blocks(blocks, resolve_threads(options.threads), [&](std::size_t block) {
        const std::size_t end = std::min(places.size(), (block + 1) * replicates_a_block);
        for (std::size_t r = block * replicates_a_block; r < end; ++r) {
            throw_if_stopped();
            places[r] =
                places_by(rule, numbers.size(), resampled.draw(options.posterior.seed, weights, r),
                          smoothed, component);
        }
    });
    return places;
}

Interval place_interval(std::vector<double> replicates, double place, double level) {
    Interval interval = percentile_interval(std::move(replicates), level, "bootstrap.percentile");
    interval.low = std::min(std::floor(interval.low), place);
    interval.high = std::max(std::ceil(interval.high), place);
    return interval;
}

}  // namespace assay::mad
