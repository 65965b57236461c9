// The table of commands: one more command, one more row.
#include "cli/cmd_eval.h"
#include "cli/cmd_inspect.h"
#include "cli/cmd_relabel.h"
#include "cli/command.h"

namespace assay::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> table = {
        {"demo", "Make a synthetic data set, train classifiers, evaluate them: a walkthrough",
         cmd_demo},
        {"eval", "From a model and images to its accuracy, on one screen", cmd_eval},
        {"predict", "Run classifiers over images and store their predictions", cmd_predict},
        {"join", "Make one store of the parts that several processes predicted", cmd_join},
        {"import", "Turn saved predictions of any framework into a store", cmd_import},
        {"relabel", "Set or correct the class list of stored predictions", cmd_relabel},
        {"score", "Compute metrics, with intervals, from stored predictions", cmd_score},
        {"compare", "Compare models on the same images; gate a release", cmd_compare},
        {"calibrate", "Scale scores so that probabilities fit; fitted on other items",
         cmd_calibrate},
        {"ensemble", "Average models, or augmentations of one; how much they disagree",
         cmd_ensemble},
        {"estimate", "Estimate accuracy on unlabelled images from a few labels", cmd_estimate},
        {"gap", "Explain the accuracy gap between two data sets", cmd_gap},
        {"show", "Show one image's labels and what each model predicts", cmd_show},
        {"export", "Write every item with its label, prediction and loss on a line", cmd_export},
        {"attack", "Adversarial attacks: what is left of a classifier's accuracy", cmd_attack},
        {"patchml", "Compose images that hold a known number of objects", cmd_patchml},
        {"corrupt", "Copy a data set under the corruptions of ImageNet-C", cmd_corrupt},
        {"labels", "Build label sets from votes; propose questions; count", cmd_labels},
        {"replicate", "How much of a replication's accuracy gap is selection bias", cmd_replicate},
        {"robustness", "Accuracy under corruptions, relative to clean images; mCE", cmd_robustness},
        {"cost", "Parameters, multiply-accumulates, memory and latency of classifiers", cmd_cost},
        {"quality", "Nine quality dimensions in one score (QUBA); which model suits", cmd_quality},
        {"mad", "Rank classifiers by the images on which they disagree most", cmd_mad},
        {"serve", "Labelling page for annotators, with links; or a live report", cmd_serve},
        {"report", "Everything measured as one HTML file that opens anywhere, offline", cmd_report},
        {"plot", "One figure of a result for a paper: SVG, PDF or PNG", cmd_plot},
        {"inspect", "Look at a data set first: formats, damage, duplicates, labels", cmd_inspect},
        {"check", "Find out whether a model and a data set fit together", cmd_check},
        {"run", "Run a whole evaluation from assay.toml", cmd_run},
        {"verify", "Check every file of a store against its checksum", cmd_verify},
        {"list", "Show metrics, presets, class maps and stores", cmd_list},
        {"completion", "Let bash, zsh or fish complete what is typed (TAB)", cmd_completion},
        {"manual", "Write the manual pages (man assay) into a folder", cmd_manual},
        {"torch", "Show or build the LibTorch plug-in", cmd_torch},
        {"version", "Which build this is; which LibTorch, MPI and CUDA it finds", cmd_version},
    };
    return table;
}

const std::vector<std::string>& program_examples() {
    static const std::vector<std::string> lines = {
        "assay eval resnet50.pt imagenet/val",
        "assay predict --model resnet50.pt --preset torchvision --data imagenet/val --out runs",
        "assay score runs",
        "assay compare runs/val/resnet50 runs/val/resnet50-v2 --gate \"top1.delta >= -0.005\"",
    };
    return lines;
}

}  // namespace assay::cli
