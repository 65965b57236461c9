// The fast adaptive boundary attack, targeted, for the largest change of an element. It searches
// for the smallest change by projection onto the linearised boundary between the label and a
// target, in the box. (Croce and Hein, ICML 2020, algorithm 1.)
#include <algorithm>

#include "robustness/ball.h"
#include "robustness/query.h"

namespace assay::attack {
namespace {

constexpr double alpha_max = .1;  ///< the largest weight of the projection of the original
constexpr double beyond = 1.05;   ///< eta: steps go slightly beyond the boundary
constexpr double back = .9;       ///< beta: the share of the change that is kept after the model
                                  ///< misclassifies the image

/// Moves x, by the smallest change of any element within the box, onto the plane where w.x is
/// larger by `rise`. If the box does not allow this, x moves as near as possible. Returns that
/// change in `d`.
///
/// Element i moves min(r, room_i) in the direction of w_i, for one r. The increase of w.x is
/// concave and piecewise linear in r. So Newton's steps from 0 never pass the solution, and end on
/// its piece.
void to_plane(std::span<const float> x, std::span<const float> w, double rise, Pixels& d) {
    const bool down = rise < 0;
    const double wanted = std::abs(rise);
    const auto slope = [&](std::size_t i) { return down ? -w[i] : w[i]; };
    const auto room = [&](std::size_t i) { return slope(i) > 0 ? 1 - x[i] : x[i]; };
    double r = 0;
    double before = -1;
    while (r > before) {
        double got = 0;
        double rate = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto weight = static_cast<double>(std::abs(w[i]));
            const auto free = static_cast<double>(room(i));
            got += weight * std::min(r, free);
            if (r < free) rate += weight;
        }
        before = r;
        if (got >= wanted || rate <= 0) break;
        r += (wanted - got) / rate;
    }
    d.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float s = sign_of(slope(i));
        d[i] = s * static_cast<float>(std::min(r, static_cast<double>(std::max(room(i), 0.0F))));
    }
}

double largest(std::span<const float> d) {
    float most = 0;
    for (const float v : d) most = std::max(most, std::abs(v));
    return static_cast<double>(most);
}

double distance(std::span<const float> a, std::span<const float> b) {
    float most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return static_cast<double>(most);
}

struct Seeker {
    std::size_t place;
    std::uint32_t target;
    Pixels x;
    bool broken = false;
};

/// Makes one step: projects both the iterate and the original onto the plane, and mixes the
/// results.
void step(Seeker& s, std::span<const float> original, double difference, std::span<const float> w) {
    double between = 0;  // w.(original - x)
    for (std::size_t i = 0; i < w.size(); ++i)
        between += static_cast<double>(w[i]) * static_cast<double>(original[i] - s.x[i]);
    Pixels own;
    Pixels first;
    to_plane(s.x, w, -difference, own);
    to_plane(original, w, -difference - between, first);
    const double a = std::max(largest(own), 1e-8);
    const double b = std::max(largest(first), 1e-8);
    const double alpha = std::min(a / (a + b), alpha_max);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double moved = static_cast<double>(s.x[i]) + beyond * static_cast<double>(own[i]);
        const double anew =
            static_cast<double>(original[i]) + beyond * static_cast<double>(first[i]);
        s.x[i] = static_cast<float>(std::clamp(moved * (1 - alpha) + anew * alpha, 0.0, 1.0));
    }
}

class Search {
public:
    Search(AttackedModel& model, const AttackBatch& batch, const AttackOptions& options,
           AttackResult& result)
        : batch_(batch),
          options_(options),
          result_(result),
          query_(model, result),
          starts_(result),
          smallest_(batch.labels.size(), std::numeric_limits<double>::infinity()) {}

    void run(std::vector<Seeker> seekers) {
        for (int k = 0; k < options_.steps && !seekers.empty(); ++k) {
            advance(seekers, k == 0);
            note(seekers);
            std::erase_if(seekers, [&](const Seeker& s) { return s.broken || done(s.place); });
        }
    }
    bool done(std::size_t place) const { return !options_.smallest && result_.fooled[place] != 0; }

private:
    void advance(std::vector<Seeker>& seekers, bool first) {
        query_.clear();
        for (const Seeker& s : seekers) query_.add(s.x, batch_.labels[s.place], s.target);
        query_.ask_gradients(Loss::difference);
        for (std::size_t k = 0; k < seekers.size(); ++k) {
            Seeker& s = seekers[k];
            if (first) starts_.look(query_, k, s.place);
            s.broken = !query_.usable_gradient(k);
            if (s.broken || query_.has_gaps(k)) result_.not_finite[s.place] = 1;
            if (s.broken) continue;
            step(s, image_of(batch_, s.place), query_.loss(k), query_.gradient(k));
        }
        std::erase_if(seekers, [](const Seeker& s) { return s.broken; });
    }

    /// Stores the smallest change that fools the model, and moves the image back towards the
    /// original.
    void note(std::vector<Seeker>& seekers) {
        ask(seekers);
        std::vector<Seeker> cut;
        for (std::size_t k = 0; k < seekers.size(); ++k) {
            if (!query_.fooled(k)) continue;
            Seeker& s = seekers[k];
            const auto original = image_of(batch_, s.place);
            const double far = distance(s.x, original);
            found(s, far);
            // Steps end up to eta beyond the boundary. If this is just outside the budget, the
            // image within it is also tried.
            if (far > options_.eps && far <= beyond * beyond * options_.eps) {
                cut.push_back(s);
                Ball(original, Norm::linf, options_.eps).project(cut.back().x);
            }
            for (std::size_t i = 0; i < s.x.size(); ++i)
                s.x[i] = original[i] + (s.x[i] - original[i]) * static_cast<float>(back);
        }
        if (cut.empty()) return;
        ask(cut);
        for (std::size_t k = 0; k < cut.size(); ++k) {
            if (query_.fooled(k)) found(cut[k], options_.eps);
        }
    }

    void ask(const std::vector<Seeker>& seekers) {
        query_.clear();
        for (const Seeker& s : seekers) query_.add(s.x, batch_.labels[s.place]);
        query_.ask_scores();
    }

    void found(const Seeker& s, double far) {
        if (far >= smallest_[s.place]) return;
        smallest_[s.place] = far;
        if (far > options_.eps && !options_.smallest) return;
        keep(result_, s.place, s.x);
        result_.fooled[s.place] = 1;
    }

    const AttackBatch& batch_;
    const AttackOptions& options_;
    AttackResult& result_;
    Query query_;
    FirstGradients starts_;
    std::vector<double> smallest_;
};

}  // namespace

AttackResult fab_targeted(AttackedModel& model, const AttackBatch& batch,
                          const AttackOptions& options) {
    AttackResult result = untouched(batch);
    Query query(model, result);
    for (std::size_t i = 0; i < batch.labels.size(); ++i)
        query.add(image_of(batch, i), batch.labels[i]);
    query.ask_scores();
    Search search(model, batch, options, result);
    std::vector<std::vector<std::uint32_t>> targets;
    for (std::size_t i = 0; i < batch.labels.size(); ++i)
        targets.push_back(targets_by_score(query.scores(i), batch.labels[i], options.targets));
    for (std::uint32_t t = 0; t < options.targets; ++t) {
        std::vector<Seeker> seekers;
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            if (t >= targets[i].size() || search.done(i)) continue;
            const auto original = image_of(batch, i);
            seekers.push_back({i, targets[i][t], Pixels(original.begin(), original.end())});
        }
        if (seekers.empty()) break;
        search.run(std::move(seekers));
    }
    return result;
}

}  // namespace assay::attack
