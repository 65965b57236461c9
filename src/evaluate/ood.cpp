#include "assay/evaluate/ood.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "collective/rank_part.h"
#include "core/parallel.h"
#include "core/softmax.h"
#include "evaluate/ood_heading.h"
#include "metric/families.h"
#include "metric/separation.h"

namespace assay {
namespace {

enum : std::size_t { max_softmax, energy, max_logit, ood_scores };
constexpr std::array<const char*, ood_scores> ood_names{"max_softmax", "energy", "max_logit"};

struct OodMetric {
    const char* name;
    const char* definition;  ///< comes before the name of the score
    const char* heading;
    Estimate Separation::*value;
    bool out_positive;  ///< the images of the second data set are the positives
    bool higher_is_better;
};
constexpr std::array<OodMetric, 3> ood_metrics{{
    {"ood_auroc", "ood_auroc.", "AUROC %", &Separation::auroc, false, true},
    {"ood_fpr95", "ood_fpr95.in_positive.", "FPR95 %", &Separation::false_positives, false, false},
    {"ood_fpr95", "ood_fpr95.out_positive.", "FPR95 %, out positive", &Separation::false_positives,
     true, false},
}};

/// An image, which has no scores if the status is not ok.
struct OodRow {
    bool there = false;
    std::array<double, ood_scores> score{};
};

class OodReader {
public:
    explicit OodReader(const PredictionStore& store) : store_(store), reader_(store) {}

    OodRow row(std::uint64_t row) const {
        OodRow out;
        if (reader_.status(row) != RowStatus::ok) return out;
        out.there = true;
        out.score[max_softmax] = reader_.odds(row).value_or(RowOdds{}).log_odds;
        if (store_.spec().kind == ScoreKind::logits &&
            store_.spec().storage != StorageFormat::label) {
            out.score[energy] = reader_.log_sum_exp(row).value();
            out.score[max_logit] = best_of(row);
        }
        return out;
    }

    /// The reason why the score is not known, or "".
    std::string lacking(std::size_t score) const {
        if (!reader_.has_probabilities()) return families::no_probabilities;
        if (score == max_softmax) return "";
        if (store_.spec().storage == StorageFormat::label)
            return fmt::format("the store keeps {} only: logits are needed",
                               name_of(store_.spec().storage));
        if (store_.spec().kind != ScoreKind::logits)
            return fmt::format("the store holds {}: logits are needed",
                               name_of(store_.spec().kind));
        return "";
    }

private:
    // The greatest stored score.
    double best_of(std::uint64_t row) const {
        if (reader_.full()) {
            thread_local std::vector<float> buffer;
            return static_cast<double>(scan_row(reader_.scores(row, buffer), -1).max);
        }
        const auto shard_rows = std::max<std::uint64_t>(1, store_.spec().shard_rows);
        const auto* const shard = reader_.shard(static_cast<std::size_t>(row / shard_rows));
        double sum = 0;
        return static_cast<double>(
            shard->top(static_cast<std::uint32_t>(row - shard->first_row), sum)[0].score);
    }

    const PredictionStore& store_;
    const RowReader reader_;
};

std::vector<OodRow> rows_of(const OodReader& reader, std::uint64_t rows, int threads, Comm& comm) {
    const RankPart mine = part_of_rank(rows, comm);
    std::vector<OodRow> own(static_cast<std::size_t>(mine.size()));
    constexpr std::size_t block = 256;
    agree(comm, [&] {
        parallel_blocks((own.size() + block - 1) / block, threads, [&](std::size_t b) {
            throw_if_stopped();
            for (std::size_t k = b * block; k < std::min(own.size(), (b + 1) * block); ++k)
                own[k] = reader.row(mine.begin + k);
        });
    });
    std::vector<OodRow> all;
    for (const auto& part : all_gather<OodRow>(comm, own))
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<double> numbers_of(const std::vector<OodRow>& rows, std::size_t score, double sign) {
    std::vector<double> list;
    for (const OodRow& row : rows)
        if (row.there) list.push_back(sign * row.score[score]);
    return list;
}

}  // namespace

std::string ood_heading(const Measurement& m) {
    const auto* const row = std::find_if(
        ood_metrics.begin(), ood_metrics.end(),
        [&](const OodMetric& metric) { return m.key.definition.starts_with(metric.definition); });
    return row != ood_metrics.end() ? row->heading : m.key.metric;
}

OodPair parse_ood_pair(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size() ||
        text.find('=', equals + 1) != std::string_view::npos) {
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` is not IN=OUT: the names of two data sets are needed", text));
    }
    return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<Measurement> measure_ood(const PredictionStore& in, const PredictionStore& out,
                                     double level, int threads, Comm& comm) {
    const OodReader first(in), second(out);
    const int cores = resolve_threads(threads);
    const std::vector<OodRow> a = rows_of(first, in.rows(), cores, comm),
                              b = rows_of(second, out.rows(), cores, comm);
    std::vector<Measurement> list;
    for (std::size_t s = 0; s < ood_scores; ++s) {
        Separation in_positive, out_positive;
        std::string lacking = first.lacking(s);
        if (lacking.empty()) lacking = second.lacking(s);
        if (lacking.empty()) {
            in_positive = separation(numbers_of(a, s, 1), numbers_of(b, s, 1), level);
            out_positive = separation(numbers_of(b, s, -1), numbers_of(a, s, -1), level);
        } else {
            for (Estimate* one : {&in_positive.auroc, &in_positive.false_positives,
                                  &out_positive.false_positives}) {
                one->undefined = lacking;
                one->unit = Unit::proportion;
            }
        }
        for (const OodMetric& metric : ood_metrics) {
            Measurement m;
            static_cast<Estimate&>(m) =
                (metric.out_positive ? out_positive : in_positive).*metric.value;
            m.key.metric = metric.name;
            // The score is the log-odds of the greatest probability, which order images in the same
            // way.
            m.key.definition = std::string(metric.definition) + ood_names[s] +
                               (s == max_softmax ? ".log_odds" : "");
            m.key.parameters = {{"out", out.spec().dataset_name}, {"score", ood_names[s]}};
            m.key.model = in.spec().model_name;
            m.key.dataset = in.spec().dataset_name;
            m.higher_is_better = metric.higher_is_better;
            m.left_out = in.rows() + out.rows() - m.n;
            list.push_back(std::move(m));
        }
    }
    return list;
}

}  // namespace assay
