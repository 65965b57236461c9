#include "cli/habits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "assay/metric/metric.h"
#include "metric/other_names.h"

namespace assay::cli {
namespace {

struct Habit {
    std::string_view option;
    std::string_view here;  ///< an option, or a sentence if it has a blank
};
constexpr std::array habits = {
    Habit{"--amp", "--precision fp16"},
    Habit{"--fp16", "--precision fp16"},
    Habit{"--half", "--precision fp16"},
    Habit{"--bf16", "--precision bf16"},
    Habit{"--channels-last", "the exported model fixes the memory format"},
    Habit{"--pretrained", "a model is the file that --model names, with its weights"},
    Habit{"--num-classes",
          "the model's file says how many classes there are; --classes names them"},
    Habit{"--pin-mem", "Assay needs no such option"},
    Habit{"--pin-memory", "Assay needs no such option"},
    Habit{"--no-prefetcher", "Assay needs no such option"},
    Habit{"--test-pool", "the exported model fixes the pooling"},
    Habit{"--topk",
          "all scores are stored; choose k later, with `assay score --metrics top5` or --k"},
    Habit{"--checkpoint", "--model"},
    Habit{"--weights", "--model"},
    Habit{"--resume", "rerun the same command to resume"},
    Habit{"--evaluate", "`assay score` evaluates what `assay predict` stored"},
    Habit{"--data-dir", "--data"},
    Habit{"--data-path", "--data"},
    Habit{"--val-dir", "--data"},
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
    Habit{"--by", "`assay score RUNS --by ATTRIBUTE` measures groups of images"},
    Habit{"--cluster",
          "`assay score`, `assay compare`, `assay slices` and `assay report` take --cluster "
          "ATTRIBUTE"},
    Habit{"--print-freq", "progress is shown ten times a second; --quiet shows none"},
};

struct Elsewhere {
    std::string_view words;  ///< separated by blanks, also at both ends
    std::string_view instead;
};
constexpr Elsewhere commands_elsewhere[] = {
    {" evaluation test validate validation val benchmark bench run-model ",
     "`assay eval MODEL IMAGES` runs a model over images and measures it"},
    {" infer inference classify pred prediction predictions ",
     "`assay predict -m MODEL -d IMAGES --out runs` runs a model over images and stores its "
     "scores"},
    {" metrics metric measure scores scoring summary ",
     "`assay score runs` measures stored predictions"},
    {" diff significance ttest mcnemar comparison compare-models ",
     "`assay compare RUNS/DATASET/A RUNS/DATASET/B` compares two models"},
    {" leaderboard ranking rank models ",
     "`assay score runs` shows all models, and marks the best in each column; `assay mad` ranks "
     "them on images without labels"},
    {" ls stores info status stat datasets ", "`assay list runs` shows what is stored"},
    {" load convert ingest upload ",
     "`assay import FILE` reads the predictions of another program"},
    {" label annotate labeling labelling annotation ",
     "`assay serve DIR` serves the labelling page"},
    {" classes rename-classes set-classes ",
     "`assay relabel RUNS/DATASET --classes FILE` sets the class list of stored predictions"},
    {" html report-html html-report page dashboard gui web view ui ",
     "`assay report runs --out report.html` writes a page, and `assay serve runs` shows it live"},
    {" figure figures graph chart visualize visualise viz ",
     "`assay plot PLOT runs/DATASET -o FILE.pdf` draws one figure; `assay plot --help` lists them"},
    {" csv csv-export dump to-csv dataframe pandas parquet ",
     "`assay export runs/DATASET -o items.csv` writes every item on a line (.parquet, too)"},
    {" calibrate calibration reliability ",
     "`assay score runs --reliability` measures calibration"},
    {" confusion confusion-matrix ",
     "`assay score runs --confusion` shows confusions, and `assay plot confusion-matrix runs -o "
     "FILE.pdf` draws the matrix"},
    {" merge combine concat ", "`assay join runs` makes one store of its parts"},
    {" adversarial adv pgd fgsm autoattack ", "`assay attack -m MODEL -d IMAGES` attacks a model"},
    {" corruption corruptions imagenet-c augment noise ",
     "`assay predict -m MODEL -d IMAGES --corrupt all --out runs` runs a model over corrupted "
     "images, and `assay robustness runs --clean DATASET` measures it"},
    {" profile flops params speed latency ",
     "`assay cost MODEL` counts parameters and operations, and measures latency"},
    {" doctor diagnose debug lint ", "`assay check -m MODEL -d IMAGES` looks for mistakes"},
    {" resume continue ", "rerun the same command to resume"},
    {" man docs documentation ", "`assay COMMAND --help` and `man assay` describe each command"},
    {" example tutorial quickstart ",
     "`assay demo` is a walkthrough of the commands on generated images"},
};

}  // namespace

std::string what_does(std::string_view word) {
    std::string name(word);
    for (char& letter : name) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
        if (letter == '_') letter = '-';
    }
    const std::string padded = " " + name + " ";
    for (const Elsewhere& row : commands_elsewhere) {
        if (row.words.find(padded) != std::string_view::npos) return std::string(row.instead);
    }
    const std::string_view metric = own_metric_name(word);
    const std::vector<std::string> metrics = metric_names();
    if (std::ranges::find(metrics, metric) != metrics.end())
        return fmt::format("`assay score runs --metrics {}` measures it", metric);
    return std::string(near_metric(word));
}

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
