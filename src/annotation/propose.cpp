#include "assay/annotation/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "core/csv.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "data/label_rows.h"
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

/// Every rank's elements in one list, in rank order.
template <class T>
std::vector<T> gathered(Comm& comm, const std::vector<T>& mine) {
    std::vector<T> out;
    for (const auto& part : all_gather<T>(comm, std::span<const T>(mine)))
        out.insert(out.end(), part.begin(), part.end());
    return out;
}

/// A rank's part of `all` units of work: [begin, end).
struct Part {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};
Part part_of(const Comm& comm, std::size_t all) {
    const auto rank = static_cast<std::size_t>(comm.rank()),
               size = static_cast<std::size_t>(comm.size());
    return {all * rank / size, all * (rank + 1) / size};
}

class Proposer {
public:
    /// `gold`: one set per item; nullptr: the original labels are the known ones.
    Proposer(const Stores& stores, const LabelSets* gold, const ProposeOptions& options, Comm& comm,
             const ProgressCallback& progress)
        : stores_(stores),
          gold_(gold),
          options_(options),
          comm_(comm),
          progress_(progress),
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
                    fmt::format("{} keeps {} class{} per image, less than the {} asked for",
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
        return gold_ != nullptr ? (*gold_)[static_cast<std::size_t>(item)] : original(item);
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
                        gold_ != nullptr
                            ? "the gold label sets are all empty: nothing to set thresholds by"
                            : "the items have no labels to set thresholds by: gold label sets are "
                              "needed");
        }
        const Part mine = part_of(comm_, items.size());
        const std::vector<std::uint64_t> own(
            items.begin() + static_cast<std::ptrdiff_t>(mine.begin),
            items.begin() + static_cast<std::ptrdiff_t>(mine.end));
        std::vector<Answers> answers(own.size());
        begin_step("thresholds", own.size());
        agree(comm_, [&] {
            const std::size_t blocks = (own.size() + block_items - 1) / block_items;
            parallel_blocks(blocks, threads_, [&](std::size_t b) {
                const std::size_t end = std::min(own.size(), (b + 1) * block_items);
                for (std::size_t n = b * block_items; n < end; ++n) {
                    if (!read(own[n], answers[n])) answers[n].clear();
                }
                advance(end - b * block_items);
            });
        });
        set_levels(own, answers);
        choose(pairs_of(own, answers));
    }

    /// known_scores_: of the known labels of each model on all ranks, best first. Levels are places
    /// in these lists.
    void set_levels(const std::vector<std::uint64_t>& items, const std::vector<Answers>& answers) {
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
        for (auto& scores : known_scores_) {
            scores = gathered(comm_, scores);
            std::sort(scores.begin(), scores.end(), std::greater<>());
        }
    }

    /// The candidates of all ranks, in the order of the items.
    CandidatePairs pairs_of(const std::vector<std::uint64_t>& items,
                            const std::vector<Answers>& answers) const {
        CandidatePairs pairs;
        pairs.models = stores_.size();
        for (std::size_t n = 0; n < items.size(); ++n) {
            if (answers[n].empty()) continue;
            const auto correct = known(items[n]);
            if (agreed(items[n], answers[n])) {
                // No question is asked, and the one original label is taken.
                for (const std::int32_t c : correct)
                    ++(contains(original(items[n]), c) ? pairs.granted : pairs.unseen);
                continue;
            }
            add_pairs(pairs, items[n], answers[n], correct);
        }
        pairs.levels = gathered(comm_, pairs.levels);
        pairs.known = gathered(comm_, pairs.known);
        pairs.free = gathered(comm_, pairs.free);
        pairs.unseen = sum_over_ranks({pairs.unseen}).front();
        pairs.granted = sum_over_ranks({pairs.granted}).front();
        return pairs;
    }

    /// The models, and the threshold of each.
    void choose(const CandidatePairs& pairs) {
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
            const float threshold = choice.level == 0               ? infinite_
                                    : choice.level <= scores.size() ? scores[choice.level - 1]
                                                                    : -infinite_;
            thresholds_.push_back(threshold);
            const bool rank = options_.rule == ProposeOptions::Rule::rank;
            model.threshold = threshold == infinite_ ? 1
                              : threshold == -infinite_
                                  ? (rank ? static_cast<double>(options_.depth) : 0)
                                  : static_cast<double>(rank ? -threshold : threshold);
        }
    }

    void add_pairs(CandidatePairs& pairs, std::uint64_t item, const Answers& answers,
                   std::span<const std::int32_t> correct) const {
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
            pairs.known.push_back(contains(correct, c) && by_any ? 1 : 0);
            pairs.free.push_back(contains(asked_anyway, c) ? 1 : 0);
            seen += pairs.known.back() != 0 ? 1 : 0;
        }
        pairs.unseen += correct.size() - seen;
    }

    /// Which chosen models propose a class.
    std::uint64_t proposers(const Answers& answers, std::int32_t c) const {
        std::uint64_t mask = 0;
        for (std::size_t m = 0; m < stores_.size(); ++m) {
            const std::size_t at = place_in(answers[m], c);
            if (!out_.models[m].chosen || at >= answers[m].size()) continue;
            if (at == 0 || score_of(answers[m], at, options_.rule) >= thresholds_[m])
                mask |= std::uint64_t{1} << m;
        }
        return mask;
    }

    struct Block {
        std::vector<Question> questions;
        std::uint64_t asked = 0, agreed = 0, not_scored = 0, most = 0;
        std::uint64_t original = 0, original_found = 0, gold = 0, gold_found = 0;
        std::vector<std::uint64_t> proposals, alone, found;  // by model

        void reset(std::size_t models) {
            for (auto* counts : {&proposals, &alone, &found}) counts->assign(models, 0);
        }
        void add(const Block& block) {
            questions.insert(questions.end(), block.questions.begin(), block.questions.end());
            asked += block.asked;
            agreed += block.agreed;
            not_scored += block.not_scored;
            most = std::max(most, block.most);
            original += block.original;
            original_found += block.original_found;
            gold += block.gold;
            gold_found += block.gold_found;
            for (std::size_t m = 0; m < found.size(); ++m) {
                proposals[m] += block.proposals[m];
                alone[m] += block.alone[m];
                found[m] += block.found[m];
            }
        }
    };

    void ask_about(std::uint64_t item, Block& block, Answers& answers) const {
        if (!read(item, answers)) {
            ++block.not_scored;
            return;
        }
        const auto labels = original(item);
        const auto gold = gold_ != nullptr ? known(item) : std::span<const std::int32_t>();
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
            const bool correct = contains(known(item), c);
            for (std::size_t m = 0; m < stores_.size() && mask != 0; ++m) {
                if ((mask >> m & 1U) == 0) continue;
                ++block.proposals[m];
                block.alone[m] += mask == std::uint64_t{1} << m ? 1 : 0;
                block.found[m] += correct ? 1 : 0;
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
        const auto all = static_cast<std::size_t>((rows_ + block_items - 1) / block_items);
        const Part mine = part_of(comm_, all);
        std::vector<Block> blocks(mine.size());
        const auto first_of = [&](std::size_t b) {
            return std::min<std::uint64_t>(rows_, (mine.begin + b) * block_items);
        };
        begin_step("questions", first_of(blocks.size()) - first_of(0));
        agree(comm_, [&] {
            parallel_blocks(blocks.size(), threads_, [&](std::size_t b) {
                blocks[b].reset(models);
                Answers answers;
                for (std::uint64_t item = first_of(b); item < first_of(b + 1); ++item)
                    ask_about(item, blocks[b], answers);
                advance(first_of(b + 1) - first_of(b));
            });
        });
        Block total;
        total.reset(models);
        for (Block& block : blocks) {
            total.add(block);
            block = {};
        }
        const std::uint64_t mine_most = total.most;
        for (const std::uint64_t most : gathered(comm_, std::vector{mine_most}))
            out_.most_questions = std::max(out_.most_questions, most);
        out_.questions = gathered(comm_, total.questions);
        const auto counts =
            sum_over_ranks({total.asked, total.agreed, total.not_scored, total.original,
                            total.original_found, total.gold, total.gold_found});
        out_.asked = counts[0];
        out_.agreed = counts[1];
        out_.not_scored = counts[2];
        total.original = counts[3];
        total.original_found = counts[4];
        total.gold = counts[5];
        total.gold_found = counts[6];
        total.found = sum_over_ranks(total.found);
        const auto proposals = sum_over_ranks(total.proposals), alone = sum_over_ranks(total.alone);
        for (std::size_t m = 0; m < models; ++m) {
            out_.models[m].proposals = proposals[m];
            out_.models[m].alone = alone[m];
        }
        if (out_.asked > 0) {
            out_.mean_questions =
                static_cast<double>(out_.questions.size()) / static_cast<double>(out_.asked);
        }
        out_.recall_original = recall("recall.original", total.original_found, total.original,
                                      "the items have no original labels");
        out_.recall_gold =
            recall("recall.gold", total.gold_found, total.gold, "no gold label sets were given");
        const bool by_gold = gold_ != nullptr;
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
        m.unit = Unit::proportion;
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

    std::vector<std::uint64_t> sum_over_ranks(const std::vector<std::uint64_t>& mine) const {
        std::vector<std::int64_t> sums(mine.begin(), mine.end());
        comm_.all_reduce(sums);
        return {sums.begin(), sums.end()};
    }

    void begin_step(std::string_view step, std::uint64_t items) {
        now_ = Progress();
        now_.step = step;
        now_.total = items;
    }
    void advance(std::uint64_t items) {
        const std::scoped_lock lock(mutex_);
        now_.done += items;
        if (progress_) progress_(now_);
    }

    static constexpr float infinite_ = std::numeric_limits<float>::infinity();
    const Stores& stores_;
    const LabelSets* gold_;
    const ProposeOptions& options_;
    Comm& comm_;
    const ProgressCallback& progress_;
    Progress now_;
    std::mutex mutex_;
    const Dataset& dataset_;
    std::uint64_t rows_;
    int threads_;
    Proposals out_;
    std::vector<std::vector<float>> known_scores_;  // by model, descending
    std::vector<float> thresholds_;                 // threshold of each model
};

}  // namespace

ProposeOptions::Rule propose_rule_named(std::string_view name) {
    if (name == "probability") return ProposeOptions::Rule::probability;
    if (name == "rank") return ProposeOptions::Rule::rank;
    throw Error(ErrorCode::usage,
                fmt::format("rule `{}`{}", name, suggest(name, {"probability", "rank"})));
}

void check(const ProposeOptions& options) {
    if (!(options.recall > 0 && options.recall <= 1)) {
        throw Error(ErrorCode::usage, fmt::format("recall {} is not in (0, 1]", options.recall));
    }
    if (options.depth < 1 || options.depth > 1000) {
        throw Error(ErrorCode::usage, fmt::format("depth {} is not in 1 .. 1000", options.depth));
    }
    require_labels(options.gold);
}

Proposals propose_labels(const ProposeOptions& options, Comm& comm,
                         const ProgressCallback& progress) {
    check(options);
    const std::vector<PredictionStore> opened = open_stores_together(options.stores);
    Stores stores;
    for (const PredictionStore& store : opened) stores.emplace_back(store);
    if (stores.empty() || stores.size() > 64) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} models; 1 to 64 can propose labels", stores.size()));
    }
    const Dataset& dataset = stores.front().store().dataset();
    LabelSets gold;
    if (!options.gold.empty()) gold = read_label_sets(options.gold, dataset, dataset.classes);
    Proposals out =
        Proposer(stores, options.gold.empty() ? nullptr : &gold, options, comm, progress).run();
    out.options = options;
    out.dataset = dataset;
    return out;
}

std::string questions_csv(const Proposals& proposals) {
    const Dataset& dataset = proposals.dataset;
    const ClassList& classes = dataset.classes;
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
