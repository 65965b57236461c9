#include "evaluate/eval/ways_race.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/hash.h"
#include "evaluate/check/read_sample.h"

namespace assay::evaluate {
namespace {

using checks::Runner;
using checks::Sample;

constexpr std::size_t images_at_a_time = 64;  // number of decoded images that are in memory at a
                                              // time

/// A hash of the network's inputs for these images: equal texts mean equal inputs.
std::string inputs_of(const Sample& sample, const Preprocess& p) {
    Preprocess values;  // the remaining steps for windows that are resized and cropped
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

}  // namespace

void WaysRace::run(const std::vector<bool>& wanted, std::span<const std::uint32_t> items) {
    std::map<std::pair<int, int>, std::vector<std::size_t>> by_size;
    for (std::size_t w = 0; w < ways_.size(); ++w) {
        const Preprocess& p = ways_[w].preprocess;
        if (wanted[w]) by_size[{p.height, p.width}].push_back(w);
    }
    for (const auto& [size, of_size] : by_size) run_size(of_size, items);
}

std::size_t WaysRace::drop_refused() {
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

void WaysRace::add(std::vector<PreprocessingWay> ways) {
    for (PreprocessingWay& way : ways) {
        const bool known = std::any_of(ways_.begin(), ways_.end(), [&](const PreprocessingWay& w) {
            return w.preprocess == way.preprocess;
        });
        if (!known) ways_.push_back(std::move(way));
    }
    correct_.resize(ways_.size());
    inputs_.resize(ways_.size());
    progress_.total = ways_.size() * options_.first;
}

bool WaysRace::catch_up(const Decision& decision, double level,
                        std::span<const std::uint32_t> items) {
    bool any = false;
    for (std::size_t w = 0; w < ways_.size(); ++w) {
        const std::size_t seen = correct_[w].size();
        if (decision.p[w] <= level || seen >= items.size()) continue;
        std::vector<bool> alike(ways_.size());
        for (std::size_t v = 0; v < ways_.size(); ++v) alike[v] = inputs_[v] == inputs_[w];
        expect((items.size() - seen) * static_cast<std::size_t>(std::ranges::count(alike, true)));
        run(alike, items.subspan(seen));
        any = any || correct_[w].size() > seen;
    }
    return any;
}

Decision WaysRace::decide(double level) const {
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

PreprocessingWay WaysRace::tried(std::size_t w) const {
    PreprocessingWay way = ways_[w];
    way.images = correct_[w].size();
    way.correct = checks::count_correct(correct_[w]);
    return way;
}

std::optional<Finding> WaysRace::other_order(const std::vector<std::uint32_t>& items) const {
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
            if (finding.severity == Finding::Severity::error && !found) found = std::move(finding);
        }
        if (found) break;
    }
    return found;
}

std::vector<std::size_t> WaysRace::first_of_each() const {
    std::vector<std::size_t> first;
    for (std::size_t w = 0; w < ways_.size(); ++w) {
        if (std::ranges::none_of(first, [&](std::size_t v) { return inputs_[v] == inputs_[w]; }))
            first.push_back(w);
    }
    return first;
}

void WaysRace::run_size(const std::vector<std::size_t>& of_size,
                        std::span<const std::uint32_t> items) {
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
        const auto part = items.subspan(begin, std::min(images_at_a_time, items.size() - begin));
        run_part(*model, runner, of_size, {part.begin(), part.end()});
    }
}

void WaysRace::run_part(const LoadedModel& model, const Runner& runner,
                        const std::vector<std::size_t>& of_size,
                        const std::vector<std::uint32_t>& part) {
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
                // The next candidate may work even if this one fails.
                own = judge(model, runner.afresh(), sample, p, part);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::bad_input || !correct_[w].empty()) throw;
                refusal_ = error;
                refused_.insert(w);
                progress_.done += part.size();
                continue;
            }
            // Later candidates skip the failed images, so their inputs are hashed without them.
            if (!sample.failed.empty()) inputs = inputs_of(sample, p);
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

void WaysRace::count_failed_as_incorrect() {
    for (const auto& failed : failed_) {
        const auto place =
            static_cast<std::size_t>(std::ranges::find(order_, failed.first) - order_.begin());
        for (Correct& correct : correct_) {
            if (place < correct.size()) correct[place] = 0;
        }
    }
}

std::vector<std::uint32_t> WaysRace::computed_of(const std::vector<std::uint32_t>& items) const {
    std::vector<std::uint32_t> computed;
    std::ranges::copy_if(items, std::back_inserter(computed),
                         [&](std::uint32_t item) { return !failed_.contains(item); });
    return computed;
}

Correct WaysRace::judge(const LoadedModel& model, const Runner& runner, Sample& sample,
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

}  // namespace assay::evaluate
