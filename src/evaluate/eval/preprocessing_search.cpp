// Finds the usual preprocessing that does best on a few labelled images.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "assay/error.h"
#include "assay/evaluate/eval.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/eval/decision.h"
#include "evaluate/eval/hash_order.h"
#include "evaluate/eval/usual_ways.h"
#include "evaluate/eval/ways_race.h"

namespace assay {
namespace {

using evaluate::Decision;
using evaluate::WaysRace;
using Outcome = PreprocessingChoice::Outcome;

/// The side that the first images share if they are small squares; otherwise 0.
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

    WaysRace race(opener, dataset, order, options, progress);
    race.add(evaluate::open_with_ways(opener).ways);
    if (const int side = tiny_side_of(dataset, order); side > 0)
        race.add(evaluate::usual_ways(opener, side));
    const std::size_t begin = std::min(options.first, half);
    const std::size_t end =
        std::min(half, std::max(begin, std::min(options.most, dataset.size() / 10)));
    // Each additional test is another chance of a false difference, so p is multiplied
    // (Bonferroni).
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
