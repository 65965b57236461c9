// Which of the usual ways to prepare the input does best on a few labelled images?
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/eval.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/read_sample.h"
#include "evaluate/eval/decision.h"
#include "evaluate/eval/hash_order.h"
#include "evaluate/eval/usual_ways.h"

namespace assay {
namespace {

using checks::Runner;
using checks::Sample;
using evaluate::Correct;
using evaluate::Decision;
using Outcome = PreprocessingChoice::Outcome;

constexpr std::size_t images_at_a_time = 64;  // decoded images that are in memory together

/// The side that the first images share, where they are small squares; else 0.
int tiny_side_of(const Dataset& dataset, const std::vector<std::uint32_t>& items) {
    constexpr std::size_t enough = 8;
    int side = 0;
    for (std::size_t i = 0; i < std::min(enough, items.size()); ++i) {
        try {
            const Image image = load_image(dataset, items[i]);
            if (image.width != image.height || image.width > evaluate::tiny_side) return 0;
            if (side != 0 && image.width != side) return 0;
            side = image.width;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::io) throw;
        }
    }
    return side;
}

/// What the network gets of these images: equal texts, equal inputs.
std::string inputs_of(const Sample& sample, const Preprocess& p) {
    Preprocess values;  // what is left to do where the windows are resized and cropped
    values.height = p.height;
    values.width = p.width;
    values.channel_order = p.channel_order;
    values.scale = p.scale;
    values.mean = p.mean;
    values.std = p.std;
    Hasher hasher;
    hasher.add_field(fingerprint(values));
    for (std::size_t s = 0; s < sample.size(); ++s) {
        hasher.add_field(std::to_string(sample.items[s]));
        hasher.add(std::as_bytes(std::span(sample.windows[s].pixels)));
    }
    return hasher.digest();
}

/// The ways under trial and what each has correct. Ways that give the same pixels on all images so
/// far are one way: each would make the test stricter, and none could be told from the others.
class Race {
public:
    /// Items are run in this order.
    Race(const ModelOpener& opener, const Dataset& dataset, std::span<const std::uint32_t> order,
         const SearchOptions& options, const ProgressCallback& callback)
        : opener_(opener),
          dataset_(dataset),
          order_(order),
          options_(options),
          callback_(callback),
          threads_(resolve_threads(options.threads)) {}

    /// Tries the ways that are `wanted` on these items. Ways of one size share a classifier.
    void run(const std::vector<bool>& wanted, std::span<const std::uint32_t> items) {
        std::map<std::pair<int, int>, std::vector<std::size_t>> by_size;
        for (std::size_t w = 0; w < ways_.size(); ++w) {
            const Preprocess& p = ways_[w].preprocess;
            if (wanted[w]) by_size[{p.height, p.width}].push_back(w);
        }
        for (const auto& [size, of_size] : by_size) run_size(of_size, items);
    }

    /// Forgets the ways that the model refuses: their size, or their values. Throws what the model
    /// said where it refuses all.
    std::size_t drop_refused() {
        std::size_t dropped = 0;
        for (std::size_t w = ways_.size(); w-- > 0;) {
            if (!correct_[w].empty() || !refused_.contains(w)) continue;
            ways_.erase(ways_.begin() + static_cast<std::ptrdiff_t>(w));
            correct_.erase(correct_.begin() + static_cast<std::ptrdiff_t>(w));
            inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(w));
            ++dropped;
        }
        if (ways_.empty() && refusal_) throw *refusal_;
        refused_.clear();
        return dropped;
    }

    void add(std::vector<PreprocessingWay> ways) {
        for (PreprocessingWay& way : ways) {
            const bool known = std::any_of(
                ways_.begin(), ways_.end(),
                [&](const PreprocessingWay& w) { return w.preprocess == way.preprocess; });
            if (!known) ways_.push_back(std::move(way));
        }
        correct_.resize(ways_.size());
        inputs_.resize(ways_.size());
        progress_.total = ways_.size() * options_.first;
    }

    /// Ways that fell behind and cannot be told from the best any more run what they missed of
    /// `items`. Whether there was one.
    bool catch_up(const Decision& decision, double level, std::span<const std::uint32_t> items) {
        bool any = false;
        for (std::size_t w = 0; w < ways_.size(); ++w) {
            const std::size_t seen = correct_[w].size();
            if (decision.p[w] <= level || seen >= items.size()) continue;
            std::vector<bool> alike(ways_.size());
            for (std::size_t v = 0; v < ways_.size(); ++v) alike[v] = inputs_[v] == inputs_[w];
            expect((items.size() - seen) *
                   static_cast<std::size_t>(std::ranges::count(alike, true)));
            run(alike, items.subspan(seen));
            any = any || correct_[w].size() > seen;
        }
        return any;
    }

    /// Of the first of each ways that are alike; p is of all of them.
    Decision decide(double level) const {
        const std::vector<std::size_t> distinct = first_of_each();
        std::vector<Correct> correct;
        for (const std::size_t w : distinct) correct.push_back(correct_[w]);
        Decision decision = evaluate::decide(correct, level);
        std::vector<double> p(ways_.size());
        for (std::size_t w = 0; w < ways_.size(); ++w) {
            for (std::size_t d = 0; d < distinct.size(); ++d)
                if (inputs_[distinct[d]] == inputs_[w]) p[w] = decision.p[d];
        }
        decision.p = std::move(p);
        decision.best = distinct[decision.best];
        decision.runner_up = distinct[decision.runner_up];
        return decision;
    }
    std::size_t distinct() const { return first_of_each().size(); }

    void expect(std::size_t more) { progress_.total = progress_.done + more; }
    const std::vector<Correct>& correct() const { return correct_; }
    const std::vector<PreprocessingWay>& ways() const { return ways_; }
    std::uint32_t classes() const { return classes_; }
    const std::map<std::uint32_t, std::string>& failed() const { return failed_; }

    PreprocessingWay tried(std::size_t w) const {
        PreprocessingWay way = ways_[w];
        way.images = correct_[w].size();
        way.correct = checks::count_correct(correct_[w]);
        return way;
    }

    /// Whether another order of the classes explains that no way does better than chance.
    std::optional<Finding> other_order(const std::vector<std::uint32_t>& items) const {
        std::optional<Finding> found;
        for (const PreprocessingWay& way : ways_) {
            throw_if_stopped();
            const LoadedModel model = opener_.open(opener_.resolve(way.settings));
            const Runner runner(*model.classifier, options_.batch, threads_);
            Sample sample =
                checks::read_sample(dataset_, computed_of(items), model.spec.preprocess, threads_);
            if (sample.size() == 0) return std::nullopt;
            const auto scores = checks::run_sample(runner, sample, model.spec.preprocess);
            if (sample.size() == 0) return std::nullopt;
            for (Finding& finding : checks::check_order(scores, sample, dataset_, {}).findings) {
                if (finding.severity == Finding::Severity::error && !found)
                    found = std::move(finding);
            }
            if (found) break;
        }
        return found;
    }

private:
    std::vector<std::size_t> first_of_each() const {
        std::vector<std::size_t> first;
        for (std::size_t w = 0; w < ways_.size(); ++w) {
            if (std::ranges::none_of(first,
                                     [&](std::size_t v) { return inputs_[v] == inputs_[w]; }))
                first.push_back(w);
        }
        return first;
    }

    void run_size(const std::vector<std::size_t>& of_size, std::span<const std::uint32_t> items) {
        progress_.step = "finding the preprocessing";
        std::optional<LoadedModel> model;
        try {
            model = opener_.open(opener_.resolve(ways_[of_size.front()].settings));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::usage) throw;
            refused_.insert(of_size.begin(), of_size.end());
            progress_.done += of_size.size() * items.size();
            return;
        }
        classes_ = model->classifier->facts().classes;
        const Runner runner(*model->classifier, options_.batch, threads_);
        for (std::size_t begin = 0; begin < items.size(); begin += images_at_a_time) {
            const auto part =
                items.subspan(begin, std::min(images_at_a_time, items.size() - begin));
            run_part(*model, runner, of_size, {part.begin(), part.end()});
        }
    }

    void run_part(const LoadedModel& model, const Runner& runner,
                  const std::vector<std::size_t>& of_size, const std::vector<std::uint32_t>& part) {
        std::map<std::string, Correct> of_inputs;
        for (const std::size_t w : of_size) {
            throw_if_stopped();
            if (refused_.contains(w)) {
                progress_.done += part.size();
                continue;
            }
            const Preprocess& p = ways_[w].preprocess;
            Sample sample = checks::read_sample(dataset_, computed_of(part), p, threads_);
            std::string inputs = inputs_of(sample, p);
            if (!of_inputs.contains(inputs)) {
                Correct own;
                try {
                    // What fails in one way says nothing of the next.
                    own = judge(model, runner.afresh(), sample, p, part);
                } catch (const Error& error) {
                    if (error.code() != ErrorCode::bad_input || !correct_[w].empty()) throw;
                    refusal_ = error;
                    refused_.insert(w);
                    progress_.done += part.size();
                    continue;
                }
                if (!sample.failed.empty()) inputs = inputs_of(sample, p);  // as of later ways
                for (Sample::Unreadable& image : sample.failed)
                    failed_.emplace(image.item, std::move(image.message));
                of_inputs[inputs] = std::move(own);
            }
            const Correct& correct = of_inputs[inputs];
            inputs_[w] += inputs;
            correct_[w].insert(correct_[w].end(), correct.begin(), correct.end());
            count_failed_as_incorrect();
            progress_.done += part.size();
            if (callback_) callback_(progress_);
        }
    }

    /// In all ways, those that had computed the image, too: else the first ways would gain.
    void count_failed_as_incorrect() {
        for (const auto& failed : failed_) {
            const auto place =
                static_cast<std::size_t>(std::ranges::find(order_, failed.first) - order_.begin());
            for (Correct& correct : correct_) {
                if (place < correct.size()) correct[place] = 0;
            }
        }
    }

    /// Without those at which the model failed.
    std::vector<std::uint32_t> computed_of(const std::vector<std::uint32_t>& items) const {
        std::vector<std::uint32_t> computed;
        std::ranges::copy_if(items, std::back_inserter(computed),
                             [&](std::uint32_t item) { return !failed_.contains(item); });
        return computed;
    }

    /// An image that cannot be read, or that the model cannot compute, is incorrect for all ways,
    /// so that lists stay in step.
    Correct judge(const LoadedModel& model, const Runner& runner, Sample& sample,
                  const Preprocess& p, const std::vector<std::uint32_t>& part) const {
        const auto scores = checks::run_sample(runner, sample, p);
        const auto outcomes = checks::judge(scores, sample, dataset_,
                                            checks::given_order(model.classifier->facts().classes));
        Correct correct(part.size(), 0);
        for (std::size_t i = 0, s = 0; i < part.size() && s < sample.size(); ++i) {
            if (sample.items[s] == part[i]) correct[i] = outcomes.correct[s++];
        }
        return correct;
    }

    const ModelOpener& opener_;
    const Dataset& dataset_;
    const std::span<const std::uint32_t> order_;
    const SearchOptions& options_;
    const ProgressCallback& callback_;
    int threads_;
    std::vector<PreprocessingWay> ways_;
    std::vector<Correct> correct_;
    std::vector<std::string> inputs_;              ///< inputs_of() each part of the images
    std::map<std::uint32_t, std::string> failed_;  ///< images that the model cannot compute
    std::set<std::size_t> refused_;
    std::optional<Error> refusal_;  ///< of values, the last one
    std::uint32_t classes_ = 0;
    Progress progress_;
};

}  // namespace

std::string_view name_of(PreprocessingChoice::Outcome outcome) {
    switch (outcome) {
        case Outcome::given:
            return "given";
        case Outcome::told_apart:
            return "told_apart";
        case Outcome::not_settled:
            return "not_settled";
        case Outcome::undecided:
            return "undecided";
        case Outcome::at_chance:
            return "at_chance";
        case Outcome::no_labels:
            break;
    }
    return "no_labels";
}

PreprocessingChoice choose_preprocessing(const ModelOpener& opener, const Dataset& dataset,
                                         const SearchOptions& options,
                                         const ProgressCallback& progress) {
    if (dataset.size() == 0) throw Error(ErrorCode::bad_input, "the data set has no images");
    const auto start = std::chrono::steady_clock::now();
    PreprocessingChoice choice;
    const auto done = [&](Outcome outcome) {
        choice.outcome = outcome;
        std::ranges::sort(choice.items);
        choice.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return choice;
    };
    const std::vector<std::uint32_t> order = evaluate::items_in_hash_order(dataset);
    const bool labelled =
        order.front() < dataset.labels.size() && !dataset.labels[order.front()].empty();
    const std::size_t half = order.size() / 2;
    if (!labelled || half < options.fewest) return done(Outcome::no_labels);

    Race race(opener, dataset, order, options, progress);
    race.add(evaluate::open_with_ways(opener).ways);
    if (const int side = tiny_side_of(dataset, order); side > 0)
        race.add(evaluate::usual_ways(opener, side));
    const std::size_t begin = std::min(options.first, half);
    const std::size_t end =
        std::min(half, std::max(begin, std::min(options.most, dataset.size() / 10)));
    // Each look is one more chance to call a difference significant (Bonferroni's inequality).
    std::size_t looks = 1;
    for (std::size_t images = begin; images < end; images += std::min(images, end - images))
        ++looks;
    const double level = options.level / static_cast<double>(looks);
    race.run(std::vector<bool>(race.ways().size(), true), {order.data(), begin});
    choice.refused = race.drop_refused();
    std::size_t seen = begin;
    const auto look = [&] {
        Decision now = race.decide(level);
        while (race.catch_up(now, level, {order.data(), seen})) now = race.decide(level);
        return now;
    };
    Decision decision = look();
    while (!decision.told_apart && seen < end) {
        const std::size_t more = std::min(seen, end - seen);
        std::vector<bool> in_the_race(race.ways().size());
        for (std::size_t w = 0; w < in_the_race.size(); ++w)
            in_the_race[w] = race.correct()[w].size() == seen && decision.p[w] > level;
        race.expect(more * static_cast<std::size_t>(std::ranges::count(in_the_race, true)));
        race.run(in_the_race, {order.data() + seen, more});
        seen += more;
        decision = look();
    }
    choice.tried = race.distinct();
    for (const auto& [item, why] : race.failed())
        choice.failed.push_back(fmt::format("{} ({})", dataset.ids[item], why));
    choice.items.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(seen));
    choice.best = race.tried(decision.best);
    if (decision.runner_up != decision.best) {
        choice.runner_up = race.tried(decision.runner_up);
        choice.p = std::min(1.0, decision.p[decision.runner_up] * static_cast<double>(looks));
        choice.difference = decision.difference;
    }
    constexpr double sure = 0.99;
    const bool above_chance = clopper_pearson(choice.best->correct, choice.best->images, sure).low >
                              1.0 / std::max<double>(1, race.classes());
    if (!above_chance) {
        choice.order = race.other_order(choice.items);
        return done(Outcome::at_chance);
    }
    return done(evaluate::outcome_of(decision, options.close));
}

namespace {

std::string tried_text(const PreprocessingWay& way) {
    return fmt::format("{} ({})", way.options, checks::proportion_text(way.correct, way.images));
}

std::string difference_text(const PreprocessingChoice& choice) {
    if (!choice.difference || !choice.difference->interval) return "";
    const Interval& interval = *choice.difference->interval;
    return fmt::format("difference {:.1f} points, {:.4g} % CI {:.1f} to {:.1f}, p = {:.2g}",
                       100 * *choice.difference->value, 100 * interval.level, 100 * interval.low,
                       100 * interval.high, choice.p);
}

}  // namespace

std::string describe(const PreprocessingChoice& choice) {
    if (!choice.searched() || !choice.best) return "";
    std::string text = fmt::format("preprocessing: {}", tried_text(*choice.best));
    if (choice.runner_up) {
        text +=
            fmt::format("; runner-up {}; {}, adjusted for {} tried", tried_text(*choice.runner_up),
                        difference_text(choice), how_many(choice.tried, "way"));
    }
    return text;
}

std::string why_stopped(const PreprocessingChoice& choice, const std::string& model,
                        const CommandWith& command) {
    const auto either = [&](const std::string& first, const std::string& second) {
        return fmt::format("type `{}` or `{}`", command(first), command(second));
    };
    switch (choice.outcome) {
        case Outcome::undecided:
            return fmt::format(
                "{}: unknown preprocessing, and {} images cannot separate {} from {}: {}; {}",
                model, choice.best->images, tried_text(*choice.best), tried_text(*choice.runner_up),
                difference_text(choice), either(choice.best->options, choice.runner_up->options));
        case Outcome::at_chance:
            if (choice.order) {
                return fmt::format(
                    "{}: no preprocessing does better than chance: {} ({}); {}: "
                    "type `{}`",
                    model, choice.order->title, choice.order->detail, choice.order->advice,
                    command("--classes FILE"));
            }
            return fmt::format(
                "{}: no preprocessing does better than chance ({} tried; the best, {}): is the "
                "class list correct? {}",
                model, how_many(choice.tried, "way"), tried_text(*choice.best),
                either("--classes FILE", choice.best->options));
        case Outcome::no_labels:
            return fmt::format(
                "{}: unknown preprocessing, and with fewer than {} labelled images it cannot be "
                "found; {}; `assay list presets` shows all",
                model, 2 * SearchOptions().fewest, either("--preset torchvision", "--preset timm"));
        case Outcome::given:
        case Outcome::told_apart:
        case Outcome::not_settled:
            break;
    }
    return "";
}

}  // namespace assay
