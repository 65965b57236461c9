#include "assay/replication/joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "replication/adjust_intervals.h"
#include "replication/joint/drop_gradients.h"
#include "replication/joint/label_strata.h"
#include "replication/penalised/curve.h"
#include "replication/penalised/density.h"
#include "replication/penalised/response.h"

namespace assay::replication {
namespace {

using penalised::points;

/// One set's images of one stratum.
struct FittedStratum {
    FittedStratum(const Study& study, const StudySet& set, const std::vector<std::uint32_t>& strata,
                  std::uint32_t stratum) {
        StudySet own;
        for (std::size_t i = 0; i < set.size(); ++i) {
            if (strata[i] == stratum) own.append(set, i, study.row_bytes);
        }
        images = static_cast<double>(own.size());
        counts = own.cells();
        cells = std::make_unique<penalised::UsedCells>(counts);
        density = penalised::fit_density(*cells, counts.grid);
        place.assign(counts.grid.size(), 0);
        for (std::size_t c = 0; c < cells->size(); ++c)
            place[cells->cell[c]] = static_cast<std::uint32_t>(c);
        const std::vector<double> hits = study.correct(own, counts.grid);
        const std::size_t models = study.models();
        correct.assign(models, std::vector<double>(cells->size()));
        for (std::size_t m = 0; m < models; ++m) {
            for (std::size_t c = 0; c < cells->size(); ++c)
                correct[m][c] = hits[cells->cell[c] * models + m];
        }
    }

    double accuracy(std::size_t model) const {
        return std::accumulate(correct[model].begin(), correct[model].end(), 0.0) / images;
    }

    double images = 0;
    CellCounts counts;
    std::unique_ptr<penalised::UsedCells> cells;
    penalised::Density density;
    std::vector<std::uint32_t> place;          ///< used cell for each cell of the grid
    std::vector<std::vector<double>> correct;  ///< by classifier and used cell
    std::size_t offset = 0;                    ///< of its first used cell among those of all strata
};

/// One classifier's parts, and the effects of images and of the smoothing on them.
struct ClassifierParts {
    std::array<double, drop_parts> values{};
    std::vector<double> units;  ///< influence of each unit on each part, unit-major
    std::array<std::vector<double>, drop_parts> priors;
    std::array<double, drop_parts> curve_priors{};
};

class Decomposition {
public:
    Decomposition(const LabelStrata& strata, const AdjustOptions& options)
        : strata_(strata), counted_(strata.study, options) {
        const auto fit = [&](const StudySet& set, const std::vector<std::uint32_t>& of,
                             std::vector<FittedStratum>& out) {
            std::size_t offset = 0;
            for (std::uint32_t t = 0; t < strata_.names.size(); ++t) {
                out.emplace_back(strata_.study, set, of, t).offset = offset;
                offset += out.back().cells->size();
            }
        };
        fit(strata_.study.first, strata_.first, first_);
        fit(strata_.study.second, strata_.second, second_);
    }

    JointReport report() {
        JointReport out;
        const std::size_t models = strata_.study.models();
        ClassifierParts mean;
        for (std::size_t begin = 0; begin < models; begin += batch) {
            std::vector<ClassifierParts> parts(std::min(batch, models - begin));
            parallel_blocks(parts.size(), resolve_threads(counted_.options.threads),
                            [&](std::size_t m) {
                                throw_if_stopped();
                                parts[m] = parts_of(begin + m);
                            });
            for (const ClassifierParts& part : parts) {
                out.classifiers.push_back(estimates(part, 1));
                add(part, mean);
            }
        }
        out.mean = estimates(mean, static_cast<double>(models));
        describe_strata(out);
        return out;
    }

private:
    /// The number of classifiers at a time. A unit's influences are kept for no more classifiers.
    static constexpr std::size_t batch = 16;

    ClassifierParts parts_of(std::size_t model) const {
        const std::size_t strata = strata_.names.size();
        std::vector<penalised::Curve> curves;
        DropInputs inputs;
        inputs.first_accuracy = counted_.accuracy1[model];
        for (std::size_t t = 0; t < strata; ++t) {
            curves.push_back(penalised::fit_curve(*second_[t].cells, second_[t].density.posterior,
                                                  second_[t].correct[model]));
            inputs.first_share.push_back(first_[t].images / first_images());
            inputs.second_share.push_back(second_[t].images / second_images());
            inputs.observed.push_back(second_[t].accuracy(model));
            inputs.first_mass.push_back(&first_[t].density.mass);
            inputs.second_mass.push_back(&second_[t].density.mass);
        }
        for (const penalised::Curve& curve : curves) inputs.curve.push_back(&curve.accuracy);

        ClassifierParts out;
        Effects effects(first_.back().offset + first_.back().cells->size(),
                        second_.back().offset + second_.back().cells->size());
        const std::vector<DropValue> values = drop_values(inputs);
        for (std::size_t p = 0; p < drop_parts; ++p) {
            out.values[p] = values[p].value;
            add_effects(p, values[p].gradient, inputs, curves, effects, out);
        }
        sum_by_unit(model, effects, out);
        return out;
    }

    /// Influence values by used cell of all strata and by part, cell-major.
    struct Effects {
        Effects(std::size_t first_cells, std::size_t second_cells)
            : first(first_cells * drop_parts),
              miss(second_cells * drop_parts),
              hit(second_cells * drop_parts) {}
        std::vector<double> first, miss, hit;
        std::array<double, drop_parts> first_hit{};  ///< the addition for a hit in set 1
    };

    void add_effects(std::size_t part, const DropGradient& gradient, const DropInputs& inputs,
                     const std::vector<penalised::Curve>& curves, Effects& effects,
                     ClassifierParts& out) const {
        const auto mean = [](const std::vector<double>& a, const std::vector<double>& b) {
            return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
        };
        const double first_mean = mean(gradient.first_share, inputs.first_share),
                     second_mean = mean(gradient.second_share, inputs.second_share);
        effects.first_hit[part] = gradient.first_accuracy / first_images();
        for (std::size_t t = 0; t < curves.size(); ++t) {
            const FittedStratum &one = first_[t], &two = second_[t];
            const penalised::Response answer = penalised::response(
                {*one.cells, *two.cells, one.density, two.density, curves[t]}, gradient.grid[t]);
            const double of_first = (gradient.first_share[t] - first_mean -
                                     gradient.first_accuracy * inputs.first_accuracy) /
                                    first_images();
            for (std::size_t c = 0; c < one.cells->size(); ++c)
                effects.first[(one.offset + c) * drop_parts + part] = of_first + answer.first[c];
            const double observed = gradient.observed[t] / two.images;
            const double of_second = (gradient.second_share[t] - second_mean) / second_images() -
                                     observed * inputs.observed[t];
            for (std::size_t c = 0; c < two.cells->size(); ++c) {
                const std::size_t at = (two.offset + c) * drop_parts + part;
                effects.miss[at] = of_second + answer.miss[c];
                effects.hit[at] = observed + answer.hit[c];
            }
            std::vector<double>& prior = out.priors[part];
            prior.insert(prior.end(), answer.first_prior.begin(), answer.first_prior.end());
            prior.insert(prior.end(), answer.second_prior.begin(), answer.second_prior.end());
            // Curves of the strata are treated as perfectly correlated.
            out.curve_priors[part] += answer.curve_prior;
        }
    }

    void sum_by_unit(std::size_t model, const Effects& effects, ClassifierParts& out) const {
        const Study& study = strata_.study;
        const UnitPlan& plan = counted_.plan;
        out.units.assign(plan.count * drop_parts, 0.0);
        for (std::size_t u = 0; u < plan.count; ++u) {
            double* sum = out.units.data() + u * drop_parts;
            const double grown1 = plan.without(plan.first_begin, u),
                         grown2 = plan.without(plan.second_begin, u);
            for (std::uint32_t at = plan.first_begin[u]; at < plan.first_begin[u + 1]; ++at) {
                const std::uint32_t i = plan.first_order[at];
                const double* effect =
                    effects.first.data() +
                    place_of(first_[strata_.first[i]], study.first, i) * drop_parts;
                const double hit = study.first.hits[i * study.row_bytes + model];
                for (std::size_t p = 0; p < drop_parts; ++p)
                    sum[p] += grown1 * (effect[p] + hit * effects.first_hit[p]);
            }
            for (std::uint32_t at = plan.second_begin[u]; at < plan.second_begin[u + 1]; ++at) {
                const std::uint32_t i = plan.second_order[at];
                const std::size_t place =
                    place_of(second_[strata_.second[i]], study.second, i) * drop_parts;
                const double hit = study.second.hits[i * study.row_bytes + model];
                for (std::size_t p = 0; p < drop_parts; ++p)
                    sum[p] += grown2 * (effects.miss[place + p] + hit * effects.hit[place + p]);
            }
        }
    }

    static std::size_t place_of(const FittedStratum& stratum, const StudySet& set, std::size_t i) {
        return stratum.offset +
               stratum.place[stratum.counts.grid.cell(set.annotators[i], set.selected[i])];
    }

    static void add(const ClassifierParts& part, ClassifierParts& sum) {
        const auto add_all = [](const auto& from, auto& to) {
            for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
        };
        sum.units.resize(part.units.size());
        add_all(part.values, sum.values);
        add_all(part.units, sum.units);
        add_all(part.curve_priors, sum.curve_priors);
        for (std::size_t p = 0; p < drop_parts; ++p) {
            sum.priors[p].resize(part.priors[p].size());
            add_all(part.priors[p], sum.priors[p]);
        }
    }

    /// `count` is the number of classifiers in the sum.
    DropParts estimates(const ClassifierParts& parts, double count) const {
        DropParts out;
        for (std::size_t p = 0; p < drop_parts; ++p) {
            double squares = 0, prior = parts.curve_priors[p] * parts.curve_priors[p];
            for (std::size_t u = 0; u < counted_.plan.count; ++u)
                squares += parts.units[u * drop_parts + p] * parts.units[u * drop_parts + p];
            for (const double x : parts.priors[p]) prior += x * x;
            out.*drop_members[p] =
                counted_.with_error(counted_.of_both(parts.values[p] / count),
                                    std::sqrt(counted_.plan.factor * squares + prior) / count);
        }
        return out;
    }

    void describe_strata(JointReport& out) const {
        constexpr double percentile = .99;
        const std::size_t models = strata_.study.models();
        for (std::size_t t = 0; t < strata_.names.size(); ++t) {
            const FittedStratum &one = first_[t], &two = second_[t];
            LabelStratum row;
            row.labels = strata_.names[t];
            row.first_images = static_cast<std::size_t>(one.images);
            row.second_images = static_cast<std::size_t>(two.images);
            for (std::size_t m = 0; m < models; ++m) {
                row.first_accuracy += one.accuracy(m) / static_cast<double>(models);
                row.second_accuracy += two.accuracy(m) / static_cast<double>(models);
            }
            row.first_rate = one.counts.mean_frequency();
            row.second_rate = two.counts.mean_frequency();
            std::size_t part = 0;
            for (double below = two.density.mass[0]; below < percentile && part + 1 < points;
                 below += two.density.mass[++part]) {
            }
            for (std::size_t j = part + 1; j < points; ++j) row.above += one.density.mass[j];
            out.strata.push_back(row);
        }
    }

    double first_images() const { return static_cast<double>(strata_.study.first.size()); }
    double second_images() const { return static_cast<double>(strata_.study.second.size()); }

    const LabelStrata& strata_;
    CountedStudy counted_;
    std::vector<FittedStratum> first_, second_;
};

void add_warnings(JointReport& out) {
    constexpr double much_above = .35;    // .32 is the largest tested value
    constexpr std::size_t tested = 1500;  // number of images in a set
    std::size_t first = 0, second = 0;
    for (const LabelStratum& s : out.strata) {
        first += s.first_images;
        second += s.second_images;
        if (s.above > much_above)
            out.warnings.push_back(fmt::format(
                "labels and selection: {:.0f} % of the original's images with {} valid label{} "
                "have larger selection rates than nearly all of the replication's. This was not "
                "tested",
                100 * s.above, s.labels, s.labels == "1" ? "" : "s"));
    }
    const double total = std::abs(*out.mean.total.value);
    if (std::max({half_width(out.mean.remainder), half_width(out.mean.labels),
                  half_width(out.mean.selection)}) > total)
        out.warnings.emplace_back(
            "labels and selection: half of a part's interval is wider than the drop. How the drop "
            "is divided is not known");
    if (std::min(first, second) < tested)
        out.warnings.push_back(fmt::format(
            "labels and selection: with {} images in a set the remainder's interval was not "
            "tested ({} or more were)",
            std::min(first, second), tested));
}

/// Classifiers whose A(1,1) is not a valid accuracy.
std::size_t accuracies_outside(const Study& study, const JointReport& report) {
    constexpr double rounding = 1e-9;
    const std::vector<double> first = study.accuracies(study.first);
    std::size_t count = 0;
    for (std::size_t m = 0; m < first.size(); ++m) {
        const double a = first[m] - *report.classifiers[m].remainder.value;
        count += a < -rounding || a > 1 + rounding ? 1 : 0;
    }
    return count;
}

}  // namespace

JointReport joint_decomposition(const Study& study, const AdjustOptions& options,
                                std::uint32_t pool_above) {
    const LabelStrata strata = label_strata(study, pool_above);
    JointReport out;
    if (!strata.undefined.empty()) {
        out.undefined = strata.undefined;
        return out;
    }
    try {
        out = Decomposition(strata, options).report();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        out.undefined = error.message();  // all readings of a stratum are equal
        return out;
    }
    out.warnings = strata.warnings;
    add_warnings(out);
    const std::size_t outside = accuracies_outside(strata.study, out);
    if (outside > 0)
        out.warnings.push_back(
            fmt::format("labels and selection: for {} the accuracy with the original's labels and "
                        "rates is outside 0 to 100 %: the data do not determine it",
                        how_many(outside, "classifier")));
    return out;
}

}  // namespace assay::replication
