#include "replication/joint/drop_gradients.h"

#include <algorithm>
#include <numeric>

namespace assay::replication {
namespace {

using penalised::points;

double product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_scaled(double scale, const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += scale * from[i];
}

/// A(c, r) for both readings.
class MixedAccuracies {
public:
    explicit MixedAccuracies(const DropInputs& inputs)
        : in_(inputs), strata_(inputs.observed.size()) {
        for (std::size_t t = 0; t < strata_; ++t)
            fitted_.push_back(product(*in_.first_mass[t], *in_.curve[t]));
        for (const int set : {1, 2}) mix(set);
    }

    /// The product p(g) p(s | g). `labels` and `rates` are 1 or 2.
    DropValue of_strata(int labels, int rates) const {
        const std::vector<double>& share = shares(labels);
        const std::vector<double>& accuracy = rates == 1 ? fitted_ : in_.observed;
        DropValue out{product(share, accuracy), DropGradient(strata_)};
        shares_of(out.gradient, labels) = accuracy;
        if (rates == 2) {
            out.gradient.observed = share;
            return out;
        }
        for (std::size_t t = 0; t < strata_; ++t) {
            add_scaled(share[t], *in_.curve[t], out.gradient.grid[t].first);
            add_scaled(share[t], *in_.first_mass[t], out.gradient.grid[t].curve);
        }
        return out;
    }

    /// The product p(s) p(g | s).
    DropValue of_rates(int labels, int rates) const {
        const Mixed& of_labels = mixed_[labels - 1];
        const Mixed& of_rates = mixed_[rates - 1];
        DropValue out{product(of_rates.mass, of_labels.accuracy), DropGradient(strata_)};
        std::vector<double> pull(points);
        for (std::size_t t = 0; t < strata_; ++t) {
            add_scaled(shares(rates)[t], of_labels.accuracy, masses_of(out.gradient, t, rates));
            shares_of(out.gradient, rates)[t] += product(masses(rates, t), of_labels.accuracy);
            for (std::size_t j = 0; j < points; ++j) {
                const double ratio = of_rates.mass[j] / std::max(of_labels.mass[j], least);
                out.gradient.grid[t].curve[j] += of_rates.mass[j] * shares(labels)[t] *
                                                 masses(labels, t)[j] /
                                                 std::max(of_labels.mass[j], least);
                pull[j] = ratio * ((*in_.curve[t])[j] - of_labels.accuracy[j]);
            }
            add_scaled(shares(labels)[t], pull, masses_of(out.gradient, t, labels));
            shares_of(out.gradient, labels)[t] += product(masses(labels, t), pull);
        }
        return out;
    }

private:
    static constexpr double least = 1e-300;  ///< densities underflow

    /// The sum over all strata of a set.
    struct Mixed {
        std::vector<double> mass = std::vector<double>(points, 0.0), accuracy = mass;
    };

    void mix(int set) {
        Mixed& out = mixed_[set - 1];
        for (std::size_t t = 0; t < strata_; ++t)
            add_scaled(shares(set)[t], masses(set, t), out.mass);
        for (std::size_t t = 0; t < strata_; ++t) {
            for (std::size_t j = 0; j < points; ++j)
                out.accuracy[j] += shares(set)[t] * masses(set, t)[j] /
                                   std::max(out.mass[j], least) * (*in_.curve[t])[j];
        }
    }

    const std::vector<double>& shares(int set) const {
        return set == 1 ? in_.first_share : in_.second_share;
    }
    const std::vector<double>& masses(int set, std::size_t stratum) const {
        return set == 1 ? *in_.first_mass[stratum] : *in_.second_mass[stratum];
    }
    static std::vector<double>& shares_of(DropGradient& gradient, int set) {
        return set == 1 ? gradient.first_share : gradient.second_share;
    }
    static std::vector<double>& masses_of(DropGradient& gradient, std::size_t stratum, int set) {
        return set == 1 ? gradient.grid[stratum].first : gradient.grid[stratum].second;
    }

    const DropInputs& in_;
    std::size_t strata_;
    std::vector<double> fitted_;  ///< accuracy of set 2's curve at set 1's rates
    std::array<Mixed, 2> mixed_;
};

struct Term {
    double scale;
    const DropValue* value;
};
DropValue sum_of(std::initializer_list<Term> terms) {
    DropValue out{0, DropGradient(terms.begin()->value->gradient.observed.size())};
    for (const Term& term : terms) {
        out.value += term.scale * term.value->value;
        out.gradient.add(term.scale, term.value->gradient);
    }
    return out;
}

}  // namespace

void DropGradient::add(double scale, const DropGradient& other) {
    first_accuracy += scale * other.first_accuracy;
    add_scaled(scale, other.first_share, first_share);
    add_scaled(scale, other.second_share, second_share);
    add_scaled(scale, other.observed, observed);
    for (std::size_t t = 0; t < grid.size(); ++t) {
        add_scaled(scale, other.grid[t].first, grid[t].first);
        add_scaled(scale, other.grid[t].second, grid[t].second);
        add_scaled(scale, other.grid[t].curve, grid[t].curve);
    }
}

std::vector<DropValue> drop_values(const DropInputs& inputs) {
    const std::size_t strata = inputs.observed.size();
    const MixedAccuracies at(inputs);
    DropValue first{inputs.first_accuracy, DropGradient(strata)};
    first.gradient.first_accuracy = 1;
    const DropValue a11 = at.of_strata(1, 1), a12 = at.of_strata(1, 2), a21 = at.of_strata(2, 1),
                    a22 = at.of_strata(2, 2);
    const DropValue b11 = at.of_rates(1, 1), b12 = at.of_rates(1, 2), b21 = at.of_rates(2, 1),
                    b22 = at.of_rates(2, 2);
    std::vector<DropValue> out;
    out.push_back(sum_of({{1, &first}, {-1, &a22}}));
    out.push_back(sum_of({{1, &first}, {-1, &a11}}));
    out.push_back(sum_of({{.5, &a12}, {-.5, &a22}, {.5, &a11}, {-.5, &a21}}));
    out.push_back(sum_of({{.5, &a21}, {-.5, &a22}, {.5, &a11}, {-.5, &a12}}));
    out.push_back(sum_of({{1, &a12}, {-1, &a22}}));
    out.push_back(sum_of({{1, &a11}, {-1, &a21}}));
    out.push_back(sum_of({{1, &a21}, {-1, &a22}}));
    out.push_back(sum_of({{1, &a11}, {-1, &a12}}));
    out.push_back(sum_of({{.5, &b12}, {-.5, &b22}, {.5, &b11}, {-.5, &b21}}));
    // Accuracy of set 2 that the curves miss counts as selection, so that the parts add up.
    out.push_back(
        sum_of({{.5, &b21}, {-.5, &b22}, {.5, &b11}, {-.5, &b12}, {1, &b22}, {-1, &a22}}));
    return out;
}

}  // namespace assay::replication
