#include "cli/habits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::cli {
namespace {

struct Habit {
    std::string_view option;
    std::string_view here;  ///< an option, or a sentence when it has a blank
};
constexpr std::array habits = {
    Habit{"--amp", "--precision fp16"},
    Habit{"--fp16", "--precision fp16"},
    Habit{"--half", "--precision fp16"},
    Habit{"--bf16", "--precision bf16"},
    Habit{"--channels-last", "the order in memory is the exported model's own"},
    Habit{"--pretrained", "a model is the file that --model names, with its weights"},
    Habit{"--num-classes",
          "the model's file says how many classes there are; --classes names them"},
    Habit{"--pin-mem", "nothing to set for that"},
    Habit{"--pin-memory", "nothing to set for that"},
    Habit{"--no-prefetcher", "nothing to set for that"},
    Habit{"--test-pool", "the pooling is the exported model's own"},
    Habit{"--topk",
          "all scores are stored; how many ranks count is said to `assay score --metrics "
          "top5` or --k"},
    Habit{"--checkpoint", "--model"},
    Habit{"--weights", "--model"},
    Habit{"--resume", "rerun the same command to resume"},
    Habit{"--evaluate", "`assay score` evaluates what `assay predict` stored"},
    Habit{"--data-dir", "--data"},
    Habit{"--data-path", "--data"},
    Habit{"--val-dir", "--data"},
    Habit{"--split", "name the folder of the split: --data imagenet/val"},
    Habit{"--dataset", "--data"},
    Habit{"--img-size", "--input-size"},
    Habit{"--image-size", "--input-size"},
    Habit{"--crop-size", "--input-size"},
    Habit{"--val-crop-size", "--input-size"},
    Habit{"--val-resize-size", "--resize-size"},
    Habit{"--gpu", "--device cuda"},
    Habit{"--gpus", "--device cuda"},
    Habit{"--num-gpu", "--device cuda"},
    Habit{"--class-map", "--classes"},
    Habit{"--results-file", "--output"},
    Habit{"--output-dir", "--out"},
    Habit{"--results-dir", "--out"},
    Habit{"--log-freq", "progress is shown ten times a second; --quiet shows none"},
    Habit{"--print-freq", "progress is shown ten times a second; --quiet shows none"},
};

}  // namespace

std::string habit(std::string_view option, const std::function<bool(const std::string&)>& has) {
    std::string name(option.substr(0, option.find('=')));
    std::ranges::replace(name, '_', '-');
    const auto found =
        std::ranges::find_if(habits, [&](const Habit& row) { return row.option == name; });
    if (found == habits.end()) return {};
    if (found->here.starts_with("--")) {
        const std::string here(found->here.substr(0, found->here.find(' ')));
        return has(here) ? fmt::format("; here it is `{}`", found->here) : std::string();
    }
    return fmt::format(": {}", found->here);
}

}  // namespace assay::cli
