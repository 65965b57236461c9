#include "assay/annotation/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "core/csv.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "propose_search.h"

namespace assay {
namespace {

constexpr std::size_t block_items = 256;
/// Entries (items x models x depth) that the search looks at.
constexpr std::uint64_t most_entries = 6'000'000;

using Stores = std::vector<RowReader>;
/// The best classes of one item, a list a model.
using Answers = std::vector<std::vector<RankedClass>>;

/// Larger is better; for ranks the negative rank from 1.
float score_of(const std::vector<RankedClass>& answers, std::size_t i, ProposeOptions::Rule rule) {
    return rule == ProposeOptions::Rule::rank ? -static_cast<float>(i + 1) : answers[i].probability;
}

std::size_t place_in(const std::vector<RankedClass>& answers, std::int32_t cls) {
    return static_cast<std::size_t>(
        std::find_if(answers.begin(), answers.end(),
                     [&](const RankedClass& a) { return a.cls == cls; }) -
        answers.begin());
}

/// Distinct classes of all models, ascending.
std::vector<std::int32_t> classes_in(const Answers& answers, std::span<const std::int32_t> also) {
    std::vector<std::int32_t> out(also.begin(), also.end());
    for (const auto& list : answers) {
        for (const RankedClass& a : list) out.push_back(a.cls);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool contains(std::span<const std::int32_t> set, std::int32_t c) {
    return std::find(set.begin(), set.end(), c) != set.end();
}

class Proposer {
public:
    Proposer(const Stores& stores, const ProposeOptions& options)
        : stores_(stores),
          options_(options),
          dataset_(stores.front().store().dataset()),
          rows_(stores.front().store().rows()),
          threads_(resolve_threads(options.threads)) {}

    Proposals run() {
        out_.items = rows_;
        for (const auto& store : stores_) {
            out_.models.push_back({.name = store.store().spec().model_name,
                                   .chosen = true,
                                   .threshold = 0,
                                   .proposals = 0,
                                   .alone = 0,
                                   .recall = {}});
            if (store.depth() < options_.depth &&
                store.depth() < stores_.front().store().classes()) {
                out_.notes.push_back(
                    fmt::format("{} keeps {} class{} an image, less than the {} asked for",
                                out_.models.back().name, store.depth(),
                                store.depth() == 1 ? "" : "es", options_.depth));
            }
        }
        search();
        ask();
        return std::move(out_);
    }

private:
    bool read(std::uint64_t item, Answers& answers) const {
        answers.resize(stores_.size());
        for (std::size_t m = 0; m < stores_.size(); ++m) {
            if (stores_[m].top(item, options_.depth, answers[m]) != RowStatus::ok) return false;
        }
        return true;
    }
    std::span<const std::int32_t> original(std::uint64_t item) const {
        if (item >= dataset_.labels.size()) return {};
        return dataset_.labels[static_cast<std::size_t>(item)];
    }
    std::span<const std::int32_t> known(std::uint64_t item) const {
        return options_.gold != nullptr ? (*options_.gold)[static_cast<std::size_t>(item)]
                                        : original(item);
    }
    bool agreed(std::uint64_t item, const Answers& answers) const {
        const auto labels = original(item);
        if (!options_.skip_agreed || labels.size() != 1) return false;
        return std::all_of(answers.begin(), answers.end(), [&](const auto& list) {
            return !list.empty() && list[0].cls == labels[0];
        });
    }

    /// Items with known labels, or the part of them that fits: those with the smallest draws.
    std::vector<std::uint64_t> sample() const {
        std::vector<std::uint64_t> items;
        for (std::uint64_t i = 0; i < rows_; ++i) {
            if (!known(i).empty()) items.push_back(i);
        }
        const std::uint64_t room = std::max<std::uint64_t>(
            1, most_entries / (stores_.size() * std::uint64_t{options_.depth}));
        if (items.size() <= room) return items;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> drawn;
        for (const std::uint64_t i : items)
            drawn.emplace_back(RandomStream(options_.seed, "labels.propose.sample", i).next_u64(),
                               i);
        std::nth_element(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(room),
                         drawn.end());
        items.clear();
        for (std::uint64_t n = 0; n < room; ++n) items.push_back(drawn[n].second);
        std::sort(items.begin(), items.end());
        return items;
    }

    void search() {
        const std::vector<std::uint64_t> items = sample();
        out_.sampled = items.size();
        if (items.empty()) {
            throw Error(ErrorCode::usage,
                        options_.gold != nullptr
                            ? "the gold label sets are all empty: nothing to set thresholds by"
                            : "the items have no labels to set thresholds by: give --gold");
        }
        std::vector<Answers> answers(items.size());
        const std::size_t blocks = (items.size() + block_items - 1) / block_items;
        parallel_blocks(blocks, threads_, [&](std::size_t b) {
            for (std::size_t n = b * block_items; n < std::min(items.size(), (b + 1) * block_items);
                 ++n) {
                if (!read(items[n], answers[n])) answers[n].clear();
            }
        });
        // Scores of the known labels of each model, best first: levels are places in these lists.
        known_scores_.assign(stores_.size(), {});
        for (std::size_t n = 0; n < items.size(); ++n) {
            if (answers[n].empty() || agreed(items[n], answers[n])) continue;
            for (const std::int32_t c : known(items[n])) {
                for (std::size_t m = 0; m < stores_.size(); ++m) {
                    const std::size_t at = place_in(answers[n][m], c);
                    if (at < answers[n][m].size())
                        known_scores_[m].push_back(score_of(answers[n][m], at, options_.rule));
                }
            }
        }
        for (auto& scores : known_scores_)
            std::sort(scores.begin(), scores.end(), std::greater<>());

        CandidatePairs pairs;
        pairs.models = stores_.size();
        for (std::size_t n = 0; n < items.size(); ++n) {
            if (answers[n].empty()) continue;
            const auto right = known(items[n]);
            if (agreed(items[n], answers[n])) {
                // No question is asked, and the one original label is taken.
                for (const std::int32_t c : right)
                    ++(contains(original(items[n]), c) ? pairs.granted : pairs.unseen);
                continue;
            }
            add_pairs(pairs, items[n], answers[n], right);
        }
        const double all = static_cast<double>(pairs.all_known());
        const auto wanted = static_cast<std::uint64_t>(std::ceil(options_.recall * all - 1e-9));
        const std::uint64_t every =
            stores_.size() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << stores_.size()) - 1;
        const Choice choice = options_.choose_models ? best_subset(pairs, wanted, threads_)
                                                     : level_for(pairs, every, wanted);
        out_.reached = choice.reached;
        if (!choice.reached) {
            out_.notes.push_back(
                fmt::format("the {} best classes of all models find {} of {} known labels, {} are "
                            "asked for: a larger depth, more "
                            "models or a lower recall is needed",
                            options_.depth, choice.found, pairs.all_known(), wanted));
        }
        for (std::size_t m = 0; m < stores_.size(); ++m) {
            ModelProposals& model = out_.models[m];
            model.chosen = (choice.mask >> m & 1U) != 0;
            const auto& scores = known_scores_[m];
            // Level 0: the first answers alone. Beyond the list: all that was looked at.
            const float least = choice.level == 0               ? infinite_
                                : choice.level <= scores.size() ? scores[choice.level - 1]
                                                                : -infinite_;
            least_.push_back(least);
            const bool rank = options_.rule == ProposeOptions::Rule::rank;
            model.threshold = least == infinite_ ? 1
                              : least == -infinite_
                                  ? (rank ? static_cast<double>(options_.depth) : 0)
                                  : static_cast<double>(rank ? -least : least);
        }
    }

    void add_pairs(CandidatePairs& pairs, std::uint64_t item, const Answers& answers,
                   std::span<const std::int32_t> right) const {
        const auto asked_anyway =
            options_.keep_original ? original(item) : std::span<const std::int32_t>();
        std::size_t seen = 0;
        for (const std::int32_t c : classes_in(answers, asked_anyway)) {
            bool by_any = false;
            for (std::size_t m = 0; m < stores_.size(); ++m) {
                const std::size_t at = place_in(answers[m], c);
                std::uint32_t level = CandidatePairs::never;
                if (at == 0 && !answers[m].empty()) {
                    level = 0;
                } else if (at < answers[m].size()) {
                    const auto& scores = known_scores_[m];
                    const float score = score_of(answers[m], at, options_.rule);
                    level = 1 + static_cast<std::uint32_t>(std::lower_bound(scores.begin(),
                                                                            scores.end(), score,
                                                                            std::greater<>()) -
                                                           scores.begin());
                }
                by_any = by_any || level != CandidatePairs::never;
                pairs.levels.push_back(level);
            }
            pairs.known.push_back(contains(right, c) && by_any ? 1 : 0);
            pairs.free.push_back(contains(asked_anyway, c) ? 1 : 0);
            seen += pairs.known.back() != 0 ? 1 : 0;
        }
        pairs.unseen += right.size() - seen;
    }

    /// Which chosen models propose a class.
    std::uint64_t proposers(const Answers& answers, std::int32_t c) const {
        std::uint64_t mask = 0;
        for (std::size_t m = 0; m < stores_.size(); ++m) {
            const std::size_t at = place_in(answers[m], c);
            if (!out_.models[m].chosen || at >= answers[m].size()) continue;
            if (at == 0 || score_of(answers[m], at, options_.rule) >= least_[m])
                mask |= std::uint64_t{1} << m;
        }
        return mask;
    }

    struct Block {
        std::vector<Question> questions;
        std::uint64_t asked = 0, agreed = 0, not_scored = 0, most = 0;
        std::uint64_t original = 0, original_found = 0, gold = 0, gold_found = 0;
        std::vector<std::uint64_t> proposals, alone, found;  // by model
    };

    void ask_about(std::uint64_t item, Block& block, Answers& answers) const {
        if (!read(item, answers)) {
            ++block.not_scored;
            return;
        }
        const auto labels = original(item);
        const auto gold = options_.gold != nullptr ? known(item) : std::span<const std::int32_t>();
        block.original += labels.size();
        block.gold += gold.size();
        if (agreed(item, answers)) {
            ++block.agreed;
            ++block.original_found;
            block.gold_found += contains(gold, labels[0]) ? 1 : 0;
            for (std::size_t m = 0; m < stores_.size(); ++m)
                block.found[m] += contains(known(item), labels[0]) ? 1 : 0;
            return;
        }
        const auto begin = static_cast<std::ptrdiff_t>(block.questions.size());
        for (const std::int32_t c : classes_in(
                 answers, options_.keep_original ? labels : std::span<const std::int32_t>())) {
            const std::uint64_t mask = proposers(answers, c);
            const bool right = contains(known(item), c);
            for (std::size_t m = 0; m < stores_.size() && mask != 0; ++m) {
                if ((mask >> m & 1U) == 0) continue;
                ++block.proposals[m];
                block.alone[m] += mask == std::uint64_t{1} << m ? 1 : 0;
                block.found[m] += right ? 1 : 0;
            }
            if (mask != 0) {
                block.original_found += contains(labels, c) ? 1 : 0;
                block.gold_found += contains(gold, c) ? 1 : 0;
            } else if (!options_.keep_original || !contains(labels, c)) {
                continue;
            }
            block.questions.push_back({item, c, prior_of(answers, c), mask});
        }
        std::stable_sort(block.questions.begin() + begin, block.questions.end(),
                         [](const Question& a, const Question& b) { return a.prior > b.prior; });
        const std::uint64_t count = block.questions.size() - static_cast<std::size_t>(begin);
        block.asked += count > 0 ? 1 : 0;
        block.most = std::max(block.most, count);
    }

    float prior_of(const Answers& answers, std::int32_t c) const {
        double sum = 0, models = 0;
        for (std::size_t m = 0; m < stores_.size(); ++m) {
            if (!out_.models[m].chosen) continue;
            ++models;
            const std::size_t at = place_in(answers[m], c);
            if (at < answers[m].size()) sum += static_cast<double>(answers[m][at].probability);
        }
        return static_cast<float>(models > 0 ? sum / models : 0);
    }

    void ask() {
        const std::size_t models = stores_.size();
        std::vector<Block> blocks(
            static_cast<std::size_t>((rows_ + block_items - 1) / block_items));
        parallel_blocks(blocks.size(), threads_, [&](std::size_t b) {
            Block& block = blocks[b];
            block.proposals.assign(models, 0);
            block.alone.assign(models, 0);
            block.found.assign(models, 0);
            Answers answers;
            for (std::uint64_t item = b * block_items;
                 item < std::min<std::uint64_t>(rows_, (b + 1) * block_items); ++item) {
                ask_about(item, block, answers);
            }
        });
        Block total;
        total.found.assign(models, 0);
        for (Block& block : blocks) {
            out_.questions.insert(out_.questions.end(), block.questions.begin(),
                                  block.questions.end());
            block.questions = {};
            out_.asked += block.asked;
            out_.agreed += block.agreed;
            out_.not_scored += block.not_scored;
            out_.most_questions = std::max(out_.most_questions, block.most);
            total.original += block.original;
            total.original_found += block.original_found;
            total.gold += block.gold;
            total.gold_found += block.gold_found;
            for (std::size_t m = 0; m < models; ++m) {
                out_.models[m].proposals += block.proposals[m];
                out_.models[m].alone += block.alone[m];
                total.found[m] += block.found[m];
            }
        }
        if (out_.asked > 0) {
            out_.mean_questions =
                static_cast<double>(out_.questions.size()) / static_cast<double>(out_.asked);
        }
        out_.recall_original = recall("recall.original", total.original_found, total.original,
                                      "the items have no original labels");
        out_.recall_gold =
            recall("recall.gold", total.gold_found, total.gold, "no gold label sets were given");
        const bool by_gold = options_.gold != nullptr;
        for (std::size_t m = 0; m < models; ++m) {
            out_.models[m].recall =
                recall(by_gold ? "recall.gold" : "recall.original", total.found[m],
                       by_gold ? total.gold : total.original, "no known labels");
            if (!out_.models[m].chosen) {
                out_.models[m].recall.value.reset();
                out_.models[m].recall.interval.reset();
                out_.models[m].recall.undefined = "not chosen";
            }
        }
    }

    Measurement recall(const std::string& definition, std::uint64_t found, std::uint64_t all,
                       const std::string& undefined) const {
        Measurement m;
        m.key.metric = "recall";
        m.key.definition = definition;
        m.n = all;
        if (all == 0) {
            m.undefined = undefined;
            return m;
        }
        m.value = static_cast<double>(found) / static_cast<double>(all);
        m.interval = wilson(found, all, options_.level);
        return m;
    }

    static constexpr float infinite_ = std::numeric_limits<float>::infinity();
    const Stores& stores_;
    const ProposeOptions& options_;
    const Dataset& dataset_;
    std::uint64_t rows_;
    int threads_;
    Proposals out_;
    std::vector<std::vector<float>> known_scores_;  // by model, descending
    std::vector<float> least_;                      // threshold of each model
};

}  // namespace

ProposeOptions::Rule propose_rule_named(std::string_view name) {
    if (name == "probability") return ProposeOptions::Rule::probability;
    if (name == "rank") return ProposeOptions::Rule::rank;
    throw Error(ErrorCode::usage,
                fmt::format("rule `{}`{}", name, suggest(name, {"probability", "rank"})));
}

Proposals propose_labels(const std::vector<std::string>& paths, const ProposeOptions& options) {
    if (!(options.recall > 0 && options.recall <= 1)) {
        throw Error(ErrorCode::usage, fmt::format("recall {} is not in (0, 1]", options.recall));
    }
    if (options.depth < 1 || options.depth > 1000) {
        throw Error(ErrorCode::usage, fmt::format("depth {} is not in 1 .. 1000", options.depth));
    }
    const std::vector<PredictionStore> opened = open_stores_together(paths);
    Stores stores;
    for (const PredictionStore& store : opened) stores.emplace_back(store);
    if (stores.empty() || stores.size() > 64) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} models; 1 to 64 can propose labels", stores.size()));
    }
    if (options.gold != nullptr && options.gold->size() != stores.front().store().rows()) {
        throw Error(ErrorCode::usage,
                    fmt::format("gold label sets of {} items; the models have {}",
                                options.gold->size(), stores.front().store().rows()));
    }
    return Proposer(stores, options).run();
}

std::string questions_csv(const Proposals& proposals, const Dataset& dataset,
                          const ClassList& classes) {
    std::string out;
    CsvWriter writer(out);
    writer.row({"item", "path", "label", "class", "proposed_by", "prior"});
    std::string by;
    for (const Question& q : proposals.questions) {
        const auto item = static_cast<std::size_t>(q.item), c = static_cast<std::size_t>(q.cls);
        by.clear();
        for (std::size_t m = 0; m < proposals.models.size(); ++m) {
            if ((q.models >> m & 1U) != 0) by += (by.empty() ? "" : " ") + proposals.models[m].name;
        }
        const bool named = c < classes.size();
        writer.row(
            {dataset.ids[item], dataset.paths.size() > 0 ? dataset.paths[item] : dataset.ids[item],
             named ? classes.id(c) : std::to_string(c), named ? classes.name(c) : std::to_string(c),
             by.empty() ? "original" : by, fmt::format("{:.6g}", q.prior)});
    }
    return out;
}

}  // namespace assay
