#include "assay/evaluate/until.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>

#include "assay/data/sample.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/folder_aside.h"
#include "core/statistics.h"
#include "store/outcomes.h"

namespace assay {
namespace {

double wilson_half_width(double accuracy, std::uint64_t n) {
    const Interval interval = wilson_of_mean(accuracy, n);
    return (interval.high - interval.low) / 2;
}

}  // namespace

Until parse_until(std::string_view text) {
    std::string packed;
    for (const char c : text) {
        if (c != ' ' && c != '\t') packed += c;
    }
    constexpr std::string_view begin = "half_width(top1)<=";
    Until until;
    if (packed.starts_with(begin)) {
        const char* const first = packed.data() + begin.size();
        const char* const last = packed.data() + packed.size();
        const auto [end, problem] = std::from_chars(first, last, until.half_width);
        const bool percent = problem == std::errc() && end + 1 == last && *end == '%';
        if (percent) until.half_width /= 100;
        if (problem == std::errc() && (percent || end == last) && until.half_width > 0 &&
            until.half_width < 0.5)
            return until;
    }
    throw Error(ErrorCode::usage,
                fmt::format("`{}`: expected `half_width(top1) <= W` with W above 0 and below 0.5, "
                            "like 0.01 or 1%",
                            text));
}

std::uint64_t images_needed(const Until& until, std::uint64_t correct, std::uint64_t pilot) {
    const Interval bounds = wilson(correct, pilot, 0.99);
    // The variance is largest at 1/2.
    const double accuracy = std::clamp(0.5, bounds.low, bounds.high);
    std::uint64_t low = pilot, high = std::max<std::uint64_t>(pilot, 1);
    while (high < most_needed && wilson_half_width(accuracy, high) > until.half_width) {
        low = high + 1;
        high *= 2;
    }
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (wilson_half_width(accuracy, middle) <= until.half_width) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

UntilResult images_until(std::span<const LoadedModel> models, const Dataset& dataset,
                         const Until& until, std::uint64_t seed, const PredictOptions& options,
                         const ProgressCallback& callback) {
    UntilResult result;
    result.pilot = std::min<std::uint64_t>(pilot_images, dataset.size());
    result.images = result.pilot;
    if (result.pilot == dataset.size()) return result;
    make_folders(options.runs);
    const FolderAside folder(options.runs / "pilot");  // never kept
    PredictOptions own = options;
    own.runs = folder.path();
    const Dataset pilot = stratified_sample(dataset, static_cast<std::size_t>(result.pilot), seed);
    for (const PredictResult& predicted : predict(models, pilot, own, callback)) {
        const std::vector<RowOutcome> outcomes =
            outcomes_of(PredictionStore::open(predicted.store), options.threads);
        const std::uint64_t correct = count_of(outcomes, RowOutcome::correct);
        const std::uint64_t labelled = correct + count_of(outcomes, RowOutcome::incorrect);
        if (labelled == 0) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: no image of the pilot has a score and exactly one label, "
                                    "so its accuracy is unknown; pass labels with --list FILE",
                                    predicted.model));
        }
        // Images without a label or a score do not narrow the interval.
        const double usable = static_cast<double>(labelled) / static_cast<double>(result.pilot);
        const auto needed = static_cast<double>(images_needed(until, correct, labelled));
        // Compares as doubles, because the needed number may exceed 64 bits.
        const double sample =
            std::min(std::ceil(needed / usable), static_cast<double>(dataset.size()));
        result.images = std::max(result.images, static_cast<std::uint64_t>(sample));
    }
    return result;
}

}  // namespace assay
