// The Square attack changes random windows by +-eps, without gradients (Andriushchenko et al., ECCV
// 2020, algorithms 1 and 2). Positions and signs are drawn separately for each image. The authors'
// program shares them within a batch, so that results depend on how images are batched.
#include <algorithm>
#include <array>

#include "robustness/ball.h"
#include "robustness/query.h"

namespace assay::attack {
namespace {

constexpr double first_proportion = .8;  ///< initial proportion of the image's pixels in a window

/// The proportion is halved after these queries.
constexpr std::array<int, 9> halvings = {10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000};

double proportion_at(int query) {
    const auto passed =
        std::count_if(halvings.begin(), halvings.end(), [&](int h) { return query > h; });
    return first_proportion / static_cast<double>(1 << passed);
}

struct Searcher {
    std::size_t place;
    RandomStream random;
    Pixels best, tried;
    double margin = 0;
};

float signed_eps(RandomStream& random, double eps) {
    return static_cast<float>(random.below(2) == 0 ? -eps : eps);
}

/// Draws vertical stripes: +-eps for each column and channel.
Pixels stripes(std::span<const float> original, const ImageShape& shape, double eps,
               RandomStream& random) {
    Pixels x(original.begin(), original.end());
    for (std::size_t c = 0; c < shape.channels; ++c) {
        for (std::size_t col = 0; col < shape.width; ++col) {
            const float shift = signed_eps(random, eps);
            for (std::size_t row = 0; row < shape.height; ++row) {
                float& v = x[(c * shape.height + row) * shape.width + col];
                v = std::clamp(v + shift, 0.0F, 1.0F);
            }
        }
    }
    return x;
}

/// Draws a square of +-2 eps for each channel on the best image so far, clipped to ball and box.
void draw_square(Searcher& s, const ImageShape& shape, const Ball& ball, double eps, int query) {
    const double pixels = proportion_at(query) * static_cast<double>(shape.height * shape.width);
    const auto wanted = static_cast<std::size_t>(std::max(1.0, std::round(std::sqrt(pixels))));
    const std::size_t side = std::min({wanted, shape.height, shape.width});
    const std::size_t top = s.random.below(shape.height - side + 1);
    const std::size_t left = s.random.below(shape.width - side + 1);
    s.tried = s.best;
    for (std::size_t c = 0; c < shape.channels; ++c) {
        const float shift = 2 * signed_eps(s.random, eps);
        for (std::size_t row = top; row < top + side; ++row) {
            float* line = s.tried.data() + (c * shape.height + row) * shape.width;
            for (std::size_t col = left; col < left + side; ++col) line[col] += shift;
        }
    }
    ball.project(s.tried);
}

}  // namespace

AttackResult square(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options) {
    AttackResult result = untouched(batch);
    const ImageShape shape = model.shape();
    Query query(model, result);
    std::vector<float> ignored(model.classes());
    std::vector<Searcher> searchers;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        searchers.push_back(
            {i, RandomStream(options.seed, "attack.square", batch.items[i]), {}, {}});
        Searcher& s = searchers.back();
        s.tried = stripes(image_of(batch, i), shape, options.eps, s.random);
        s.best = s.tried;
        s.margin = std::numeric_limits<double>::infinity();
    }
    for (int q = 0; q < options.steps && !searchers.empty(); ++q) {
        query.clear();
        for (Searcher& s : searchers) {
            const Ball ball(image_of(batch, s.place), Norm::linf, options.eps);
            if (q > 0) draw_square(s, shape, ball, options.eps, q);
            query.add(s.tried, batch.labels[s.place]);
        }
        query.ask_scores();
        for (std::size_t k = 0; k < searchers.size(); ++k) {
            Searcher& s = searchers[k];
            if (!query.sound_scores(k)) {
                result.not_finite[s.place] = 1;
                continue;
            }
            const double margin =
                -loss_of(Loss::margin, query.scores(k), batch.labels[s.place], 0, ignored);
            if (margin < s.margin) {
                s.margin = margin;
                s.best = s.tried;
            }
            if (!query.fooled(k)) continue;
            keep(result, s.place, s.tried);
            result.fooled[s.place] = 1;
        }
        std::erase_if(searchers, [&](const Searcher& s) { return result.fooled[s.place] != 0; });
    }
    return result;
}

}  // namespace assay::attack
