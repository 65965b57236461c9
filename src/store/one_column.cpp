#include "store/one_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/store/import.h"

namespace assay::store {
namespace {

constexpr std::uint32_t rows_at_once = 1U << 16;

/// Facts about all finite scores.
struct OneColumn {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    std::uint64_t finite = 0, whole = 0;

    bool within(float from, float to) const { return low >= from && high <= to; }
};

OneColumn look_at_column(const ScoreSource& source) {
    OneColumn column;
    std::vector<float> scores;
    for (std::uint64_t first = 0; first < source.rows; first += rows_at_once) {
        const auto n =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_at_once, source.rows - first));
        scores.resize(n);
        source.read(first, n, scores);
        for (const float score : scores) {
            if (!std::isfinite(score)) continue;
            ++column.finite;
            column.whole += score == std::floor(score) ? 1U : 0U;
            column.low = std::min(column.low, score);
            column.high = std::max(column.high, score);
        }
    }
    return column;
}

[[noreturn]] void ask_for_kind(const OneColumn& column) {
    if (column.finite == 0) {
        throw Error(ErrorCode::bad_input,
                    "there is one score per row, and none is finite; set --kind");
    }
    const std::string seen =
        fmt::format("there is one score per row, from {:.6g} to {:.6g}", column.low, column.high);
    if (column.whole == column.finite) {
        throw Error(
            ErrorCode::usage,
            fmt::format("{}, and all are whole numbers: pass --kind probabilities or --kind "
                        "logits if they are scores of class 1 of two. Predicted classes are "
                        "integers in a .npy file, or a csv column called pred",
                        seen));
    }
    throw Error(ErrorCode::usage,
                fmt::format("{}: pass --kind logits if they are logits of class 1, the positive "
                            "class of two{}",
                            seen, column.within(0, 100) ? ", or --kind percent" : ""));
}

void check_column(ScoreKind kind, bool told, const OneColumn& column) {
    const bool fits = kind == ScoreKind::probabilities       ? column.within(0, 1)
                      : kind == ScoreKind::log_probabilities ? column.high <= 0
                                                             : true;
    if (fits || column.finite == 0) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("{} {}, but they are between {:.6g} and {:.6g}; choose with --kind",
                            told ? "--kind says" : "the column's name says", name_of(kind),
                            column.low, column.high));
}

/// Converts log p to log(1 - p).
float log_of_rest(float log_p) {
    return static_cast<float>(std::log(-std::expm1(static_cast<double>(log_p))));
}

}  // namespace

void take_one_column(ScoreSource& source, const ImportOptions& options) {
    if (source.top != 0 || source.classes != 1) return;
    const OneColumn column = look_at_column(source);
    std::optional<ScoreKind> kind = options.kind ? options.kind : source.hint;
    const bool told = kind.has_value();
    if (!kind) {
        if (!column.within(0, 1) || column.whole == column.finite) ask_for_kind(column);
        kind = ScoreKind::probabilities;
    }
    check_column(*kind, options.kind.has_value(), column);
    source.read = [read = std::move(source.read), kind = *kind](
                      std::uint64_t first, std::uint32_t n, std::span<float> out) {
        const std::span<float> one = out.last(n);
        read(first, n, one);
        for (std::uint32_t r = 0; r < n; ++r) {
            const float score = one[r];
            out[std::size_t{2} * r] = kind == ScoreKind::probabilities ? 1 - score
                                      : kind == ScoreKind::logits      ? 0.0F
                                                                       : log_of_rest(score);
            out[std::size_t{2} * r + 1] = score;
        }
    };
    source.classes = 2;
    source.columns = {};  // the column's name does not name both classes
    source.hint = *kind;
    source.notes.push_back(
        fmt::format("one score per row: {} {} of class 1 (the positive class) of two{}",
                    told ? "it is" : "assuming",
                    *kind == ScoreKind::logits          ? "the logit"
                    : *kind == ScoreKind::probabilities ? "the probability"
                                                        : "the logarithm of the probability",
                    options.kind ? "" : " (use --kind to override)"));
}

}  // namespace assay::store
