#include "replication/influence.h"

#include <cmath>
#include <numeric>

namespace assay::replication {
namespace {

void sort_by_unit(const std::vector<std::uint32_t>& unit, std::size_t count,
                  std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& begin) {
    begin.assign(count + 1, 0);
    for (const std::uint32_t u : unit) ++begin[u + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    order.resize(unit.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < unit.size(); ++i) order[next[unit[i]]++] = i;
}

/// Derivatives of the least-squares slope and intercept by each point.
struct LineEffects {
    std::vector<double> slope_x, slope_y, intercept_x, intercept_y;
    LineEffects(const std::vector<double>& x, const std::vector<double>& y) {
        const double m = static_cast<double>(x.size());
        const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / m;
        const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / m;
        double xx = 0, xy = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            xx += (x[i] - mean_x) * (x[i] - mean_x);
            xy += (x[i] - mean_x) * (y[i] - mean_y);
        }
        const double slope = xx > 0 ? xy / xx : 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            slope_y.push_back(xx > 0 ? (x[i] - mean_x) / xx : 0);
            slope_x.push_back(xx > 0 ? ((y[i] - mean_y) - 2 * slope * (x[i] - mean_x)) / xx : 0);
            intercept_y.push_back(1 / m - mean_x * slope_y[i]);
            intercept_x.push_back(-slope / m - mean_x * slope_x[i]);
        }
    }
};

/// Sums of squares of one quantity and of its mean over classifiers.
class Squares {
public:
    explicit Squares(std::size_t models) : sums_(models + 1, 0.0) {}
    template <class Value>
    void add(Value&& value) {
        double mean = 0;
        const std::size_t models = sums_.size() - 1;
        for (std::size_t m = 0; m < models; ++m) {
            const double x = value(m);
            sums_[m] += x * x;
            mean += x;
        }
        mean /= static_cast<double>(models);
        sums_[models] += mean * mean;
    }
    std::vector<double> errors(double factor) const {
        std::vector<double> out;
        for (const double sum : sums_) out.push_back(std::sqrt(factor * sum));
        return out;
    }

private:
    std::vector<double> sums_;
};

/// Variances from sources other than the images.
class Priors {
public:
    Priors(const CellEffects& effects, const LineEffects& line, std::size_t models)
        : variance_(models + 1, 0.0) {
        for (const auto& part : effects.prior) add(part, line);
        if (effects.curve_prior.empty()) return;
        add(effects.curve_prior, line);
        // No choice is conservative for a line through the classifiers, so both the correlated and
        // the uncorrelated case are included.
        for (std::size_t m = 0; m < models; ++m) {
            const double squared = effects.curve_prior[m] * effects.curve_prior[m];
            slope_ += line.slope_y[m] * line.slope_y[m] * squared;
            intercept_ += line.intercept_y[m] * line.intercept_y[m] * squared;
            covariance_ += line.slope_y[m] * line.intercept_y[m] * squared;
        }
    }
    double slope() const { return slope_; }
    double intercept() const { return intercept_; }
    double covariance() const { return covariance_; }
    /// `errors` are by classifier, with the error of the mean at the end.
    std::vector<double> widen(std::vector<double> errors) const {
        for (std::size_t m = 0; m < errors.size(); ++m)
            errors[m] = std::sqrt(errors[m] * errors[m] + variance_[m]);
        return errors;
    }

private:
    void add(const std::vector<double>& part, const LineEffects& line) {
        double mean = 0, slope = 0, intercept = 0;
        for (std::size_t m = 0; m < part.size(); ++m) {
            variance_[m] += part[m] * part[m];
            mean += part[m] / static_cast<double>(part.size());
            slope += line.slope_y[m] * part[m];
            intercept += line.intercept_y[m] * part[m];
        }
        variance_.back() += mean * mean;
        slope_ += slope * slope;
        intercept_ += intercept * intercept;
        covariance_ += slope * intercept;
    }
    std::vector<double> variance_;
    double slope_ = 0, intercept_ = 0, covariance_ = 0;
};

}  // namespace

UnitPlan plan_units(const Study& study, Units wanted) {
    UnitPlan plan;
    std::vector<std::uint32_t> number(study.classes.size(), UINT32_MAX);
    const auto numbered = [&](const StudySet& set) {
        std::vector<std::uint32_t> units;
        for (const std::uint32_t c : set.classes) {
            if (number[c] == UINT32_MAX) number[c] = static_cast<std::uint32_t>(plan.count++);
            units.push_back(number[c]);
        }
        return units;
    };
    std::vector<std::uint32_t> first = numbered(study.first), second = numbered(study.second);
    plan.units = wanted == Units::classes && plan.count >= 2 ? Units::classes : Units::images;
    if (plan.units == Units::images) {
        plan.count = first.size() + second.size();
        std::iota(first.begin(), first.end(), 0U);
        std::iota(second.begin(), second.end(), static_cast<std::uint32_t>(first.size()));
    } else {
        plan.factor = static_cast<double>(plan.count - 1) / static_cast<double>(plan.count);
    }
    sort_by_unit(first, plan.count, plan.first_order, plan.first_begin);
    sort_by_unit(second, plan.count, plan.second_order, plan.second_begin);
    double all = 0, squares = 0;
    for (std::size_t u = 0; u < plan.count; ++u) {
        const double size = static_cast<double>(plan.first_begin[u + 1] - plan.first_begin[u] +
                                                plan.second_begin[u + 1] - plan.second_begin[u]);
        all += size;
        squares += size * size;
    }
    plan.effective = all * all / squares;
    return plan;
}

double UnitPlan::without(const std::vector<std::uint32_t>& begin, std::size_t unit) const {
    if (units == Units::images) return 1;
    const double share =
        static_cast<double>(begin[unit + 1] - begin[unit]) / static_cast<double>(begin.back());
    return 1 / (1 - std::min(share, .5));
}

StandardErrors standard_errors(const Study& study, const UnitPlan& plan, const CellCounts& first,
                               const CellCounts& second, const CellEffects* effects) {
    const std::size_t models = study.models();
    const double n1 = static_cast<double>(study.first.size()),
                 n2 = static_cast<double>(study.second.size());
    const std::vector<double> acc1 = study.accuracies(study.first),
                              acc2 = study.accuracies(study.second);
    CellEffects none;
    if (effects == nullptr) {
        none.adjusted.assign(models, 0.0);
        none.first.assign(first.grid.size() * models, 0.0);
        none.miss.assign(second.grid.size() * models, 0.0);
        none.hit = none.miss;
        effects = &none;
    }
    const LineEffects raw_line(acc1, acc2), line(acc1, effects->adjusted);
    Squares s_first(models), s_second(models), s_adjusted(models), s_gap(models),
        s_remaining(models), s_bias(models);
    double lines[6] = {0, 0, 0, 0, 0, 0};
    std::vector<double> r1(models), r2(models), a(models);
    for (std::size_t u = 0; u < plan.count; ++u) {
        r1.assign(models, 0.0);
        r2.assign(models, 0.0);
        a.assign(models, 0.0);
        const double grown1 = plan.without(plan.first_begin, u),
                     grown2 = plan.without(plan.second_begin, u);
        for (std::uint32_t at = plan.first_begin[u]; at < plan.first_begin[u + 1]; ++at) {
            const std::uint32_t i = plan.first_order[at];
            const std::uint8_t* hit = study.first.hits.data() + i * study.row_bytes;
            const double* effect =
                effects->first.data() +
                first.grid.cell(study.first.annotators[i], study.first.selected[i]) * models;
            for (std::size_t m = 0; m < models; ++m) {
                r1[m] += grown1 * (hit[m] - acc1[m]) / n1;
                a[m] += grown1 * effect[m];
            }
        }
        for (std::uint32_t at = plan.second_begin[u]; at < plan.second_begin[u + 1]; ++at) {
            const std::uint32_t i = plan.second_order[at];
            const std::uint8_t* hit = study.second.hits.data() + i * study.row_bytes;
            const std::size_t cell =
                second.grid.cell(study.second.annotators[i], study.second.selected[i]);
            const double* miss = effects->miss.data() + cell * models;
            const double* gain = effects->hit.data() + cell * models;
            for (std::size_t m = 0; m < models; ++m) {
                r2[m] += grown2 * (hit[m] - acc2[m]) / n2;
                a[m] += grown2 * (miss[m] + hit[m] * gain[m]);
            }
        }
        s_first.add([&](std::size_t m) { return r1[m]; });
        s_second.add([&](std::size_t m) { return r2[m]; });
        s_adjusted.add([&](std::size_t m) { return a[m]; });
        s_gap.add([&](std::size_t m) { return r1[m] - r2[m]; });
        s_remaining.add([&](std::size_t m) { return r1[m] - a[m]; });
        s_bias.add([&](std::size_t m) { return a[m] - r2[m]; });
        double x[4] = {0, 0, 0, 0};
        for (std::size_t m = 0; m < models; ++m) {
            x[0] += raw_line.slope_x[m] * r1[m] + raw_line.slope_y[m] * r2[m];
            x[1] += raw_line.intercept_x[m] * r1[m] + raw_line.intercept_y[m] * r2[m];
            x[2] += line.slope_x[m] * r1[m] + line.slope_y[m] * a[m];
            x[3] += line.intercept_x[m] * r1[m] + line.intercept_y[m] * a[m];
        }
        for (int i = 0; i < 4; ++i) lines[i] += x[i] * x[i];
        lines[4] += x[0] * x[1];
        lines[5] += x[2] * x[3];
    }
    const Priors priors(*effects, line, models);
    StandardErrors errors;
    errors.first = s_first.errors(plan.factor);
    errors.second = s_second.errors(plan.factor);
    errors.adjusted = priors.widen(s_adjusted.errors(plan.factor));
    errors.gap = s_gap.errors(plan.factor);
    errors.remaining = priors.widen(s_remaining.errors(plan.factor));
    errors.bias = priors.widen(s_bias.errors(plan.factor));
    errors.raw_slope = std::sqrt(plan.factor * lines[0]);
    errors.raw_intercept = std::sqrt(plan.factor * lines[1]);
    errors.slope = std::sqrt(plan.factor * lines[2] + priors.slope());
    errors.intercept = std::sqrt(plan.factor * lines[3] + priors.intercept());
    errors.raw_covariance = plan.factor * lines[4];
    errors.covariance = plan.factor * lines[5] + priors.covariance();
    return errors;
}

}  // namespace assay::replication
