// Attacks that follow the gradient with steps of fixed size, and noise without one.
#include <fmt/format.h>

#include <limits>
#include <string>

#include "robustness/ball.h"
#include "robustness/query.h"
#include "robustness/rest.h"

namespace assay::attack {
namespace {

/// Claims that every image fools the model. run_attack() checks the claims.
void claim_all(AttackResult& result) {
    result.fooled.assign(result.fooled.size(), 1);
}

/// One run of pgd from its own random start.
AttackResult pgd_run(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options,
                     int run) {
    AttackResult result = untouched(batch);
    Query query(model, result);
    FirstGradients starts(result);
    const std::size_t n = batch.labels.size();
    const double usual = options.eps / (options.norm == Norm::linf ? 4 : 5);
    const double size = options.step_size > 0 ? options.step_size : usual;
    const std::string purpose = run == 0 ? "attack.pgd" : fmt::format("attack.pgd.restart.{}", run);
    for (std::size_t i = 0; i < n && options.random_start; ++i) {
        RandomStream random(options.seed, purpose, batch.items[i]);
        keep(result, i, Ball(image_of(batch, i), options.norm, options.eps).uniform_point(random));
    }
    const std::size_t numbers = model.shape().size();
    for (int step = 0; step < options.steps; ++step) {
        query.clear();
        for (std::size_t i = 0; i < n; ++i)
            query.add(std::span(result.images).subspan(i * numbers, numbers), batch.labels[i]);
        query.ask_gradients(Loss::cross_entropy);
        for (std::size_t i = 0; i < n; ++i) {
            if (step == 0) starts.look(query, i, i);
            const bool usable = query.usable_gradient(i);
            if (!usable || query.has_gaps(i)) result.not_finite[i] = 1;
            if (!usable) continue;
            Ball(image_of(batch, i), options.norm, options.eps)
                .climb(std::span(result.images).subspan(i * numbers, numbers), query.gradient(i),
                       size);
        }
    }
    claim_all(result);
    return result;
}

/// Classifies the last images of a run, and keeps those that fool the model or have a higher loss
/// than those of earlier runs. Scores that are not finite end the runs of an image, too: without
/// restarts they count as misclassified. `highest` has the losses by place in the batch.
void keep_better(AttackedModel& model, const Rest& rest, AttackResult& part, AttackResult& best,
                 std::span<double> highest) {
    Query query(model, part);
    const std::size_t size = model.shape().size();
    for (std::size_t k = 0; k < rest.places.size(); ++k)
        query.add(std::span(part.images).subspan(k * size, size), rest.labels[k]);
    query.ask_scores();
    std::vector<float> slopes(model.classes());
    for (std::size_t k = 0; k < rest.places.size(); ++k) {
        const std::size_t place = rest.places[k];
        const double loss =
            loss_of(Loss::cross_entropy, query.scores(k), rest.labels[k], 0, slopes);
        if (!query.sound_scores(k)) part.not_finite[k] = 1;
        const bool done = query.fooled(k) || !query.sound_scores(k);
        if (!done && !(loss > highest[place])) continue;
        highest[place] = loss;
        best.fooled[place] = done ? 1 : 0;
        keep(best, place, std::span<const float>(part.images).subspan(k * size, size));
    }
}

}  // namespace

AttackResult noise(AttackedModel& /*model*/, const AttackBatch& batch,
                   const AttackOptions& options) {
    AttackResult result = untouched(batch);
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        RandomStream random(options.seed, "attack.noise", batch.items[i]);
        keep(result, i, Ball(image_of(batch, i), options.norm, options.eps).surface_point(random));
    }
    claim_all(result);
    return result;
}

AttackResult fgsm(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options) {
    AttackOptions one = options;
    one.steps = 1;
    one.restarts = 1;
    one.step_size = options.eps;
    one.random_start = false;
    return pgd(model, batch, one);
}

AttackResult pgd(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options) {
    if (options.restarts == 1) return pgd_run(model, batch, options, 0);
    AttackResult best = untouched(batch);
    best.unusable.assign(batch.labels.size(), 1);
    std::vector<double> highest(batch.labels.size(), -std::numeric_limits<double>::infinity());
    for (int run = 0; run < options.restarts; ++run) {
        const Rest rest(batch, best.fooled);
        if (rest.places.empty()) break;
        AttackResult part = pgd_run(model, rest.batch(), options, run);
        keep_better(model, rest, part, best, highest);
        rest.add_to(best, part);
    }
    return best;
}

}  // namespace assay::attack
