// The table of commands: add a row to add a command.
#include "cli/cmd_eval.h"
#include "cli/cmd_inspect.h"
#include "cli/cmd_paper.h"
#include "cli/cmd_relabel.h"
#include "cli/command.h"

namespace assay::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> table = {
        {"demo", "Make a synthetic data set, train classifiers, evaluate them: a walkthrough",
         cmd_demo},
        {"eval", "Evaluate a model on images: accuracy, calibration, worst classes", cmd_eval},
        {"predict", "Run classifiers over images and store their predictions", cmd_predict},
        {"join", "Join the parts that several processes predicted", cmd_join},
        {"import", "Turn saved predictions of any framework into a store", cmd_import},
        {"relabel", "Set or correct the class list of stored predictions", cmd_relabel},
        {"score", "Compute metrics, with intervals, from stored predictions", cmd_score},
        {"compare", "Compare models on the same images; gate a release", cmd_compare},
        {"calibrate", "Calibrate probabilities by scaling scores, fitted on other items",
         cmd_calibrate},
        {"conformal", "Predict sets of classes with guaranteed coverage", cmd_conformal},
        {"decide", "Choose and test the threshold of a classifier of two classes", cmd_decide},
        {"slices", "Find slices of the images on which a model is less accurate", cmd_slices},
        {"ensemble", "Average models, or augmentations of one; show their disagreement",
         cmd_ensemble},
        {"audit", "Find labels that are probably wrong, by stored scores", cmd_audit},
        {"estimate", "Estimate accuracy on unlabelled images from a few labels", cmd_estimate},
        {"gap", "Explain the accuracy gap between two data sets", cmd_gap},
        {"show", "Show one image's labels and what each model predicts", cmd_show},
        {"export", "Write one row per item: label, prediction, loss", cmd_export},
        {"attack", "Measure accuracy under adversarial attacks", cmd_attack},
        {"certify", "Certify accuracy within l2 radii, by randomised smoothing", cmd_certify},
        {"patchml", "Compose images that contain a known number of objects", cmd_patchml},
        {"corrupt", "Write corrupted copies of a data set (ImageNet-C)", cmd_corrupt},
        {"labels", "Combine annotators' votes, propose questions, count labels", cmd_labels},
        {"replicate", "Measure how much of a replication's gap is selection bias", cmd_replicate},
        {"robustness", "Measure accuracy under corruptions, relative to clean images",
         cmd_robustness},
        {"cost", "Measure parameters, multiply-accumulates, memory and latency", cmd_cost},
        {"quality", "Combine nine quality dimensions into one score (QUBA)", cmd_quality},
        {"mad", "Rank classifiers by the images on which they disagree most", cmd_mad},
        {"serve", "Serve a labelling page for annotators, or a live report", cmd_serve},
        {"report", "Write all results to one HTML file that opens offline", cmd_report},
        {"plot", "Draw one figure for a paper: SVG, PDF or PNG", cmd_plot},
        {"paper", "Make the tables and figures of a paper for your models", cmd_paper},
        {"inspect", "Check a data set: formats, damage, duplicates, labels", cmd_inspect},
        {"check", "Check whether a model and a data set fit together", cmd_check},
        {"run", "Run a whole evaluation from assay.toml", cmd_run},
        {"verify", "Check every file of a store against its checksum", cmd_verify},
        {"list", "Show metrics, presets, class maps and stores", cmd_list},
        {"completion", "Print a shell completion script for bash, zsh or fish", cmd_completion},
        {"manual", "Write the manual pages (man assay) into a folder", cmd_manual},
        {"torch", "Show or build the LibTorch plug-in", cmd_torch},
        {"version", "Show the build, and which LibTorch, MPI and CUDA it finds", cmd_version},
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
