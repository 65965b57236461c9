#include "evaluate/attack_control.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include "core/memory_budget.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "data/name_hash.h"
#include "evaluate/attack_batch.h"
#include "evaluate/prediction_run.h"
#include "evaluate/prepared_batch.h"
#include "robustness/query.h"
#include "store/reduce.h"

namespace assay::attack {
namespace {

constexpr int large_steps = 10;
constexpr int most_stronger_steps = 30;
constexpr int fewest_stronger_steps = 5;
constexpr int most_queries = 20;
constexpr int fewest_queries = 5;
constexpr double cost_of_gradient = 3;  // cost in forward passes
// A quarter of a level in every element. Over a whole level, MobileNet's kinks alone cause errors
// of .41 to .50. At a quarter, rounded images still cross borders of levels.
constexpr double slope_step = .25 / 255;
constexpr double moves = 2e-5;  // relative to the largest score; less is float32 noise
/// 8 levels of a normalized input are about 1.8 levels of its pixels.
constexpr double wider_normalised = 4;
/// 11 images on one side and none on the other: the exact McNemar test gives 2 / 2^11 < .001.
constexpr std::size_t fewest_for_square = 11;

/// Rows in the order of the hashes of their ids.
std::vector<std::size_t> hash_order(const Dataset& dataset, std::span<const RowOutcome> clean,
                                    bool correct_alone) {
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (correct_alone ? clean[i] == RowOutcome::correct : dataset.single_label(i) >= 0)
            keys.emplace_back(name_hash(dataset.ids[i]).first, i);
    }
    const std::size_t n = std::min(keys.size(), probe_images);
    std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n), keys.end());
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) rows.push_back(keys[i].second);
    return rows;
}

/// The images as input of the attacks.
struct Images {
    std::vector<std::size_t> rows;
    std::vector<float> pixels;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> items;

    std::size_t size() const { return rows.size(); }
    std::size_t each() const { return rows.empty() ? 0 : pixels.size() / rows.size(); }
    AttackBatch part(std::size_t first, std::size_t n) const {
        return {std::span(pixels).subspan(first * each(), n * each()),
                std::span(labels).subspan(first, n), std::span(items).subspan(first, n)};
    }
    Images chosen(const std::function<bool(std::size_t)>& wanted) const {
        Images out;
        for (std::size_t i = 0; i < size(); ++i) {
            if (!wanted(i)) continue;
            out.rows.push_back(rows[i]);
            const auto own = std::span(pixels).subspan(i * each(), each());
            out.pixels.insert(out.pixels.end(), own.begin(), own.end());
            out.labels.push_back(labels[i]);
            out.items.push_back(items[i]);
        }
        return out;
    }
};

class Controls {
public:
    Controls(const ControlInputs& in, const ControlBudget& budget, const ProgressCallback& callback)
        : in_(in),
          budget_(budget),
          callback_(callback),
          threads_(resolve_threads(in.options.predict.threads)) {}

    ControlMeasures run() {
        say(0);
        const Images probed = load(hash_order(in_.dataset, in_.clean, false));
        if (probed.size() > 0) repeat(probed);
        const Images correct = load(hash_order(in_.dataset, in_.clean, true));
        if (correct.size() > 0 && in_.gradients && in_.eps > 0) {
            const Images few = correct.chosen([](std::size_t i) { return i < control_images; });
            out_.gradient_tried = true;
            slope(few);
            // The stronger attacks have no budget in the other norms.
            if (!attack_named("pgd").takes(in_.options.norm)) {
                say(planned());
                return out_;
            }
            large(few);
            std::vector<std::uint8_t> fooled(correct.size(), 0);
            for (std::size_t i = 0; i < correct.size(); ++i)
                fooled[i] = in_.attacked[correct.rows[i]] == RowOutcome::incorrect ? 1 : 0;
            stronger(correct, fooled);
            without_gradient(correct, fooled);
        }
        say(planned());
        return out_;
    }

private:
    std::uint64_t planned() const { return budget_.forward + budget_.backward; }
    void say(std::uint64_t done) const {
        if (!callback_) return;
        callback_({.step = "controls", .done = std::min(done, planned()), .total = planned()});
    }

    Images load(const std::vector<std::size_t>& rows) const {
        const Preprocess preprocess =
            attacked_preprocess(in_.loaded.spec.preprocess, in_.options.space);
        const std::size_t given = prediction::input_size(preprocess);
        const std::size_t size = in_.model.shape().size();
        const DecodeLimits limits = prediction::decode_limits(in_.options.predict);
        MemoryBudget memory(in_.options.predict.image_memory);
        std::vector<float> all(rows.size() * size);
        std::vector<std::uint8_t> read(rows.size(), 0);
        parallel_blocks(rows.size(), threads_, [&](std::size_t i) {
            throw_if_stopped();
            std::vector<float> input(given);
            const bool failed = prediction::use_image(in_.dataset, rows[i], limits, memory,
                                                      [&](const Image& image) {
                                                          preprocess_into(image, preprocess, input);
                                                      })
                                    .has_value();
            // Returns the first plane for gray images.
            std::copy_n(input.begin(), size, all.begin() + static_cast<std::ptrdiff_t>(i * size));
            read[i] = failed ? 0 : 1;
        });
        Images images;
        images.rows = rows;
        images.pixels = std::move(all);
        for (const std::size_t row : rows) {
            images.labels.push_back(static_cast<std::uint32_t>(in_.dataset.single_label(row)));
            images.items.push_back(name_hash(in_.dataset.ids[row]).first);
        }
        return images.chosen([&](std::size_t i) { return read[i] != 0; });
    }

    /// Processes a batch in blocks on several threads; counts are added in any order, as whole
    /// numbers.
    void in_batches(
        std::size_t n,
        const std::function<void(std::size_t first, std::size_t n, AttackResult& counted)>& body) {
        const std::size_t batch = in_.batch;
        parallel_blocks((n + batch - 1) / batch, threads_, [&](std::size_t block) {
            throw_if_stopped();
            const std::size_t first = block * batch;
            AttackResult counted;
            body(first, std::min(batch, n - first), counted);
            const std::scoped_lock lock(mutex_);
            out_.forward += counted.forward;
            out_.backward += counted.backward;
            say(out_.forward + out_.backward);
        });
    }

    std::vector<float> scores_of(const Images& images) {
        const std::size_t classes = in_.model.classes();
        std::vector<float> scores(images.size() * classes);
        in_batches(images.size(), [&](std::size_t first, std::size_t n, AttackResult& counted) {
            in_.model.scores(images.part(first, n).images, n,
                             std::span(scores).subspan(first * classes, n * classes));
            counted.forward += n;
        });
        return scores;
    }

    /// Runs the same images twice, and some of them alone.
    void repeat(const Images& images) {
        const std::size_t classes = in_.model.classes();
        const std::vector<float> first = scores_of(images), second = scores_of(images);
        const auto row = [&](const std::vector<float>& scores, std::size_t i) {
            return std::span(scores).subspan(i * classes, classes);
        };
        float largest = 0;
        double lowest = 0, highest = 0, far_from_one = 0;
        bool any = false;
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (!store::is_sound(row(first, i), ScoreKind::logits, StorageFormat::full_f32) ||
                !store::is_sound(row(second, i), ScoreKind::logits, StorageFormat::full_f32)) {
                ++out_.not_finite;
                continue;
            }
            double sum = 0;
            for (const float score : row(first, i)) {
                if (std::isfinite(score)) largest = std::max(largest, std::abs(score));
                const auto value = static_cast<double>(score);
                lowest = any ? std::min(lowest, value) : value;
                highest = any ? std::max(highest, value) : value;
                any = true;
                sum += value;
            }
            far_from_one = std::max(far_from_one, std::abs(sum - 1));
        }
        out_.probed = images.size();
        out_.probabilities = any && classes > 1 && lowest >= 0 && highest <= 1 &&
                             (far_from_one <= 1e-3 || images.size() >= 8) && highest > lowest;
        out_.repeat_difference = difference(first, second, largest);
        if (in_.batch == 1) return;
        std::vector<double> apart(images.size(), 0);
        const std::size_t step = in_.batch + 1;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < images.size() && places.size() < alone_images; i += step)
            places.push_back(i);
        parallel_blocks(places.size(), threads_, [&](std::size_t k) {
            std::vector<float> alone(classes);
            in_.model.scores(images.part(places[k], 1).images, 1, alone);
            const auto together = row(first, places[k]);
            apart[k] = difference(alone, together, largest);
        });
        out_.forward += places.size();
        out_.ran_alone = images.size() > 1 ? places.size() : 0;
        out_.alone_difference = *std::ranges::max_element(apart);
    }

    static double difference(std::span<const float> a, std::span<const float> b, float largest) {
        double most = 0;
        for (std::size_t k = 0; k < a.size(); ++k) {
            if (std::isfinite(a[k]) && std::isfinite(b[k]))
                most =
                    std::max(most, std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])));
        }
        return largest > 0 ? most / static_cast<double>(largest) : 0;
    }

    AttackOptions options(double eps, int steps) const {
        AttackOptions own;
        own.eps = eps;
        own.norm = in_.options.norm;
        own.steps = steps;
        own.seed = in_.options.seed;
        return own;
    }

    /// True if each image is fooled.
    std::vector<std::uint8_t> attack_by(std::string_view name, const Images& images,
                                        const AttackOptions& options) {
        std::vector<std::uint8_t> fooled(images.size(), 0);
        in_batches(images.size(), [&](std::size_t first, std::size_t n, AttackResult& counted) {
            AttackResult result =
                run_attack(attack_named(name), in_.model, images.part(first, n), options);
            std::ranges::copy(result.fooled, fooled.begin() + static_cast<std::ptrdiff_t>(first));
            counted.forward = result.forward;
            counted.backward = result.backward;
        });
        return fooled;
    }

    void large(const Images& images) {
        const bool linf = in_.options.norm == Norm::linf;
        const bool pixels = in_.options.space == AttackSpace::pixels;
        out_.large_eps =
            linf ? std::min(1.0, large_budget * (pixels ? 1 : wider_normalised)) : 8 * in_.eps;
        const auto fooled = attack_by("pgd", images, options(out_.large_eps, large_steps));
        out_.large_images = images.size();
        out_.large_left = static_cast<std::size_t>(std::ranges::count(fooled, 0));
    }

    /// Compares the gradient with central differences of the label's score minus that of the second
    /// class.
    void slope(const Images& images) {
        std::vector<std::vector<double>> errors(images.size());
        std::vector<std::uint8_t> zero(images.size(), 0);
        in_batches(images.size(), [&](std::size_t first, std::size_t n, AttackResult& counted) {
            const AttackBatch batch = images.part(first, n);
            Query of_loss(in_.model, counted), of_score(in_.model, counted);
            for (std::size_t i = 0; i < n; ++i) of_loss.add(image_of(batch, i), batch.labels[i]);
            of_loss.ask_gradients(Loss::cross_entropy);
            std::vector<std::uint32_t> second;
            for (std::size_t i = 0; i < n; ++i) {
                const auto targets = targets_by_score(of_loss.scores(i), batch.labels[i], 1);
                second.push_back(targets.empty() ? batch.labels[i] : targets.front());
                of_score.add(image_of(batch, i), batch.labels[i], second.back());
            }
            of_score.ask_gradients(Loss::difference);
            for (std::size_t i = 0; i < n; ++i) {
                if (second[i] == batch.labels[i] || !of_score.sound_scores(i)) continue;
                // Attacks follow the gradient of the loss. If it is 0, they have no direction.
                const bool nothing = of_loss.zero_gradient(i) || !of_loss.usable_gradient(i);
                errors[first + i] = errors_of(image_of(batch, i), batch.labels[i], second[i],
                                              batch.items[i], of_score, i, nothing, counted);
                zero[first + i] = nothing && !errors[first + i].empty() ? 1 : 0;
            }
        });
        std::vector<double> all;
        for (const auto& own : errors) {
            all.insert(all.end(), own.begin(), own.end());
            out_.slope_images += own.empty() ? 0 : 1;
        }
        out_.slopes = all.size();
        out_.zero_gradients = static_cast<std::size_t>(std::ranges::count(zero, 1));
        if (all.empty()) return;
        std::ranges::sort(all);
        out_.slope_error = quantile_sorted(all, .5);
    }

    /// The relative error along each direction in which the score changes.
    std::vector<double> errors_of(std::span<const float> image, std::uint32_t label,
                                  std::uint32_t second, std::uint64_t item, const Query& gradients,
                                  std::size_t place, bool nothing, AttackResult& counted) {
        std::vector<double> by_gradient;
        Query moved(in_.model, counted);
        RandomStream random(in_.options.seed, "attack.control.slope", item);
        const auto h = static_cast<float>(slope_step);
        for (std::size_t d = 0; d < slope_directions; ++d) {
            std::vector<float> up(image.begin(), image.end()), down = up;
            double expected = 0;
            for (std::size_t k = 0; k < up.size(); ++k) {
                const float step = random.next_u32() % 2 == 0 ? h : -h;
                if (image[k] < h || image[k] > 1 - h) continue;  // stays within the box
                up[k] += step;
                down[k] -= step;
                expected += static_cast<double>(gradients.gradient(place)[k]) *
                            (static_cast<double>(up[k]) - static_cast<double>(down[k]));
            }
            by_gradient.push_back(expected);
            moved.add(up, label);
            moved.add(down, label);
        }
        moved.ask_scores();
        double largest = 0;
        for (const float score : gradients.scores(place)) {
            if (std::isfinite(score))
                largest = std::max(largest, std::abs(static_cast<double>(score)));
        }
        std::vector<double> errors;
        const auto score_of = [&](std::size_t k) {
            return static_cast<double>(moved.scores(k)[second]) -
                   static_cast<double>(moved.scores(k)[label]);
        };
        for (std::size_t d = 0; d < slope_directions; ++d) {
            const double measured = score_of(2 * d) - score_of(2 * d + 1);
            const double most = std::max(std::abs(measured), std::abs(by_gradient[d]));
            if (!std::isfinite(measured) || most <= moves * largest) continue;
            errors.push_back(nothing ? 1 : std::abs(measured - by_gradient[d]) / most);
        }
        return errors;
    }

    /// Runs a stronger attack on the first images that the others did not fool, and marks those
    /// that it fools.
    void stronger(const Images& correct, std::vector<std::uint8_t>& fooled) {
        const std::size_t n = std::min(correct.size(), control_images);
        const Images left = correct.chosen([&](std::size_t i) { return i < n && fooled[i] == 0; });
        out_.stronger_images = n;
        out_.stronger_steps = budget_.stronger_steps;
        out_.left_before = out_.left_after = left.size();
        const auto now = attack_by("apgd-dlr", left, options(in_.eps, budget_.stronger_steps));
        for (std::size_t i = 0, k = 0; i < n; ++i) {
            if (fooled[i] != 0) continue;
            fooled[i] = now[k++];
            out_.left_after -= fooled[i];
        }
    }

    /// Runs Square, which uses no gradient, on the remaining images; it runs on the rest only if
    /// the result could matter.
    void without_gradient(const Images& correct, const std::vector<std::uint8_t>& fooled) {
        if (in_.options.norm != Norm::linf || correct.size() < fewest_for_tests) return;
        out_.square_images = correct.size();
        const auto left = static_cast<std::size_t>(std::ranges::count(fooled, 0));
        out_.square_needed = left >= fewest_for_square;
        if (!out_.square_needed) return;
        const double used = static_cast<double>(out_.forward) +
                            (cost_of_gradient - 1) * static_cast<double>(out_.backward);
        const double all = static_cast<double>(budget_.forward) +
                           (cost_of_gradient - 1) * static_cast<double>(budget_.backward);
        out_.queries =
            std::clamp(static_cast<int>((all - used) / static_cast<double>(correct.size())),
                       fewest_queries, most_queries);
        const AttackOptions how = options(in_.eps, out_.queries);
        const auto by_square =
            attack_by("square", correct.chosen([&](std::size_t i) { return fooled[i] == 0; }), how);
        out_.only_square = static_cast<std::size_t>(std::ranges::count(by_square, 1));
        if (out_.only_square < fewest_for_square) return;
        const auto others =
            attack_by("square", correct.chosen([&](std::size_t i) { return fooled[i] != 0; }), how);
        out_.only_gradient = static_cast<std::size_t>(std::ranges::count(others, 0));
    }

    const ControlInputs& in_;
    const ControlBudget& budget_;
    const ProgressCallback& callback_;
    int threads_;
    std::mutex mutex_;
    ControlMeasures out_;
};

}  // namespace

ControlBudget control_budget(double correct, bool gradients) {
    // Passes for 1,000 images: clean scores twice, three stores, 11 gradients per attacked image.
    const double tenth = (5000 + correct * 11'000 * cost_of_gradient) / 10;
    const std::uint64_t twice = 2 * probe_images + alone_images;
    ControlBudget budget;
    budget.forward = twice;
    if (!gradients) return budget;
    // Adds pgd at the large budget and its check, two gradients per image, and central differences.
    const std::uint64_t differences = 2 * slope_directions * control_images;
    const std::uint64_t gradient = control_images * (large_steps + 2);
    const double fixed = static_cast<double>(twice + differences + control_images) +
                         cost_of_gradient * static_cast<double>(gradient);
    const double left =
        std::max(0.0, tenth - fixed - static_cast<double>(fewest_queries * probe_images));
    budget.stronger_steps =
        std::clamp(static_cast<int>(left / (cost_of_gradient * control_images)) - 1,
                   fewest_stronger_steps, most_stronger_steps);
    const auto steps = static_cast<std::uint64_t>(budget.stronger_steps) + 1;
    const double rest =
        tenth - fixed - cost_of_gradient * static_cast<double>(control_images * steps);
    budget.queries =
        std::clamp(static_cast<int>(rest / probe_images), fewest_queries, most_queries);
    budget.backward = gradient + control_images * steps;
    budget.forward = twice + differences + control_images + budget.backward +
                     static_cast<std::uint64_t>(budget.queries) * probe_images;
    return budget;
}

ControlMeasures measure_controls(const ControlInputs& in, const ControlBudget& budget,
                                 const ProgressCallback& callback) {
    return Controls(in, budget, callback).run();
}

}  // namespace assay::attack
