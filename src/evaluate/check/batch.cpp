// Checks whether an image's scores depend only on the image. Batch normalization or dropout in
// training mode is detected here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluate/check/check_parts.h"

namespace assay::checks {
namespace {

/// The largest difference between two rows relative to the spread of the first; infinite if one is
/// not finite and the other is.
double row_difference(std::span<const float> a, std::span<const float> b) {
    double low = INFINITY, high = -INFINITY, most = 0;
    for (std::size_t c = 0; c < a.size(); ++c) {
        const double x = static_cast<double>(a[c]), y = static_cast<double>(b[c]);
        if (!std::isfinite(x) || !std::isfinite(y)) {
            if (std::isfinite(x) != std::isfinite(y)) return INFINITY;
            continue;
        }
        low = std::min(low, x);
        high = std::max(high, x);
        most = std::max(most, std::abs(x - y));
    }
    if (most == 0) return 0;
    // If all scores of an image are almost equal, their spread is rounding.
    const double spread = std::max(high - low, 1e-3 * std::max(std::abs(high), std::abs(low)));
    return spread > 0 ? most / spread : INFINITY;
}

Scores reversed(const Scores& scores) {
    Scores out{.classes = scores.classes, .values = {}};
    for (std::size_t i = scores.rows(); i > 0; --i) {
        const auto row = scores.row(i - 1);
        out.values.insert(out.values.end(), row.begin(), row.end());
    }
    return out;
}

}  // namespace

double scores_difference(const Scores& a, const Scores& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.rows(); ++i)
        most = std::max(most, row_difference(a.row(i), b.row(i)));
    return most;
}

Scores one_by_one(const Runner& runner, std::span<const Image> windows, const Preprocess& p) {
    Scores out{.classes = 0, .values = {}};
    for (const Image& window : windows) {
        const std::vector<Image> batch(std::max<std::size_t>(runner.fixed_batch(), 1), window);
        const Scores scores = runner.run_together(batch, p);
        out.classes = scores.classes;
        const auto row = scores.row(0);
        out.values.insert(out.values.end(), row.begin(), row.end());
    }
    return out;
}

double difference_by_place(const Runner& runner, std::span<const Image> batch, const Preprocess& p,
                           const Scores& together) {
    const std::vector<Image> backwards(batch.rbegin(), batch.rend());
    return scores_difference(together, reversed(runner.run_together(backwards, p)));
}

std::vector<Finding> check_batch(const Runner& runner, const Sample& sample, const Preprocess& p) {
    constexpr std::size_t usual_batch = 8;
    const std::size_t n =
        runner.fixed_batch() > 0 ? runner.fixed_batch() : std::min(usual_batch, sample.size());
    std::vector<Image> windows(
        sample.windows.begin(),
        sample.windows.begin() + static_cast<std::ptrdiff_t>(std::min(n, sample.size())));
    windows.resize(n, windows.front());

    std::vector<Finding> findings;
    const double tolerance = runner.tolerance();
    const Scores together = runner.run_together(windows, p);
    if (!together.failed.empty()) {
        Sample rest = sample;
        leave_out(rest, together.failed);
        if (rest.size() > 0) return check_batch(runner, rest, p);
        findings.push_back({Severity::note, "batch.repeat",
                            "cannot be checked: the classifier fails on every image", "", ""});
        return findings;
    }
    const double again = scores_difference(together, runner.run_together(windows, p));
    if (again > tolerance) {
        findings.push_back(
            {Severity::error, "batch.repeat",
             "the same images get different scores the second time",
             fmt::format("differences up to {:.2g} of the spread of an image's scores", again),
             "dropout, or another random step, is active: export the classifier in evaluation mode "
             "(model.eval())"});
        return findings;  // the comparison below would only find the same
    }
    findings.push_back(
        {again == 0 ? Severity::ok : Severity::note, "batch.repeat",
         again == 0 ? "the same batch twice gives the same bits"
                    : "the same batch twice differs by rounding",
         again == 0 ? "" : fmt::format("up to {:.2g} of the spread of an image's scores", again),
         ""});
    if (n == 1 || sample.size() < 2) {
        findings.push_back({Severity::note, "batch.neighbours",
                            "cannot be checked: batches of one image", "", ""});
        return findings;
    }
    const double place = difference_by_place(runner, windows, p, together);
    const double alone = scores_difference(together, one_by_one(runner, windows, p));
    const double most = std::max(place, alone);
    if (most > tolerance) {
        findings.push_back(
            {Severity::error, "batch.neighbours",
             "scores of an image depend on the other images in its batch",
             fmt::format("alone, compared with a batch of {}: differences up to {:.2g} of the "
                         "spread of its scores; at another place in it: {:.2g}",
                         n, alone, place),
             "batch normalisation is in training mode, or the batch is mixed up: export the "
             "classifier "
             "in evaluation mode (model.eval())"});
    } else {
        findings.push_back({Severity::ok, "batch.neighbours",
                            "scores of an image do not depend on its batch",
                            fmt::format("alone, and at another place: differences up to {:.2g} of "
                                        "the spread of its scores",
                                        most),
                            ""});
    }
    return findings;
}

}  // namespace assay::checks
