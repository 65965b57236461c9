// Attacks that follow the gradient with steps of fixed size, and noise without one.
#include "robustness/ball.h"
#include "robustness/query.h"

namespace assay::attack {
namespace {

/// Claims that every image fools the model. run_attack() checks the claims.
void claim_all(AttackResult& result) {
    result.fooled.assign(result.fooled.size(), 1);
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
    one.step_size = options.eps;
    one.random_start = false;
    return pgd(model, batch, one);
}

AttackResult pgd(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options) {
    AttackResult result = untouched(batch);
    Query query(model, result);
    FirstGradients starts(result);
    const std::size_t n = batch.labels.size();
    const double usual = options.eps / (options.norm == Norm::linf ? 4 : 5);
    const double size = options.step_size > 0 ? options.step_size : usual;
    for (std::size_t i = 0; i < n && options.random_start; ++i) {
        RandomStream random(options.seed, "attack.pgd", batch.items[i]);
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

}  // namespace assay::attack
