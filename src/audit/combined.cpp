#include "audit/combined.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "core/parallel.h"
#include "derived/fit_rows.h"

namespace assay::audit {
namespace {

constexpr std::uint64_t block_rows = 64;
/// The part of chance in each classifier's probabilities, which limits its influence.
constexpr double chance = 0.02;
/// A classifier's weight is its loss to the power of minus this. Chosen on the worlds of
/// bench/audit_worlds.py among others.
constexpr double loss_power = 2;
/// The loss is of this part of the labels, those that are likeliest. Wrong labels are mostly among
/// the others, and would make all classifiers look alike.
constexpr double loss_part = 0.75;
/// The logarithm of the sharpness is searched in these steps, to each side of that of 1 / the
/// scores' spread.
constexpr double grid_step = 0.5;
constexpr int grid_steps = 12;
constexpr double search_range = grid_steps * grid_step;
// A classifier has learned the labels if it repeats nearly all of those that the others oppose.
// Each of the others opposes them with at least this probability. They oppose at least so many
// images more than they expect. The exceptions are at most this proportion of that excess.
constexpr float sure_probability = 0.9F;
constexpr double learned_images = 5, learned_exceptions = 0.1;
// A label that is impossible for a classifier is probably wrong if many labels look drawn from
// all classes. If few do, it is more often an image that the classifier misjudges. So the score's
// floor is high if the drawn labels are at most the first proportion of those that the classifiers
// miss. It is low above the second. Chosen on the worlds of bench/audit_worlds.py.
constexpr double few_drawn = 0.02, many_drawn = 0.04;
constexpr double highest_floor = 0.01, lowest_floor = 1e-5;
// The labels of similar classes and of hard images are rarely among the half of all classes that
// is less likely. Half of the labels that are drawn from all classes are. If these are many, a
// drawn label has the same likelihood for each class, so the odds that a label is wrong are
// inverse to its probability, however small that is. How sure the classifier is of another class
// then only adds noise, above all if the classifier is weak.
constexpr double few_far = 0.035, many_far = 0.05;
constexpr double own_floor = 1e-9, other_floor = 3;
/// With fewer classes, the less likely half has labels of hard images, too.
constexpr std::size_t classes_for_far = 10;

void for_rows(std::size_t rows, int threads,
              const std::function<void(std::size_t begin, std::size_t end)>& body) {
    throw_if_stopped();
    parallel_blocks((rows + block_rows - 1) / block_rows, resolve_threads(threads),
                    [&](std::size_t block) {
                        const std::size_t begin = block * block_rows;
                        body(begin, std::min<std::size_t>(rows, begin + block_rows));
                    });
}

/// The likeliest proportion of labels that are drawn uniformly from all classes (by EM).
double drawn_part(std::span<const double> given, double uniform) {
    double error = 0.05;
    for (int pass = 0; pass < 100; ++pass) {
        double sum = 0;
        for (const double p : given) sum += error * uniform / ((1 - error) * p + error * uniform);
        error = sum / static_cast<double>(given.size());
    }
    return error;
}

/// Minus the log-likelihood of the labels, of which drawn_part() is drawn from all classes.
double loss_with_errors(std::span<const double> given, double uniform) {
    const double error = drawn_part(given, uniform);
    double loss = 0;
    for (const double p : given)
        loss -= std::log(std::max(1e-300, (1 - error) * p + error * uniform));
    return loss;
}

/// Whether a class is among the less likely half, with all classes of the same score. In rounded
/// scores many classes share the lowest score, which hard images have for their labels, too.
bool is_far(const std::vector<double>& logits, std::size_t cls) {
    std::size_t less = 0, equal = 0;
    for (const double z : logits) {
        less += z < logits[cls] ? 1 : 0;
        equal += z == logits[cls] ? 1 : 0;
    }
    return 2 * (less + equal) <= logits.size();
}

class ModelFit {
public:
    ModelFit(const RowReader& reader, const LabelledRows& labelled, int threads)
        : reader_(reader),
          labelled_(labelled),
          threads_(threads),
          given_(labelled.rows.size()),
          is_far_(labelled.rows.size()),
          best_(labelled.rows.size()) {}

    /// Fits temperature and loss. Warns if the temperature is at an end of the search range.
    AuditedModel run(std::vector<std::string>& warnings) {
        // The loss may have a second minimum at much sharper scores, so a grid finds the lowest
        // one. Golden section over the logarithm of 1 / temperature then refines it. Scores may
        // have any scale.
        const double golden = (std::sqrt(5.0) - 1) / 2;
        const double middle = -std::log(spread());
        double lowest = middle, loss_there = loss_at(middle);
        for (int i = 1; i <= grid_steps; ++i) {
            const double step = i * grid_step;
            for (const double place : {middle - step, middle + step}) {
                const double loss = loss_at(place);
                if (loss < loss_there) {
                    lowest = place;
                    loss_there = loss;
                }
            }
        }
        double low = std::max(lowest - grid_step, middle - search_range),
               high = std::min(lowest + grid_step, middle + search_range);
        double left = high - golden * (high - low), right = low + golden * (high - low);
        double at_left = loss_at(left), at_right = loss_at(right);
        while (high - low > 0.01) {
            if (at_left <= at_right) {
                high = right;
                right = left;
                at_right = at_left;
                left = high - golden * (high - low);
                at_left = loss_at(left);
            } else {
                low = left;
                left = right;
                at_left = at_right;
                right = low + golden * (high - low);
                at_right = loss_at(right);
            }
        }
        const double best = (low + high) / 2;
        read(best);
        drawn_ = drawn_part(given_, uniform());
        const std::string& name = reader_.store().spec().model_name;
        if (std::abs(best - middle) > search_range - 0.05)
            warnings.push_back(fmt::format(
                "{}: its temperature {:.3g} is an end of the range that is searched, because its "
                "scores {}",
                name, std::exp(-best),
                best < middle ? "do not predict the labels"
                              : "predict the labels better, the sharper they are"));
        std::vector<double> losses;
        const double mixed_in = chance / static_cast<double>(reader_.classes());
        for (const double p : given_) losses.push_back(-std::log((1 - chance) * p + mixed_in));
        std::ranges::sort(losses);
        losses.resize(std::max<std::size_t>(
            1, static_cast<std::size_t>(loss_part * static_cast<double>(losses.size()))));
        AuditedModel out;
        out.model = name;
        out.temperature = std::exp(-best);
        for (const double loss : losses) out.loss += loss / static_cast<double>(losses.size());
        return out;
    }
    /// The probability of each image's likeliest class without chance. Valid after run().
    std::vector<float> take_best() { return std::move(best_); }
    /// The proportion of labels that look drawn from all classes. Valid after run().
    double drawn() const { return drawn_; }
    /// The same proportion, by the labels that are among the less likely half of the classes. Valid
    /// after run().
    double far() const {
        const auto classes = static_cast<double>(reader_.classes());
        const auto count = static_cast<double>(std::ranges::count(is_far_, 1));
        return count / static_cast<double>(is_far_.size()) * classes / std::floor(classes / 2);
    }

private:
    /// The median standard deviation of a row of scores, or 1 if all are 0. Also finds far labels.
    double spread() {
        for_rows(given_.size(), threads_, [&](std::size_t begin, std::size_t end) {
            std::vector<float> buffer;
            std::vector<double> logits(reader_.classes());
            for (std::size_t i = begin; i < end; ++i) {
                derived::read_logits(reader_, labelled_.rows[i], buffer, logits);
                const auto n = static_cast<double>(logits.size());
                double mean = 0, squares = 0;
                for (const double z : logits) mean += z / n;
                for (const double z : logits) squares += (z - mean) * (z - mean) / n;
                given_[i] = std::sqrt(squares);
                is_far_[i] = is_far(logits, static_cast<std::size_t>(labelled_.given[i])) ? 1 : 0;
            }
        });
        std::vector<double> positive;
        for (const double one : given_)
            if (one > 0) positive.push_back(one);
        if (positive.empty()) return 1;
        const auto half = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
        std::ranges::nth_element(positive, half);
        return *half;
    }
    double loss_at(double log_sharpness) {
        read(log_sharpness);
        return loss_with_errors(given_, uniform());
    }
    double uniform() const { return 1 / static_cast<double>(reader_.classes()); }
    /// Fills the probabilities of the given labels, and of the likeliest classes, without the part
    /// of chance.
    void read(double log_sharpness) {
        const double sharpness = std::exp(log_sharpness);
        for_rows(given_.size(), threads_, [&](std::size_t begin, std::size_t end) {
            std::vector<float> buffer;
            std::vector<double> logits(reader_.classes());
            for (std::size_t i = begin; i < end; ++i) {
                derived::read_logits(reader_, labelled_.rows[i], buffer, logits);
                const auto given = static_cast<std::size_t>(labelled_.given[i]);
                const double most = *std::ranges::max_element(logits);
                double sum = 0;
                for (const double z : logits) sum += std::exp(sharpness * (z - most));
                given_[i] = std::exp(sharpness * (logits[given] - most)) / sum;
                best_[i] = static_cast<float>(1 / sum);
            }
        });
    }

    const RowReader& reader_;
    const LabelledRows& labelled_;
    const int threads_;
    std::vector<double> given_;
    std::vector<std::uint8_t> is_far_;
    std::vector<float> best_;
    double drawn_ = 0;
};

/// Uses the proportions of labels that look drawn from all classes or are not predicted.
ScoreFloors floors_of(double drawn, double far, double missed, std::size_t classes) {
    // With few classes, no such world was tried, so the floor stays at the part of chance.
    double lowest = chance / static_cast<double>(classes);
    if (classes >= classes_for_far) lowest = std::min(lowest, lowest_floor);
    if (missed == 0) return {.own = lowest, .other = lowest};
    const auto between = [](double few, double many, double part) {
        return std::exp((1 - part) * std::log(few) + part * std::log(many));
    };
    double floor = lowest;
    if (lowest < highest_floor)
        floor =
            between(highest_floor, lowest,
                    std::clamp((drawn / missed - few_drawn) / (many_drawn - few_drawn), 0.0, 1.0));
    if (classes < classes_for_far) return {.own = floor, .other = floor};
    const double part = std::clamp((far / missed - few_far) / (many_far - few_far), 0.0, 1.0);
    return {.own = between(floor, own_floor, part), .other = between(floor, other_floor, part)};
}

/// The proportion of labels that a classifier does not predict.
double missed_part(const std::vector<std::int32_t>& predicted,
                   const std::vector<std::int32_t>& given) {
    std::size_t missed = 0;
    for (std::size_t i = 0; i < given.size(); ++i) missed += predicted[i] != given[i] ? 1 : 0;
    return static_cast<double>(missed) / static_cast<double>(given.size());
}

/// One classifier's probabilities for one image.
struct Probabilities {
    std::vector<double> exponentials;
    double sum = 0;

    void read(const RowReader& reader, std::uint64_t row, double temperature,
              std::vector<float>& buffer) {
        derived::read_logits(reader, row, buffer, exponentials);
        const double most = *std::ranges::max_element(exponentials);
        sum = 0;
        for (double& z : exponentials) sum += z = std::exp((z - most) / temperature);
    }
    double of(std::size_t cls) const { return exponentials[cls] / sum; }
};

/// Counts where each classifier stands alone against the others. Also counts how often the others
/// expect to err together: at most as often as the surest of them errs. Weak ones with the same
/// errors oppose a strong one too, but are less sure.
void count_repeated(std::vector<AuditedModel>& models, const LabelledRows& labelled,
                    const std::vector<std::vector<std::int32_t>>& predicted,
                    const std::vector<std::vector<float>>& best) {
    for (std::size_t m = 0; m < models.size(); ++m) {
        const std::size_t other = m == 0 ? 1 : 0;
        for (std::size_t i = 0; i < labelled.rows.size(); ++i) {
            const std::int32_t cls = predicted[other][i];
            bool agree = true;
            float least = 1, most = 0;
            for (std::size_t k = 0; agree && k < models.size(); ++k) {
                if (k == m) continue;
                agree = predicted[k][i] == cls;
                least = std::min(least, best[k][i]);
                most = std::max(most, best[k][i]);
            }
            if (!agree || least < sure_probability) continue;
            models[m].expected += 1 - static_cast<double>(most);
            if (cls == labelled.given[i]) continue;
            ++models[m].opposed;
            if (predicted[m][i] == labelled.given[i]) ++models[m].repeated;
        }
    }
}

bool has_learned(const AuditedModel& model) {
    const double excess = static_cast<double>(model.opposed) - model.expected;
    return excess >= learned_images &&
           static_cast<double>(model.opposed - model.repeated) <= learned_exceptions * excess;
}

}  // namespace

WeighedModels weigh_models(std::span<const RowReader> readers, const LabelledRows& labelled,
                           const std::vector<std::vector<std::int32_t>>& predicted, int threads,
                           std::vector<std::string>& warnings, const ProgressCallback& progress) {
    std::vector<AuditedModel> models;
    std::vector<double> drawn, far;
    std::vector<std::vector<float>> best;
    for (const RowReader& reader : readers) {
        ModelFit fit(reader, labelled, threads);
        models.push_back(fit.run(warnings));
        best.push_back(fit.take_best());
        drawn.push_back(fit.drawn());
        far.push_back(fit.far());
        if (progress) progress({.step = "fit", .done = models.size(), .total = readers.size() + 1});
    }
    // With two classifiers, it is unknown which of them has learned the labels.
    if (models.size() > 2) count_repeated(models, labelled, predicted, best);
    const bool all = std::ranges::all_of(models, has_learned);
    double sum = 0;
    for (AuditedModel& model : models) {
        if (!all && has_learned(model)) continue;
        model.weight = std::pow(model.loss, -loss_power);
        sum += model.weight;
    }
    double drawn_mean = 0, far_mean = 0, missed_mean = 0;
    std::vector<double> missed;
    for (std::size_t m = 0; m < models.size(); ++m) {
        missed.push_back(missed_part(predicted[m], labelled.given));
        models[m].weight /= sum;
        drawn_mean += models[m].weight * drawn[m];
        far_mean += models[m].weight * far[m];
        missed_mean += models[m].weight * missed[m];
    }
    return {.models = std::move(models),
            .missed = std::move(missed),
            .floors = floors_of(drawn_mean, far_mean, missed_mean, readers.front().classes())};
}

std::vector<CombinedImage> combine(std::span<const RowReader> readers, const WeighedModels& weighed,
                                   const LabelledRows& labelled,
                                   const std::vector<std::vector<std::int32_t>>& predicted,
                                   int threads, const ProgressCallback& progress) {
    const std::vector<AuditedModel>& models = weighed.models;
    std::vector<CombinedImage> out(labelled.rows.size());
    const std::size_t classes = readers.front().classes();
    const double mixed_in = chance / static_cast<double>(classes);
    for_rows(out.size(), threads, [&](std::size_t begin, std::size_t end) {
        std::vector<float> buffer;
        std::vector<double> mean(classes);
        std::vector<Probabilities> by_model(readers.size(), {std::vector<double>(classes)});
        for (std::size_t i = begin; i < end; ++i) {
            std::ranges::fill(mean, 0.0);
            for (std::size_t m = 0; m < readers.size(); ++m) {
                if (models[m].weight == 0) continue;
                Probabilities& own = by_model[m];
                own.read(readers[m], labelled.rows[i], models[m].temperature, buffer);
                for (std::size_t c = 0; c < classes; ++c)
                    mean[c] += models[m].weight * std::log((1 - chance) * own.of(c) + mixed_in);
            }
            double sum = 0;
            for (const double l : mean) sum += std::exp(l);
            const auto given = static_cast<std::size_t>(labelled.given[i]);
            std::size_t first = 0, second = classes, other = classes;
            for (std::size_t c = 0; c < classes; ++c) {
                if (c != given && (other == classes || mean[c] > mean[other])) other = c;
                if (c == 0) continue;
                if (mean[c] > mean[first]) {
                    second = first;
                    first = c;
                } else if (second == classes || mean[c] > mean[second]) {
                    second = c;
                }
            }
            CombinedImage& image = out[i];
            image.first = static_cast<std::int32_t>(first);
            image.second = static_cast<std::int32_t>(second);
            image.suggested = static_cast<std::int32_t>(other);
            image.first_probability = std::exp(mean[first]) / sum;
            image.second_probability = std::exp(mean[second]) / sum;
            image.given_probability = std::exp(mean[given]) / sum;
            image.suggested_probability = std::exp(mean[other]) / sum;
            for (std::size_t m = 0; m < readers.size(); ++m) {
                if (models[m].weight == 0) continue;
                const double p = by_model[m].of(given), q = by_model[m].of(other);
                image.score +=
                    models[m].weight * std::log(((1 - chance) * p + weighed.floors.own) /
                                                ((1 - chance) * q + weighed.floors.other));
                if (predicted[m][i] == image.suggested) ++image.predict_suggested;
            }
        }
    });
    if (progress)
        progress({.step = "combine", .done = readers.size() + 1, .total = readers.size() + 1});
    return out;
}

}  // namespace assay::audit
