#include "derived/scaling_fit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/metric/metric.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "metric/item_groups.h"
#include "replication/dense.h"

namespace assay::derived {
namespace {

constexpr std::uint64_t chunk_rows = 128;
constexpr double largest_parameter = 1e4;

// Sums are computed in the order of the rows, for any number of threads. Rows of a chunk are
// computed in parallel. One thread sums each line of the matrix.
class ScalingFit {
public:
    ScalingFit(const ScalingRows& rows, Scaling method, int threads)
        : rows_(rows),
          method_(method),
          threads_(resolve_threads(threads)),
          classes_(rows.classes),
          size_(method == Scaling::temperature ? 1
                : method == Scaling::vector    ? 2 * classes_
                                               : classes_),
          logits_(chunk_rows * classes_),
          chances_(chunk_rows * classes_),
          factors_(chunk_rows * size_),
          gradients_(chunk_rows * size_),
          losses_(chunk_rows) {}

    FittedScaling run() {
        std::vector<double> at(size_, 0.0);
        std::fill_n(at.begin(), weights(), 1.0);
        FittedScaling fit;
        measure(at, true, nullptr);
        require_determined();
        double loss = loss_;
        for (;; ++fit.steps) {
            const replication::Cholesky factor(hessian_, size_);
            std::vector<double> step = gradient_;
            factor.solve(step);
            double length = 1;
            std::vector<double> next(size_);
            for (int halvings = 0;; ++halvings, length /= 2) {
                for (std::size_t i = 0; i < size_; ++i) next[i] = at[i] - length * step[i];
                const bool positive = method_ != Scaling::temperature || next[0] > 0;
                if (positive) measure(next, true, nullptr);
                // Close to the optimum, changes of the loss are only rounding.
                if (positive && loss_ <= loss + 1e-12 * std::abs(loss)) break;
                if (halvings == 60) refuse_fit();
            }
            double moved = 0;
            for (std::size_t i = 0; i < size_; ++i) {
                moved = std::max(moved, std::abs(next[i] - at[i]) / (1 + std::abs(next[i])));
                if (!(std::abs(next[i]) < largest_parameter)) refuse_fit();
            }
            at = next;
            loss = loss_;
            if (moved < 1e-10) break;
            if (fit.steps == 200) refuse_fit();
        }
        if (method_ == Scaling::temperature && at[0] < 1 / largest_parameter)
            refuse(
                fmt::format("the scores carry no information about the labels of the {} items of "
                            "the fit, so no finite temperature minimizes the loss. Fit on more "
                            "items, or check the labels: assay show RUNS",
                            rows_.items));
        fit.loss = loss / static_cast<double>(rows_.items);
        add_errors(at, fit);
        fit.parameters = std::move(at);
        return fit;
    }

private:
    std::size_t weights() const { return method_ == Scaling::temperature ? 1 : classes_; }
    double weight_of(std::span<const double> at, std::size_t cls) const {
        return at[method_ == Scaling::temperature ? 0 : cls];
    }

    [[noreturn]] void refuse_fit() const {
        refuse(fmt::format(
            "no finite {} minimizes the loss on the {} items of the fit, because their scores "
            "separate the classes without an error. Fit on more items{}: assay calibrate --help",
            method_ == Scaling::temperature ? "temperature" : "weights", rows_.items,
            method_ == Scaling::temperature ? "" : ", or use --method temperature"));
    }

    /// Checks that every parameter has a unique best value: the matrix of second derivatives, given
    /// by its lower triangle, has no pivot of 0.
    void require_determined() const {
        constexpr double rounding = 1e-12;
        std::vector<double> left = hessian_;
        for (std::size_t i = 0; i < size_; ++i) {
            const double pivot = left[i * size_ + i];
            if (!(pivot > rounding * hessian_[i * size_ + i])) refuse_undetermined(i);
            for (std::size_t r = i + 1; r < size_; ++r) {
                double* line = left.data() + r * size_;
                const double factor = line[i] / pivot;
                if (factor == 0) continue;
                for (std::size_t c = i + 1; c <= r; ++c) line[c] -= factor * left[c * size_ + i];
            }
        }
    }

    [[noreturn]] void refuse_undetermined(std::size_t parameter) const {
        if (method_ == Scaling::temperature)
            refuse(
                fmt::format("the scores of each of the {} items of the fit are equal: every "
                            "temperature fits equally well",
                            rows_.items));
        refuse(fmt::format(
            "the scaling of class {} has no single best value. On the {} items of the fit its "
            "scores are determined by those of the other classes. Use --method temperature",
            parameter % classes_, rows_.items));
    }

    /// Computes loss, gradient and second derivatives at these parameters; with `groups`, also the
    /// gradients of each group of items.
    void measure(const std::vector<double>& at, bool second, std::vector<double>* groups) {
        loss_ = 0;
        gradient_.assign(size_, 0.0);
        if (second) hessian_.assign(size_ * size_, 0.0);
        for (std::uint64_t first = 0; first < rows_.items; first += chunk_rows) {
            throw_if_stopped();
            const auto n = static_cast<std::size_t>(std::min(chunk_rows, rows_.items - first));
            constexpr std::size_t block = 16;
            parallel_blocks((n + block - 1) / block, threads_, [&](std::size_t b) {
                for (std::size_t r = b * block; r < std::min(n, (b + 1) * block); ++r)
                    work_out(at, first + r, r);
            });
            for (std::size_t r = 0; r < n; ++r) {
                loss_ += losses_[r];
                const double* own = gradients_.data() + r * size_;
                for (std::size_t i = 0; i < size_; ++i) gradient_[i] += own[i];
                if (groups == nullptr) continue;
                double* group = groups->data() + group_of_[first + r] * size_;
                for (std::size_t i = 0; i < size_; ++i) group[i] += own[i];
            }
            if (second) add_second(n);
        }
        if (second) fix_biases();
    }

    void work_out(const std::vector<double>& at, std::uint64_t item, std::size_t r) {
        const std::span<double> z(logits_.data() + r * classes_, classes_);
        const auto target = static_cast<std::size_t>(rows_.read(item, z));
        double* p = chances_.data() + r * classes_;
        double* factor = factors_.data() + r * size_;
        double* gradient = gradients_.data() + r * size_;
        if (method_ == Scaling::temperature) {  // the shift changes no result, and is more exact
            const double most = *std::ranges::max_element(z);
            for (double& value : z) value -= most;
        }
        double most = -INFINITY;
        for (std::size_t c = 0; c < classes_; ++c) {
            p[c] = weight_of(at, c) * z[c];
            if (method_ == Scaling::vector) p[c] += at[classes_ + c];
            most = std::max(most, p[c]);
        }
        const double own = p[target];
        double sum = 0;
        for (std::size_t c = 0; c < classes_; ++c) sum += p[c] = std::exp(p[c] - most);
        for (std::size_t c = 0; c < classes_; ++c) p[c] /= sum;
        losses_[r] = most + std::log(sum) - own;
        if (method_ == Scaling::temperature) {
            double mean = 0;
            for (std::size_t c = 0; c < classes_; ++c) mean += p[c] * z[c];
            double spread = 0;
            for (std::size_t c = 0; c < classes_; ++c)
                spread += p[c] * (z[c] - mean) * (z[c] - mean);
            factor[0] = spread;
            gradient[0] = mean - z[target];
            return;
        }
        for (std::size_t c = 0; c < classes_; ++c) {
            factor[c] = p[c] * z[c];
            gradient[c] = (p[c] - (c == target ? 1 : 0)) * z[c];
            if (method_ != Scaling::vector) continue;
            factor[classes_ + c] = p[c];
            gradient[classes_ + c] = p[c] - (c == target ? 1 : 0);
        }
    }

    /// Adds the lower triangle of diag(p) - p p', multiplied by the logits of the weights.
    void add_second(std::size_t n) {
        if (method_ == Scaling::temperature) {
            for (std::size_t r = 0; r < n; ++r) hessian_[0] += factors_[r];
            return;
        }
        constexpr std::size_t lines = 8;
        parallel_blocks((size_ + lines - 1) / lines, threads_, [&](std::size_t block) {
            for (std::size_t i = block * lines; i < std::min(size_, (block + 1) * lines); ++i) {
                double* line = hessian_.data() + i * size_;
                const std::size_t c = i % classes_;
                for (std::size_t r = 0; r < n; ++r) {
                    const double* factor = factors_.data() + r * size_;
                    const double own = factor[i];
                    for (std::size_t j = 0; j <= i; ++j) line[j] -= own * factor[j];
                    const double z = logits_[r * classes_ + c], p = chances_[r * classes_ + c];
                    line[i] += i < classes_ ? p * z * z : p;
                    if (i >= classes_) line[c] += p * z;
                }
            }
        });
    }

    /// The same number added to all biases has no effect, so their sum stays 0.
    void fix_biases() {
        if (method_ != Scaling::vector) return;
        double trace = 0;
        for (std::size_t i = classes_; i < size_; ++i) trace += hessian_[i * size_ + i];
        const double held = trace / static_cast<double>(classes_);
        for (std::size_t i = classes_; i < size_; ++i)
            for (std::size_t j = classes_; j <= i; ++j) hessian_[i * size_ + j] += held;
    }

    /// The change of the parameters if a group is removed, by one step of Newton's method.
    void add_errors(const std::vector<double>& at, FittedScaling& fit) {
        group_of_ = groups_of_items(rows_.items);
        std::vector<std::uint64_t> counts(group_count);
        for (const std::uint8_t g : group_of_) ++counts[g];
        std::vector<double> sums(group_count * size_, 0.0);
        measure(at, true, &sums);
        const replication::Cholesky factor(hessian_, size_);
        fit.errors.assign(size_, 0.0);
        double there = 0;
        for (std::size_t g = 0; g < group_count; ++g) {
            if (counts[g] == 0 || counts[g] == rows_.items) continue;
            ++there;
            const std::span<double> moved(sums.data() + g * size_, size_);
            factor.solve(moved);
            const double rest =
                static_cast<double>(rows_.items) / static_cast<double>(rows_.items - counts[g]);
            for (std::size_t i = 0; i < size_; ++i)
                fit.errors[i] += moved[i] * rest * (moved[i] * rest);
        }
        fit.degrees = std::max(0.0, there - 1);
        for (double& error : fit.errors)
            error = there > 1 ? std::sqrt(error * (there - 1) / there) : 0;
    }

    const ScalingRows& rows_;
    const Scaling method_;
    const int threads_;
    const std::size_t classes_, size_;
    // values for the rows of a chunk
    std::vector<double> logits_, chances_, factors_, gradients_;
    std::vector<double> losses_;
    // Sums over all rows.
    double loss_ = 0;
    std::vector<double> gradient_, hessian_;
    std::vector<std::uint8_t> group_of_;
};

}  // namespace

FittedScaling fit_scaling(const ScalingRows& rows, Scaling method, int threads) {
    return ScalingFit(rows, method, threads).run();
}

}  // namespace assay::derived
