#include "mad/working_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "assay/error.h"
#include "mad/definite.h"
#include "mad/pair_observations.h"
#include "mad/shared_pair.h"

namespace assay::mad {
namespace {

[[noreturn]] void refuse_posterior(std::string message) {
    throw Error(ErrorCode::usage, std::move(message));
}

class SharedModel {
public:
    SharedModel(std::size_t classifiers, const AnsweredPlaces& answered,
                const PosteriorOptions& options)
        : m_(classifiers),
          answered_(answered),
          options_(options),
          lists_(options.lists_alone),
          prior_(options.spread * options.spread),
          tau2_(options.tau * options.tau) {
        set_pairs();
        count_places();
        observe();
        set_target();
        set_weights();
    }

    WorkingScores result() {
        WorkingScores out;
        out.classifiers = m_;
        out.scores.assign(m_, 0.0);
        std::vector<double> of_first(m_, 0.0), of_second(m_, 0.0), ends(m_, 0.0);
        SmallMatrix own_a(m_), own_b(m_), aa(m_), ab(m_), bb(m_), target_a(m_), target_b(m_),
            target(m_);
        bool known = lists_;
        for (const SharedPair& p : pairs_) {
            out.y.push_back(p.seen ? p.y : 0);
            out.v.push_back(p.seen ? p.v : 0);
            known = known && p.n >= p.list;
            add_to(of_first, p, p.alpha * out.y.back());
            add_to(of_second, p, p.beta * out.y.back());
            own_a.add_contrast(p.i, p.j, p.alpha);
            own_b.add_contrast(p.i, p.j, p.beta);
            aa.add_contrast(p.i, p.j, p.alpha * p.alpha);
            ab.add_contrast(p.i, p.j, p.alpha * p.beta);
            bb.add_contrast(p.i, p.j, p.beta * p.beta);
            if (!has(p)) continue;
            add_to(ends, p, out.y.back());
            target_a.add_contrast(p.i, p.j, p.alpha);
            target_b.add_contrast(p.i, p.j, p.beta);
            target.add_contrast(p.i, p.j, 1);
        }
        const SmallMatrix f1t = transposed(f1_), f2t = transposed(f2_);
        const auto times = [&](const SmallMatrix& f, const std::vector<double>& x,
                               std::vector<double>& to) {
            for (std::size_t a = 0; a < m_; ++a) {
                for (std::size_t k = 0; k < m_; ++k) to[a] += f(a, k) * x[k];
            }
        };
        times(f1_, of_first, out.scores);
        times(f2_, of_second, out.scores);
        out.known = known;
        out.at_end.assign(m_, 0.0);
        times(f2_, ends, out.at_end);

        SmallMatrix ac = product(f1_, own_a);
        ac.add(product(f2_, own_b));
        const SmallMatrix tc = product(f2_, target);
        out.own_first = product(ac, transposed(ac));
        out.own_second = sandwich(aa, ab, bb, f1t, f2t);
        out.cross_first = product(tc, transposed(ac));
        SmallMatrix inner = product(target_a, f1t);
        inner.add(product(target_b, f2t));
        out.cross_second = product(f2_, inner);
        out.target_first = product(tc, transposed(tc));
        out.target_second = product(tc, f2t);
        add_covariance(out, f1t, f2t);
        return out;
    }

private:
    bool has(const SharedPair& pair) const { return !lists_ || pair.list > 0; }
    static void add_to(std::vector<double>& to, const SharedPair& pair, double value) {
        to[pair.i] += value;
        to[pair.j] -= value;
    }
    std::size_t number(std::size_t i, std::size_t j) const {
        return i * m_ - i * (i + 1) / 2 + (j - i - 1);
    }

    void set_pairs() {
        for (std::size_t i = 0; i < m_; ++i) {
            for (std::size_t j = i + 1; j < m_; ++j) {
                SharedPair& pair = pairs_.emplace_back();
                pair.i = i;
                pair.j = j;
            }
        }
        for (const ListedPair& given : answered_.pairs) {
            if (given.first >= given.second || given.second >= m_)
                refuse_posterior(
                    fmt::format("pair {}, {} of {} classifiers", given.first, given.second, m_));
            SharedPair& pair = pairs_[number(given.first, given.second)];
            if (pair.given)
                refuse_posterior(fmt::format("pair {}, {} twice", given.first, given.second));
            pair.given = true;
            pair.list = static_cast<double>(given.list);
            numbers_.push_back(number(given.first, given.second));
        }
    }

    void count_places() {
        for (const AnsweredPlace& place : answered_.places) {
            if (place.pair >= numbers_.size())
                refuse_posterior(fmt::format("a place of pair {}; there are {} pairs", place.pair,
                                             numbers_.size()));
            if (!std::isfinite(place.weight) || !(place.weight > 0))
                refuse_posterior(fmt::format("image {} has the weight {}; allowed: above 0",
                                             place.image, place.weight));
            if (place.cluster.has_value() != answered_.places.front().cluster.has_value())
                refuse_posterior(fmt::format("image {} {} a cluster, others {}", place.image,
                                             place.cluster ? "has" : "has not",
                                             place.cluster ? "have not" : "have"));
            SharedPair& pair = pairs_[numbers_[place.pair]];
            ++pair.n;
            pair.weights += place.weight;
        }
        for (SharedPair& pair : pairs_) {
            if (pair.list > 0 && pair.n > pair.list)
                refuse_posterior(
                    fmt::format("{} answered images in a list of {}", pair.n, pair.list));
            if (lists_) pair.left = pair.list > 0 ? 1 - pair.n / pair.list : 0;
        }
        for (const AnsweredPlace& place : answered_.places) {
            SharedPair& pair = pairs_[numbers_[place.pair]];
            const double w = weight_of(place);
            pair.first += place.first ? w : 0;
            pair.second += place.second ? w : 0;
            pair.both += place.first && place.second ? w : 0;
            if (!place.first && !place.second) continue;
            pair.kish_above += w * w;
            pair.kish_below += w;
        }
        for (SharedPair& pair : pairs_) {
            pair.squares = pair.left * (.5 / (pair.x() * pair.x()) + .5 / (pair.z() * pair.z()));
        }
        for (const AnsweredPlace& place : answered_.places) {
            const double psi = influence(place);
            pairs_[numbers_[place.pair]].squares += psi * psi;
        }
    }
    /// The weights of a pair's images have mean 1.
    double weight_of(const AnsweredPlace& place) const {
        const SharedPair& pair = pairs_[numbers_[place.pair]];
        return place.weight * pair.n / pair.weights;
    }
    /// The influence of an image on its pair's log ratio, without the part that its weight
    /// explains.
    double influence(const AnsweredPlace& place) const {
        const SharedPair& pair = pairs_[numbers_[place.pair]];
        const double w = weight_of(place);
        const double open = lists_ ? std::max(0.0, 1 - (1 - pair.left) / w) : 1;
        return w * ((place.first ? 1 / pair.x() : 0) - (place.second ? 1 / pair.z() : 0)) *
               std::sqrt(open);
    }

    double gain(const SharedPair& pair) const { return pair.seen ? tau2_ / (tau2_ + pair.v) : 0; }
    SmallMatrix precision() const {
        SmallMatrix out(m_);
        for (std::size_t a = 0; a < m_; ++a) out(a, a) = 1 / prior_;
        for (const SharedPair& pair : pairs_)
            if (pair.seen) out.add_contrast(pair.i, pair.j, 1 / (tau2_ + pair.v));
        return out;
    }

    /// The log ratio of a list is smoothed, and nearly normal. The log ratio for all images follows
    /// the data.
    void observe() {
        for (SharedPair& pair : pairs_) {
            const double correct = pair.first + pair.second;
            pair.seen = lists_ ? pair.n > 0 : correct > 1e-12;
            if (!lists_ || !pair.seen) continue;
            pair.y = std::log(pair.x() / pair.z());
            pair.v = pair.squares;
        }
        if (!lists_) follow();
        for (SharedPair& pair : pairs_) {
            pair.stretch = pair.seen && pair.squares > 0 ? std::sqrt(pair.v / pair.squares) : 0;
        }
    }
    void follow() {
        std::vector<PairObservation> seen;
        for (const SharedPair& pair : pairs_) {
            if (!pair.seen) continue;
            seen.push_back({.i = pair.i,
                            .j = pair.j,
                            .first = pair.first,
                            .second = pair.second,
                            .both = pair.both,
                            .kish = pair.kish_above / pair.kish_below});
        }
        observe_pairs(m_, seen, options_);
        for (const PairObservation& found : seen) {
            SharedPair& pair = pairs_[number(found.i, found.j)];
            pair.y = found.y;
            pair.v = found.variance;
        }
    }

    /// The target is F2 c for each pair with a list. F2 has the row means, and the information from
    /// lists about pairs without a list.
    void set_target() {
        f2_ = SmallMatrix(m_);
        SmallMatrix without(m_), known(m_);
        for (std::size_t a = 0; a < m_; ++a) known(a, a) = 1 / prior_;
        bool any = false;
        for (const SharedPair& pair : pairs_) {
            if (has(pair)) {
                known.add_contrast(pair.i, pair.j, 1 / tau2_);
            } else {
                without.add_contrast(pair.i, pair.j, 1 / static_cast<double>(m_));
                any = true;
            }
        }
        if (any) {
            f2_ = solved_from_right(without, known);
            SmallMatrix scaled(m_);
            scaled.add(f2_, 1 / tau2_);
            f2_ = scaled;
        }
        for (std::size_t a = 0; a < m_; ++a) f2_(a, a) += 1 / static_cast<double>(m_);
    }
    void set_weights() {
        SmallMatrix follows(m_);
        for (SharedPair& pair : pairs_) {
            const double g = gain(pair);
            pair.alpha = pair.seen ? 1 / (tau2_ + pair.v) : 0;
            pair.beta = has(pair) ? g : 0;
            if (has(pair)) follows.add_contrast(pair.i, pair.j, 1 - g);
        }
        f1_ = solved_from_right(product(f2_, follows), precision());
    }
    /// `a` times the inverse of a positive definite matrix.
    SmallMatrix solved_from_right(const SmallMatrix& a, const SmallMatrix& definite) const {
        const DefiniteFactor factor(definite.values(), m_);
        SmallMatrix out(m_);
        std::vector<double> row(m_);
        for (std::size_t r = 0; r < m_; ++r) {
            for (std::size_t c = 0; c < m_; ++c) row[c] = a(r, c);
            factor.solve(row);
            for (std::size_t c = 0; c < m_; ++c) out(r, c) = row[c];
        }
        return out;
    }
    /// Computes [F1 F2] [aa ab; ab' bb] [F1 F2]'.
    SmallMatrix sandwich(const SmallMatrix& aa, const SmallMatrix& ab, const SmallMatrix& bb,
                         const SmallMatrix& f1t, const SmallMatrix& f2t) const {
        SmallMatrix left = product(f1_, aa);
        left.add(product(f2_, transposed(ab)));
        SmallMatrix right = product(f1_, ab);
        right.add(product(f2_, bb));
        SmallMatrix out = product(left, f1t);
        out.add(product(right, f2t));
        return out;
    }

    /// Groups places by `key`, and within a group by pair and image.
    template <class Key>
    std::vector<std::size_t> places_by_key(const Key& key) const {
        std::vector<std::size_t> order(answered_.places.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto rank = [&](std::size_t p) {
            const AnsweredPlace& place = answered_.places[p];
            return std::tuple(key(place), numbers_[place.pair], place.image);
        };
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
        return order;
    }

    void add_covariance(WorkingScores& out, const SmallMatrix& f1t, const SmallMatrix& f2t) {
        const auto cluster_of = [](const AnsweredPlace& place) {
            return place.cluster.value_or(place.image);
        };
        const auto image_of = [](const AnsweredPlace& place) { return place.image; };
        const SmallMatrix g11 = product(f1t, f1_), g12 = product(f1t, f2_), g22 = product(f2t, f2_);
        SmallMatrix aa(m_), ab(m_), bb(m_);
        const auto add_square = [&](const SparsePair& x, double times) {
            for (const std::size_t r : x.touched()) {
                for (const std::size_t c : x.touched()) {
                    aa(r, c) += times * x.a(r) * x.a(c);
                    ab(r, c) += times * x.a(r) * x.b(c);
                    bb(r, c) += times * x.b(r) * x.b(c);
                }
            }
        };
        const auto length = [&](const SparsePair& x) {
            double sum = 0;
            for (const std::size_t r : x.touched()) {
                for (const std::size_t c : x.touched())
                    sum += x.a(r) * g11(r, c) * x.a(c) + 2 * x.a(r) * g12(r, c) * x.b(c) +
                           x.b(r) * g22(r, c) * x.b(c);
            }
            return sum;
        };
        // An image, or a group of images of one parent, affects all of its pairs at once.
        double sum = 0, squares = 0;
        std::uint64_t clusters = 0;
        SparsePair x(m_);
        visit_groups(places_by_key(cluster_of), cluster_of, [&](std::span<const std::size_t> of) {
            for (const std::size_t p : of) {
                const AnsweredPlace& place = answered_.places[p];
                const SharedPair& pair = pairs_[numbers_[place.pair]];
                x.add(pair, pair.stretch * influence(place));
            }
            const double size = length(x);
            sum += size;
            squares += size * size;
            add_square(x, 1);
            x.clear();
            ++clusters;
        });
        // Smoothing adds half an image on which only the first classifier is correct, and half an
        // image for the second. These also vary together for pairs that share images.
        const std::vector<std::size_t> by_image = places_by_key(image_of);
        visit_groups(by_image, image_of, [&](std::span<const std::size_t> of) {
            ++out.images;
            add_half_images(of, add_square);
        });
        out.covariance = sandwich(aa, ab, bb, f1t, f2t);
        out.effective_images = squares > 0
                                   ? sum * sum / squares
                                   : static_cast<double>(std::max<std::uint64_t>(clusters, 2));
        SmallMatrix scaled(m_);
        scaled.add(out.covariance, 1 + 1 / std::max(out.effective_images - 1, 1.0));
        out.covariance = scaled;
    }
    template <class Key, class Visit>
    void visit_groups(const std::vector<std::size_t>& order, const Key& key, const Visit& visit) {
        for (std::size_t begin = 0; begin < order.size();) {
            std::size_t end = begin + 1;
            while (end < order.size() &&
                   key(answered_.places[order[end]]) == key(answered_.places[order[begin]]))
                ++end;
            visit(std::span(order).subspan(begin, end - begin));
            begin = end;
        }
    }
    /// `of` has the places of one image, sorted by pair.
    template <class AddSquare>
    void add_half_images(std::span<const std::size_t> of, const AddSquare& add_square) {
        std::vector<std::size_t> classifiers;
        const SharedPair* last = nullptr;
        for (const std::size_t p : of) {
            const AnsweredPlace& place = answered_.places[p];
            const SharedPair& pair = pairs_[numbers_[place.pair]];
            if (&pair == last)
                refuse_posterior(fmt::format("image {} twice in the list of the pair {}, {}",
                                             place.image, pair.i, pair.j));
            last = &pair;
            classifiers.push_back(pair.i);
            classifiers.push_back(pair.j);
        }
        std::sort(classifiers.begin(), classifiers.end());
        classifiers.erase(std::unique(classifiers.begin(), classifiers.end()), classifiers.end());
        SparsePair x(m_);
        for (const std::size_t one : classifiers) {
            for (const std::size_t p : of) {
                const SharedPair& pair = pairs_[numbers_[answered_.places[p].pair]];
                if (pair.i != one && pair.j != one) continue;
                const double half = pair.i == one ? 1 / pair.x() : -1 / pair.z();
                x.add(pair, pair.stretch * std::sqrt(pair.left / pair.n) * half);
            }
            add_square(x, .5);
            x.clear();
        }
    }

    std::size_t m_;
    const AnsweredPlaces& answered_;
    const PosteriorOptions& options_;
    bool lists_;
    double prior_, tau2_;
    std::vector<SharedPair> pairs_;
    std::vector<std::size_t> numbers_;  ///< indices of the given pairs in pairs_
    SmallMatrix f1_, f2_;
};

}  // namespace

void check_posterior_options(const PosteriorOptions& options) {
    for (const auto& [name, value] : {std::pair{"tau", options.tau}, {"spread", options.spread}}) {
        // Outside this range, the precision of theta cannot be inverted in double precision.
        if (!(value >= 1e-3 && value <= 1e3))
            refuse_posterior(fmt::format("{} is {}; allowed: 0.001 to 1000", name, value));
    }
    if (!(options.level > 0 && options.level < 1))
        refuse_posterior(fmt::format("level is {}; it must be in (0, 1)", options.level));
    if (options.draws < 100)
        refuse_posterior(fmt::format("{} draws; allowed: 100 or more", options.draws));
}

WorkingScores working_scores(std::size_t classifiers, const AnsweredPlaces& answered,
                             const PosteriorOptions& options) {
    check_posterior_options(options);
    return SharedModel(classifiers, answered, options).result();
}

}  // namespace assay::mad
