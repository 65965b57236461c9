#include "replication/dense.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::replication {

Householder::Householder(Matrix a) : a_(std::move(a)), diag_(a_.columns, 0.0) {
    for (std::size_t c = 0; c < a_.columns; ++c) {
        double norm = 0;
        for (std::size_t r = c; r < a_.rows; ++r) norm += a_.at(r, c) * a_.at(r, c);
        norm = std::sqrt(norm);
        if (norm == 0) continue;
        const double alpha = a_.at(c, c) > 0 ? -norm : norm;
        a_.at(c, c) -= alpha;
        double length = 0;
        for (std::size_t r = c; r < a_.rows; ++r) length += a_.at(r, c) * a_.at(r, c);
        length = std::sqrt(length);
        if (length == 0) continue;
        for (std::size_t r = c; r < a_.rows; ++r) a_.at(r, c) /= length;
        for (std::size_t j = c + 1; j < a_.columns; ++j) {
            double dot = 0;
            for (std::size_t r = c; r < a_.rows; ++r) dot += a_.at(r, c) * a_.at(r, j);
            for (std::size_t r = c; r < a_.rows; ++r) a_.at(r, j) -= 2 * dot * a_.at(r, c);
        }
        diag_[c] = alpha;
    }
}

std::vector<double> Householder::project(std::span<const double> b, double* rest) const {
    std::vector<double> y(b.begin(), b.end());
    for (std::size_t c = 0; c < a_.columns; ++c) {
        if (diag_[c] == 0) continue;
        double dot = 0;
        for (std::size_t r = c; r < a_.rows; ++r) dot += a_.at(r, c) * y[r];
        for (std::size_t r = c; r < a_.rows; ++r) y[r] -= 2 * dot * a_.at(r, c);
    }
    if (rest != nullptr) {
        *rest = 0;
        for (std::size_t r = a_.columns; r < a_.rows; ++r) *rest += y[r] * y[r];
    }
    y.resize(a_.columns);
    return y;
}

std::vector<double> Householder::back(std::span<const double> y) const {
    std::vector<double> x(y.begin(), y.end());
    for (std::size_t c = a_.columns; c-- > 0;) {
        for (std::size_t j = c + 1; j < a_.columns; ++j) x[c] -= a_.at(c, j) * x[j];
        x[c] = diag_[c] == 0 ? 0 : x[c] / diag_[c];
    }
    return x;
}

std::vector<double> Householder::back_transposed(std::span<const double> y) const {
    std::vector<double> x(y.begin(), y.end());
    for (std::size_t c = 0; c < a_.columns; ++c) {
        for (std::size_t j = 0; j < c; ++j) x[c] -= a_.at(j, c) * x[j];
        x[c] = diag_[c] == 0 ? 0 : x[c] / diag_[c];
    }
    return x;
}

Cholesky::Cholesky(std::vector<double> h, std::size_t size) : lower_(std::move(h)), size_(size) {
    constexpr double least_pivot = 1e-300;
    for (std::size_t i = 0; i < size_; ++i) {
        double* row = lower_.data() + i * size_;
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = lower_.data() + j * size_;
            double sum = row[j];
            for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
            row[j] = i == j ? std::sqrt(std::max(sum, least_pivot)) : sum / other[j];
        }
    }
}

void Cholesky::forward(std::span<double> b) const {
    for (std::size_t i = 0; i < size_; ++i) {
        const double* row = lower_.data() + i * size_;
        for (std::size_t k = 0; k < i; ++k) b[i] -= row[k] * b[k];
        b[i] /= row[i];
    }
}

void Cholesky::solve(std::span<double> b) const {
    forward(b);
    for (std::size_t i = size_; i-- > 0;) {
        for (std::size_t k = i + 1; k < size_; ++k) b[i] -= lower_[k * size_ + i] * b[k];
        b[i] /= lower_[i * size_ + i];
    }
}

double Cholesky::squared_length(std::span<const double> b) const {
    std::vector<double> x(b.begin(), b.end());
    forward(x);
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
}

Eigen symmetric_eigen(std::vector<double> matrix, std::size_t size) {
    constexpr int most_sweeps = 60;
    constexpr double negligible = 1e-32;  // relative to the squared size
    Eigen out;
    out.vectors.assign(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) out.vectors[i * size + i] = 1;
    double all = 0;
    for (const double x : matrix) all += x * x;
    const auto at = [&](std::size_t r, std::size_t c) -> double& { return matrix[r * size + c]; };
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double off = 0;
        for (std::size_t p = 0; p < size; ++p) {
            for (std::size_t q = p + 1; q < size; ++q) off += at(p, q) * at(p, q);
        }
        if (off <= negligible * all) break;
        for (std::size_t p = 0; p < size; ++p) {
            for (std::size_t q = p + 1; q < size; ++q) {
                if (at(p, q) == 0) continue;
                const double half = (at(q, q) - at(p, p)) / (2 * at(p, q));
                const double tangent =
                    (half >= 0 ? 1 : -1) / (std::abs(half) + std::sqrt(1 + half * half));
                const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
                const auto rotate = [&](double& x, double& y) {
                    const double old = x;
                    x = cosine * old - sine * y;
                    y = sine * old + cosine * y;
                };
                for (std::size_t i = 0; i < size; ++i) rotate(at(i, p), at(i, q));
                for (std::size_t i = 0; i < size; ++i) rotate(at(p, i), at(q, i));
                for (std::size_t i = 0; i < size; ++i)
                    rotate(out.vectors[p * size + i], out.vectors[q * size + i]);
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) out.values.push_back(at(i, i));
    return out;
}

std::vector<double> nonnegative_least_squares(const Matrix& a, std::span<const double> b) {
    std::vector<double> x(a.columns, 0.0), gradient(a.columns, 0.0);
    std::vector<bool> passive(a.columns, false);
    std::vector<std::size_t> chosen;
    double scale = 0;
    for (const double v : b) scale = std::max(scale, std::abs(v));
    const double tolerance = 1e-13 * std::max(scale, 1e-300);
    const auto update = [&] {
        std::vector<double> rest(b.begin(), b.end());
        for (const std::size_t c : chosen) {
            for (std::size_t r = 0; r < a.rows; ++r) rest[r] -= a.at(r, c) * x[c];
        }
        for (std::size_t c = 0; c < a.columns; ++c) {
            gradient[c] = 0;
            double norm = 0;
            for (std::size_t r = 0; r < a.rows; ++r) {
                gradient[c] += a.at(r, c) * rest[r];
                norm += a.at(r, c) * a.at(r, c);
            }
            if (norm > 0) gradient[c] /= std::sqrt(norm);
        }
    };
    update();
    for (std::size_t round = 0; round < 3 * a.columns + 30; ++round) {
        std::size_t best = a.columns;
        for (std::size_t c = 0; c < a.columns; ++c) {
            if (!passive[c] && gradient[c] > tolerance &&
                (best == a.columns || gradient[c] > gradient[best]))
                best = c;
        }
        if (best == a.columns || chosen.size() == a.rows) break;
        passive[best] = true;
        chosen.push_back(best);
        for (;;) {
            Matrix part(a.rows, chosen.size());
            for (std::size_t j = 0; j < chosen.size(); ++j) {
                std::copy(a.column(chosen[j]).begin(), a.column(chosen[j]).end(),
                          part.values.begin() + static_cast<std::ptrdiff_t>(j * a.rows));
            }
            const Householder qr(std::move(part));
            const std::vector<double> s = qr.back(qr.project(b));
            double step = 1;
            for (std::size_t j = 0; j < chosen.size(); ++j) {
                if (s[j] <= 0) step = std::min(step, x[chosen[j]] / (x[chosen[j]] - s[j]));
            }
            if (!(step < 1) && std::all_of(s.begin(), s.end(), [](double v) { return v > 0; })) {
                for (std::size_t j = 0; j < chosen.size(); ++j) x[chosen[j]] = s[j];
                break;
            }
            if (!(step >= 0)) step = 0;  // for 0 / 0; else a new column would leave again
            for (std::size_t j = 0; j < chosen.size(); ++j)
                x[chosen[j]] += step * (s[j] - x[chosen[j]]);
            std::vector<std::size_t> kept;
            for (std::size_t j = 0; j < chosen.size(); ++j) {
                const std::size_t c = chosen[j];
                if (s[j] <= 0 && x[c] <= 1e-15) {
                    x[c] = 0;
                    passive[c] = false;
                } else {
                    kept.push_back(c);
                }
            }
            if (kept.size() ==
                chosen.size()) {  // rounding kept all above 0, so the smallest is removed
                std::size_t least = 0;
                for (std::size_t j = 1; j < kept.size(); ++j) {
                    if (s[j] < s[least]) least = j;
                }
                x[kept[least]] = 0;
                passive[kept[least]] = false;
                kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(least));
            }
            chosen = std::move(kept);
            if (chosen.empty()) break;
        }
        const bool back_out = !passive[best];
        update();
        if (back_out) gradient[best] = 0;  // otherwise it would enter and leave forever
    }
    return x;
}

}  // namespace assay::replication
