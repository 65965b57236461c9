// Attacks that follow the gradient with steps of fixed size, and noise without one.
#include "robustness/ball.h"
#include "robustness/query.h"

namespace assay::attack {
namespace {

/// Classifies the result's images and marks those that fool the model.
void classify(AttackedModel& model, const AttackBatch& batch, AttackResult& result) {
    Query query(model, result);
    const std::size_t size = model.shape().size();
    for (std::size_t i = 0; i < batch.labels.size(); ++i)
        query.add(std::span(result.images).subspan(i * size, size), batch.labels[i]);
    query.ask_scores();
    for (std::size_t i = 0; i < batch.labels.size(); ++i)
        result.fooled[i] = query.fooled(i) ? 1 : 0;
}

}  // namespace

AttackResult noise(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options) {
    AttackResult result = untouched(batch);
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        RandomStream random(options.seed, "attack.noise", batch.items[i]);
        keep(result, i, Ball(image_of(batch, i), options.norm, options.eps).surface_point(random));
    }
    classify(model, batch, result);
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
    const std::size_t n = batch.labels.size();
    const double usual = options.eps / (options.norm == Norm::linf ? 4 : 5);
    const double size = options.step_size > 0 ? options.step_size : usual;
    std::vector<std::uint8_t> broken(n, 0);
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
            if (step == 0 && query.zero_gradient(i)) ++result.zero_gradients;
            if (!query.finite_gradient(i)) {
                broken[i] = 1;
                continue;
            }
            Ball(image_of(batch, i), options.norm, options.eps)
                .climb(std::span(result.images).subspan(i * numbers, numbers), query.gradient(i),
                       size);
        }
    }
    for (const std::uint8_t b : broken) result.not_finite += b;
    classify(model, batch, result);
    return result;
}

}  // namespace assay::attack
