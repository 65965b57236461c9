// Descriptions of a gap, in several files: those of one model are also used for rows of csv.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "assay/evaluate/gap.h"
#include "assay/result_type.h"

namespace assay {

inline constexpr std::array<std::string_view, 2> gap_set_keys = {"first", "second"};
inline constexpr std::array<std::string_view, 3> gap_metric_keys = {"top1", "real", "asma"};
inline constexpr std::string_view gap_set_type = R"("first" | "second")";
inline constexpr std::string_view gap_metric_type = R"("top1" | "real" | "asma")";

inline const char* set_key(int set) {
    return set == 0 ? "first" : "second";
}

/// For an average, with the number of models behind it; for values that errors affect, with the
/// observed value.
struct ShownEstimate {
    const Estimate* estimate;
    std::optional<std::uint32_t> models = {};
    std::optional<double> raw = {};
};
ResultType result_type(ResultOf<ShownEstimate>);

ResultType result_type(ResultOf<GapModel>);
ResultType result_type(ResultOf<GapOfGroup>);
ResultType result_type(ResultOf<GapByGroup>);
ResultType result_type(ResultOf<GapAverage>);
ResultType result_type(ResultOf<GapRankChange>);
ResultType result_type(ResultOf<GapDifference>);
ResultType result_type(ResultOf<GapBest>);
ResultType result_type(ResultOf<GapOrder>);
ResultType result_type(ResultOf<GapCurvature>);
ResultType result_type(ResultOf<GapLine>);

}  // namespace assay
