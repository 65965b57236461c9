// Auto-PGD, which halves its steps when progress stops (Croce and Hein, ICML 2020, algorithm 1). It
// differs from its authors' program in one point: an image is removed as soon as the model
// misclassifies it. The outcome for an image is the same, with fewer passes.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "robustness/ball.h"
#include "robustness/query.h"

namespace assay::attack {
namespace {

constexpr double momentum = .75;
/// If the loss rose in at most this share of the steps of a window, the step is halved.
constexpr double rising = .75;

/// An image that is being attacked.
struct Climber {
    std::size_t place;
    std::uint32_t target = 0;
    Ball ball;
    Pixels x, before, best, gradient, best_gradient;
    double step = 0, last = 0, best_loss = 0, best_at_check = 0;
    int rises = 0;  ///< steps of the current window on which the loss rose
    bool halved = true;
    bool broken = false;

    Climber(std::size_t at, const Ball& of) : place(at), ball(of) {}

    void begin(double loss, std::span<const float> g, double eps) {
        before = x;
        best = x;
        gradient.assign(g.begin(), g.end());
        best_gradient = gradient;
        step = 2 * eps;
        last = best_loss = best_at_check = loss;
    }

    void move(bool first) {
        Pixels next = x;
        ball.climb(next, gradient, step);
        if (!first) {
            const auto a = static_cast<float>(momentum);
            for (std::size_t i = 0; i < x.size(); ++i)
                next[i] = x[i] + a * (next[i] - x[i]) + (1 - a) * (x[i] - before[i]);
            ball.project(next);
        }
        before = std::move(x);
        x = std::move(next);
    }

    void take(double loss, std::span<const float> g) {
        gradient.assign(g.begin(), g.end());
        if (loss > last) ++rises;
        last = loss;
        if (loss > best_loss) {
            best_loss = loss;
            best = x;
            best_gradient = gradient;
        }
    }

    void check(int window) {
        const bool few = rises <= static_cast<int>(rising * window);
        const bool stuck = !halved && best_at_check >= best_loss;
        halved = few || stuck;
        best_at_check = best_loss;
        rises = 0;
        if (!halved) return;
        step /= 2;
        x = best;
        gradient = best_gradient;
    }
};

/// The ends of the windows. The first window has 22 % of the steps. Each next window is shorter by
/// 3 %, but has at least 6 %.
class Windows {
public:
    explicit Windows(int steps)
        : length_(std::max(1, steps * 22 / 100)),
          shorter_(std::max(1, steps * 3 / 100)),
          shortest_(std::max(1, steps * 6 / 100)) {}
    /// Called after each step. Returns the length of the window that ends with this step, or 0 if
    /// no window does.
    int ended() {
        if (++steps_ < length_) return 0;
        const int length = length_;
        steps_ = 0;
        length_ = std::max(length_ - shorter_, shortest_);
        return length;
    }

private:
    int length_, shorter_, shortest_, steps_ = 0;
};

struct Run {
    Loss loss;
    std::string purpose;  ///< purpose of the random start
};

/// Computes losses of the images. Images that fool the model go to `result` and are removed.
template <class Take>
void ask(Query& query, Loss loss, const AttackBatch& batch, AttackResult& result,
         std::vector<Climber>& climbers, Take&& take) {
    query.clear();
    for (const Climber& c : climbers) query.add(c.x, batch.labels[c.place], c.target);
    query.ask_gradients(loss);
    for (std::size_t k = 0; k < climbers.size(); ++k) {
        Climber& c = climbers[k];
        if (query.fooled(k)) {
            keep(result, c.place, c.x);
            result.fooled[c.place] = 1;
            // This does not depend on the gradient at another start.
            if (!result.unusable.empty()) result.unusable[c.place] = 0;
        } else {
            c.broken = !query.usable_gradient(k);
            if (c.broken || query.has_gaps(k)) result.not_finite[c.place] = 1;
            take(c, k);
        }
    }
    std::erase_if(climbers,
                  [&](const Climber& c) { return c.broken || result.fooled[c.place] != 0; });
}

void climb(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options,
           const Run& run, std::vector<Climber> climbers, AttackResult& result,
           FirstGradients& starts) {
    for (Climber& c : climbers) {
        RandomStream random(options.seed, run.purpose, batch.items[c.place]);
        c.x = c.ball.surface_point(random);
    }
    Query query(model, result);
    ask(query, run.loss, batch, result, climbers, [&](Climber& c, std::size_t k) {
        starts.look(query, k, c.place);
        if (!c.broken) c.begin(query.loss(k), query.gradient(k), options.eps);
    });
    Windows windows(options.steps);
    for (int step = 0; step < options.steps && !climbers.empty(); ++step) {
        for (Climber& c : climbers) c.move(step == 0);
        ask(query, run.loss, batch, result, climbers, [&](Climber& c, std::size_t k) {
            if (!c.broken) c.take(query.loss(k), query.gradient(k));
        });
        if (const int window = windows.ended(); window > 0) {
            for (Climber& c : climbers) c.check(window);
        }
    }
}

std::vector<Climber> climbers_of(const AttackBatch& batch, const AttackOptions& options,
                                 const AttackResult& result) {
    std::vector<Climber> climbers;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        if (result.fooled[i] == 0)
            climbers.emplace_back(i, Ball(image_of(batch, i), options.norm, options.eps));
    }
    return climbers;
}

AttackResult untargeted(AttackedModel& model, const AttackBatch& batch,
                        const AttackOptions& options, const Run& run) {
    AttackResult result = untouched(batch);
    FirstGradients starts(result);
    climb(model, batch, options, run, climbers_of(batch, options, result), result, starts);
    return result;
}

}  // namespace

AttackResult apgd_ce(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options) {
    return untargeted(model, batch, options, {Loss::cross_entropy, "attack.apgd-ce"});
}

AttackResult apgd_dlr(AttackedModel& model, const AttackBatch& batch,
                      const AttackOptions& options) {
    const Loss loss = model.classes() >= least_classes(Loss::dlr) ? Loss::dlr : Loss::margin;
    return untargeted(model, batch, options, {loss, "attack.apgd-dlr"});
}

AttackResult apgd_targeted(AttackedModel& model, const AttackBatch& batch,
                           const AttackOptions& options) {
    const Loss loss = model.classes() >= least_classes(Loss::targeted_dlr) ? Loss::targeted_dlr
                                                                           : Loss::difference;
    AttackResult result = untouched(batch);
    Query query(model, result);
    for (std::size_t i = 0; i < batch.labels.size(); ++i)
        query.add(image_of(batch, i), batch.labels[i]);
    query.ask_scores();
    FirstGradients starts(result);
    std::vector<std::vector<std::uint32_t>> targets;
    for (std::size_t i = 0; i < batch.labels.size(); ++i)
        targets.push_back(targets_by_score(query.scores(i), batch.labels[i], options.targets));
    for (std::uint32_t t = 0; t < options.targets; ++t) {
        std::vector<Climber> climbers = climbers_of(batch, options, result);
        std::erase_if(climbers, [&](const Climber& c) { return t >= targets[c.place].size(); });
        if (climbers.empty()) break;
        for (Climber& c : climbers) c.target = targets[c.place][t];
        climb(model, batch, options, {loss, fmt::format("attack.apgd-t.{}", t)},
              std::move(climbers), result, starts);
    }
    return result;
}

}  // namespace assay::attack
