// Attacks that search for the smallest change of an image that fools the model. They follow the
// gradient and adapt the allowed size: it shrinks where the model is fooled, and grows where it is
// not. They use no random numbers. At the end, the best change is shortened by bisection towards
// the original, which the authors' programs do not do.
//
// fmn: Pintor, Roli, Brendel, Biggio, NeurIPS 2021, algorithm 1, with the constants given there.
// ddn: Rony et al., CVPR 2019, algorithm 1, without its rounding to 8 bits in each step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "robustness/ball.h"
#include "robustness/change.h"
#include "robustness/query.h"

namespace assay::attack {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double first_step = 1, last_step = .01;         ///< alpha, the Euclidean length of a step
constexpr double first_factor = .05, last_factor = 1e-4;  ///< gamma, the change of the size
/// Growth of the size for l0 as long as no change fooled the model. The size of the first step is
/// often far too small, and gamma would not reach a larger one in time.
constexpr double growth_of_l0 = .1;
constexpr double ddn_first_size = 1;
constexpr int bisections = 10;

/// Falls from `first` to `last` along half a cosine.
double annealed(double first, double last, int step, int steps) {
    const double turn = std::numbers::pi * step / steps;
    return last + (first - last) * (1 + std::cos(turn)) / 2;
}

/// An image for which a smaller change is sought.
struct Walker {
    std::size_t place;
    Pixels x, best;
    double size = infinity;       ///< epsilon, the allowed size
    double best_size = infinity;  ///< size of the smallest change that fooled the model
    bool done = false;

    bool found() const { return best_size < infinity; }
};

class MinimumSearch {
public:
    MinimumSearch(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options,
                  AttackResult& result)
        : batch_(batch),
          options_(options),
          result_(result),
          query_(model, result),
          starts_(result) {
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            const auto original = image_of(batch, i);
            walkers_.push_back({i, Pixels(original.begin(), original.end()), {}});
        }
    }

    /// `move(walker, gradient, loss, fooled, step)` makes one step.
    template <class Move>
    void run(Loss loss, Move&& move) {
        std::vector<Walker*> left;
        for (Walker& w : walkers_) left.push_back(&w);
        for (int step = 0; step < options_.steps && !left.empty(); ++step) {
            query_.clear();
            for (const Walker* w : left) query_.add(w->x, batch_.labels[w->place]);
            query_.ask_gradients(loss);
            for (std::size_t k = 0; k < left.size(); ++k) {
                Walker& w = *left[k];
                if (step == 0) starts_.look(query_, k, w.place);
                const bool usable = query_.usable_gradient(k), fooled = query_.fooled(k);
                if (!usable || query_.has_gaps(k)) result_.not_finite[w.place] = 1;
                if (fooled) note(w);
                if (!usable || (!fooled && query_.zero_gradient(k))) {
                    leave_dead_end(w);
                    continue;
                }
                move(w, query_.gradient(k), query_.loss(k), fooled, step);
            }
            std::erase_if(left, [](const Walker* w) { return w->done; });
        }
        shorten();
        for (const Walker& w : walkers_) {
            if (!w.found() || (w.best_size > options_.eps && !options_.smallest)) continue;
            keep(result_, w.place, w.best);
            result_.fooled[w.place] = 1;
        }
    }
    std::span<const float> original(const Walker& w) const { return image_of(batch_, w.place); }

private:
    /// Stores the walker's image, which fooled the model, if its change is the smallest.
    void note(Walker& w) {
        const double size = size_of_change(options_.norm, original(w), w.x);
        if (size >= w.best_size) return;
        w.best_size = size;
        w.best = w.x;
    }

    /// The walker's image gives no direction. Continues from the best change, or from half of the
    /// change, where the network may not be saturated. Ends at the original.
    void leave_dead_end(Walker& w) {
        if (w.found()) {
            w.done = w.x == w.best;
            w.x = w.best;
            return;
        }
        w.size = size_of_change(options_.norm, original(w), w.x) / 2;
        w.done = w.size == 0;
        shorten_change(options_.norm, original(w), w.x, .5);
    }

    /// Looks for the boundary between the original and the best change.
    void shorten() {
        struct Line {
            Walker* walker;
            Pixels whole;
            double low = 0, high = 1;
        };
        std::vector<Line> lines;
        for (Walker& w : walkers_) {
            if (w.found()) lines.push_back({&w, w.best});
        }
        for (int k = 0; k < bisections && !lines.empty(); ++k) {
            query_.clear();
            for (Line& line : lines) {
                Walker& w = *line.walker;
                w.x = line.whole;
                shorten_change(options_.norm, original(w), w.x, (line.low + line.high) / 2);
                query_.add(w.x, batch_.labels[w.place]);
            }
            query_.ask_scores();
            for (std::size_t i = 0; i < lines.size(); ++i) {
                Line& line = lines[i];
                const double middle = (line.low + line.high) / 2;
                (query_.fooled(i) ? line.high : line.low) = middle;
                if (query_.fooled(i)) note(*line.walker);
            }
        }
    }

    const AttackBatch& batch_;
    const AttackOptions& options_;
    AttackResult& result_;
    Query query_;
    FirstGradients starts_;
    std::vector<Walker> walkers_;
};

void step_along(Pixels& x, std::span<const float> gradient, double length) {
    const auto factor = static_cast<float>(length / (length_of(gradient) + 1e-12));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * gradient[i];
}

/// The allowed size after a step of fmn. A size of l0 is a whole number of elements, so it changes
/// by at least one.
double adapted_size(Norm norm, const Walker& w, bool fooled, double factor, double estimate) {
    if (norm == Norm::l0) {
        if (fooled) {
            const double smaller = std::min(w.size - 1, std::floor(w.size * (1 - factor)));
            return std::max(std::min(smaller, w.best_size - 1), 0.0);
        }
        if (w.size == infinity) return std::max(std::ceil(estimate), 1.0);
        return std::max(w.size + 1, std::floor(w.size * (1 + (w.found() ? factor : growth_of_l0))));
    }
    if (fooled) return std::min(w.size * (1 - factor), w.best_size);
    // On a network that is linear around the image, the estimate itself is on the boundary, and
    // rounding decides.
    return (w.found() ? w.size : estimate) * (1 + factor);
}

}  // namespace

AttackResult fast_minimum_norm(AttackedModel& model, const AttackBatch& batch,
                               const AttackOptions& options) {
    AttackResult result = untouched(batch);
    MinimumSearch search(model, batch, options, result);
    const Norm norm = options.norm;
    search.run(Loss::margin, [&](Walker& w, std::span<const float> gradient, double loss,
                                 bool fooled, int step) {
        const auto original = search.original(w);
        // The distance to the boundary if the loss were linear.
        const double boundary = std::abs(loss) / std::max(dual_size(norm, gradient), 1e-12);
        const double estimate = size_of_change(norm, original, w.x) + boundary;
        w.size = adapted_size(norm, w, fooled,
                              annealed(first_factor, last_factor, step, options.steps), estimate);
        step_along(w.x, gradient, annealed(first_step, last_step, step, options.steps));
        limit_change(norm, original, w.x, w.size);
    });
    return result;
}

AttackResult decoupled_norm(AttackedModel& model, const AttackBatch& batch,
                            const AttackOptions& options) {
    AttackResult result = untouched(batch);
    MinimumSearch search(model, batch, options, result);
    search.run(Loss::cross_entropy, [&](Walker& w, std::span<const float> gradient, double /*loss*/,
                                        bool fooled, int step) {
        const auto original = search.original(w);
        w.size = w.size == infinity ? ddn_first_size
                                    : w.size * (1 + (fooled ? -first_factor : first_factor));
        step_along(w.x, gradient, annealed(first_step, last_step, step, options.steps));
        const double size = size_of_change(Norm::l2, original, w.x);
        if (size == 0) return;
        const auto factor = static_cast<float>(w.size / size);
        for (std::size_t i = 0; i < w.x.size(); ++i)
            w.x[i] = cut_to(original[i] + (w.x[i] - original[i]) * factor, 0.0F, 1.0F);
    });
    return result;
}

}  // namespace assay::attack
