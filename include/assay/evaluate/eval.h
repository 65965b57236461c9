// From a model and images to a number: how the input is prepared, what looks wrong before anything
// long, and one screen at the end.
//
// What is given (flags, a settings file, the model's own settings) is taken. Else the usual ways
// (presets()) are tried on a few labelled images, drawn by the hashes of their ids. The images that
// chose are left out of the reported numbers, because a number on them would be too good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/data/dataset.h"
#include "assay/estimate.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/model_trial.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/score.h"
#include "assay/model/model_spec.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

/// How a model is opened under other settings: those given here are over all others.
struct ModelOpener {
    std::function<ModelSpec(const ModelSettings& settings)> resolve;
    std::function<LoadedModel(ModelSpec spec)> open;
};

/// One way to prepare the input.
struct PreprocessingWay {
    ModelSettings settings;    ///< what it says of the model
    std::string options;       ///< the same, as typed: "--preset mobilenet-160"
    Preprocess preprocess;     ///< all of it
    std::uint64_t images = 0;  ///< that it was tried on
    std::uint64_t correct = 0;
};

struct PreprocessingChoice {
    enum class Outcome {
        given,        ///< nothing was searched for
        told_apart,   ///< one way is better than each of the others
        not_settled,  ///< the best two cannot be told apart and differ by less than a point
        undecided,    ///< they cannot be told apart and differ by more
        at_chance,    ///< no way is better than chance
        no_labels,    ///< there are too few labelled images to search with
    };
    Outcome outcome = Outcome::given;
    std::optional<PreprocessingWay> best, runner_up;
    std::size_t tried = 0;    ///< ways; those that give the same pixels are one
    std::size_t refused = 0;  ///< ways whose input size the model refuses
    /// Of the best against the runner-up: exact McNemar test, Holm-adjusted over the ways tried.
    /// Multiplied by the number of times that the test may be made (SearchOptions::level).
    double p = 1;
    std::optional<Estimate> difference;  ///< best minus runner-up, with the interval of the pairs
    std::vector<std::uint32_t> items;    ///< of the data set, ascending: those that chose
    /// Of these, those that the model cannot compute: "id (why)". Incorrect for all ways.
    std::vector<std::string> failed;
    std::optional<Finding> order;  ///< at_chance: classes in another order explain it
    double seconds = 0;

    /// Whether a number may be reported.
    bool usable() const { return outcome <= Outcome::not_settled; }
    bool searched() const { return outcome != Outcome::given; }
};
/// "given", "told_apart", "not_settled", ...
std::string_view name_of(PreprocessingChoice::Outcome);

struct SearchOptions {
    int threads = 0;         ///< 0: one per core
    std::size_t batch = 8;   ///< images that go through the model together
    std::size_t first = 64;  ///< labelled images to begin with
    /// And at most, but no more than a tenth of the data set. Never more than half of the labelled
    /// images: the other half is for the numbers.
    std::size_t most = 512;
    std::size_t fewest = 10;  ///< where half of the labelled images is fewer, there is no search
    double level = 0.05;      ///< of all tests together: each doubling of the images makes one more
    double close = 0.01;      ///< a difference below this may stay open
};

/// A command as it was typed with these options, too, in place of typed ones of the same names;
/// "": as it was typed.
using CommandWith = std::function<std::string(const std::string& options)>;

/// Opens the model at the first usual input size that it takes. Throws what the opener throws at
/// the first size where it takes none.
LoadedModel open_at_any_size(const ModelOpener& opener);

/// Tries the usual ways. The same choice for any number of threads. Progress counts (image, way)
/// pairs. Throws what the opener throws but for refused sizes; bad_input: an empty data set.
/// Cost: each way runs `first` images; ways that stay in the race run more.
PreprocessingChoice choose_preprocessing(const ModelOpener& opener, const Dataset& dataset,
                                         const SearchOptions& options = {},
                                         const ProgressCallback& progress = {});

/// What was chosen, from what, and how sure that is: one line for people.
std::string describe(const PreprocessingChoice& choice);
/// Why there is no number, ending in the commands to choose from; of a choice that is not usable.
std::string why_stopped(const PreprocessingChoice& choice, const std::string& model,
                        const CommandWith& command);

struct GuardOptions {
    bool searched = false;  ///< the preprocessing was found on these images, so it is not doubted
    bool mixes = false;     ///< of batches_mix(), unless images go through the model alone anyway
    bool alone = false;     ///< one image at a time
    int threads = 0;        ///< 0: one per core
};
struct EvalGuards {
    std::vector<Finding> findings;  ///< warnings and errors alone
    std::uint32_t batch = 0;        ///< 1: only images alone get their own scores; 0: any batch
};
/// The cheap checks of check_model(): classes, outputs, order, pixel values (unless `searched`) and
/// batches, on 32 images. Throws bad_input: scores depend on the batch, and images alone do no
/// better.
EvalGuards guard_model(const LoadedModel& model, const Dataset& dataset,
                       const GuardOptions& options);
/// One line that ends in what to type. `check`: the command of all checks.
std::string warning_text(const Finding& finding, const CommandWith& command,
                         const std::string& check);

/// An image whose label the models doubt: all of them predict another class.
struct DoubtedLabel {
    std::string id, label, predicted;  ///< names of classes; of several models: the first's
    double label_probability = 0;      ///< mean over the models
    double predicted_probability = 0;  ///< likewise, of each model's own predicted class
};
/// An image without a label for which models differ, or the only model is least sure.
struct UnsureItem {
    std::string id;
    std::vector<std::string> predicted;  ///< by model
    std::vector<double> confidence;      ///< by model
};

/// The mark of numbers that hang on a choice that images could not settle.
inline constexpr std::string_view not_settled_mark = "preprocessing not settled";

struct EvaluatedModel {
    std::string model;
    std::filesystem::path store;
    std::string preprocessing;  ///< describe(ModelSpec)
    PreprocessingChoice choice;
    std::string check;                  ///< the command of all checks; "": none is named
    std::vector<std::string> warnings;  ///< lines that end in what to type
    std::vector<Measurement> measurements;
    std::vector<ClassResult> worst_classes;  ///< the least accurate first
    /// Whether confidence is above or below accuracy, in words; "" without both.
    std::string calibration;
    Estimate confidence;  ///< mean of the predicted class's probability
    /// Images without scores; those of PreprocessingChoice::failed count, too.
    std::uint64_t unreadable = 0;

    bool settled() const { return choice.outcome != PreprocessingChoice::Outcome::not_settled; }
};

struct EvalResult {
    std::string dataset;
    std::uint64_t items = 0;
    std::uint64_t labelled = 0;
    std::uint64_t left_out = 0;  ///< images that chose the preprocessing
    std::vector<EvaluatedModel> models;
    std::optional<CompareResult> comparison;  ///< of labelled images and several models
    std::vector<DoubtedLabel> doubted_labels;
    std::vector<UnsureItem> unsure;     ///< of unlabelled images
    std::optional<Estimate> agreement;  ///< images of which all models say the same
    std::vector<GateResult> gates;
    std::vector<std::string> notes;
    std::filesystem::path report;   ///< the page; "" where there is none
    std::vector<std::string> next;  ///< commands
};

/// The metrics that are measured where none is named: those of the screen. `given_k`: top-k of
/// these k in place of 1 and 5; `label_sets`: images may have several valid classes.
std::vector<std::string> eval_metrics(std::size_t classes, bool given_k = false,
                                      bool label_sets = false);

/// Measures complete stores of one data set and fills what comes from scores: `models` are there
/// already, in the order of the stores. Every estimate of a model that is not settled() is marked
/// in its note. Same numbers as score_stores() and compare_opened().
void measure(EvalResult& result, std::span<const PredictionStore* const> stores,
             const MeasureOptions& options, const ProgressCallback& progress = {});

/// One screen. JSON: assay.eval/1. CSV: a line for each metric of each model.
Report report_of(const EvalResult& result);

}  // namespace assay
