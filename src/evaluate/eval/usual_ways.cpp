#include "evaluate/eval/usual_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "assay/error.h"

namespace assay::evaluate {
namespace {

/// Sides of published classifiers that no preset has.
constexpr std::array other_sides = {32, 64, 96, 256, 288, 320, 384, 448, 28, 48};

/// The model only rejects sizes with these errors.
bool is_refusal(const Error& error) {
    return error.code() == ErrorCode::bad_input || error.code() == ErrorCode::usage;
}

}  // namespace

std::vector<PreprocessingWay> usual_ways(const ModelOpener& opener, int side) {
    std::vector<PreprocessingWay> ways;
    for (const Preset& preset : presets()) {
        PreprocessingWay way{.settings = {{"preset", preset.name}},
                             .options = "--preset " + preset.name,
                             .preprocess = {}};
        if (side > 0) {
            way.settings["input_size"] = {3, side, side};
            way.options += fmt::format(" --input-size {}", side);
        }
        if (side > 0 && side <= tiny_side) {
            way.settings["crop_mode"] = "none";
            way.options += " --crop-mode none";
        }
        way.preprocess = opener.resolve(way.settings).preprocess;
        const Preprocess& p = way.preprocess;
        // With a preset that scales to fewer pixels than this side, the image would have a border.
        if (side > tiny_side && p.resize_size && *p.resize_size < side) continue;
        const bool known = std::any_of(ways.begin(), ways.end(), [&](const PreprocessingWay& w) {
            return w.preprocess == way.preprocess;
        });
        if (!known) ways.push_back(std::move(way));
    }
    return ways;
}

OpenedAtSomeSize open_with_ways(const ModelOpener& opener) {
    std::exception_ptr refused;
    std::vector<std::pair<int, int>> seen;
    const auto opened = [&](std::vector<PreprocessingWay> ways) -> std::optional<OpenedAtSomeSize> {
        for (const PreprocessingWay& way : ways) {
            const std::pair size(way.preprocess.height, way.preprocess.width);
            if (std::find(seen.begin(), seen.end(), size) != seen.end()) continue;
            seen.push_back(size);
            try {
                LoadedModel model = opener.open(opener.resolve(way.settings));
                return OpenedAtSomeSize{std::move(model), std::move(ways)};
            } catch (const Error& error) {
                if (!is_refusal(error)) throw;
                if (!refused) refused = std::current_exception();
            }
        }
        return std::nullopt;
    };
    if (auto found = opened(usual_ways(opener))) return std::move(*found);
    for (const int side : other_sides) {
        if (auto found = opened(usual_ways(opener, side))) return std::move(*found);
    }
    std::rethrow_exception(refused);
}

}  // namespace assay::evaluate

namespace assay {

LoadedModel open_at_any_size(const ModelOpener& opener) {
    return evaluate::open_with_ways(opener).model;
}

}  // namespace assay
