// Evaluates a model on images. It determines how the input is prepared, reports the problems that
// are visible before a long run, and ends with a report of one screen.
//
// Settings that are given (flags, a settings file, the model's own settings) are used. Otherwise
// the usual ways (presets()) are tried on a few labelled images, which are selected by the hashes
// of their ids. The images that determined the choice are excluded from the reported numbers,
// because a number on them would be too good.
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

/// Opens a model with other settings: the settings given here override all others.
struct ModelOpener {
    std::function<ModelSpec(const ModelSettings& settings)> resolve;
    std::function<LoadedModel(ModelSpec spec)> open;
};

/// One way to prepare the input.
struct PreprocessingWay {
    ModelSettings settings;    ///< the model settings that it implies
    std::string options;       ///< the same as command-line options: "--preset mobilenet-160"
    Preprocess preprocess;     ///< the complete preprocessing
    std::uint64_t images = 0;  ///< number of images that it was tried on
    std::uint64_t correct = 0;
};

struct PreprocessingChoice {
    enum class Outcome {
        given,        ///< nothing was searched
        told_apart,   ///< one way is better than each other way
        not_settled,  ///< the best two cannot be distinguished and differ by less than a point
        undecided,    ///< the best two cannot be distinguished and differ by more
        at_chance,    ///< no way is better than chance
        no_labels,    ///< there are too few labelled images to search with
    };
    Outcome outcome = Outcome::given;
    std::optional<PreprocessingWay> best, runner_up;
    std::size_t tried = 0;    ///< number of ways; ways that give the same pixels count once
    std::size_t refused = 0;  ///< number of ways whose input size the model rejects
    /// The p value of the best way against the runner-up, from the exact McNemar test. It is
    /// Holm-adjusted over the ways tried, and multiplied by the number of times that the test may
    /// be made (SearchOptions::level).
    double p = 1;
    std::optional<Estimate> difference;  ///< best minus runner-up, with the interval of the pairs
    std::vector<std::uint32_t> items;    ///< items of the data set that determined the choice,
                                         ///< ascending
    /// The `items` that the model cannot compute: "id (why)". They count as incorrect for all
    /// ways.
    std::vector<std::string> failed;
    std::optional<Finding> order;  ///< with at_chance: classes in another order explain it
    double seconds = 0;

    /// Returns true if a number may be reported.
    bool usable() const { return outcome <= Outcome::not_settled; }
    bool searched() const { return outcome != Outcome::given; }
};
/// Returns "given", "told_apart", "not_settled", ...
std::string_view name_of(PreprocessingChoice::Outcome);

struct SearchOptions {
    int threads = 0;         ///< 0 means one thread per core
    std::size_t batch = 8;   ///< images that go through the model together
    std::size_t first = 64;  ///< number of labelled images to begin with
    /// The largest number of labelled images to use, but no more than a tenth of the data set. At
    /// most half of the labelled images are used: the other half is for the numbers.
    std::size_t most = 512;
    std::size_t fewest = 10;  ///< if half of the labelled images is fewer than this, there is no
                              ///< search
    double level = 0.05;      ///< level of all tests together: each doubling of the images adds a
                              ///< test
    double close = 0.01;      ///< a difference below this may remain undecided
};

/// Returns the command as it was typed, with these options added. They replace typed options of the
/// same names. "" returns the command as it was typed.
using CommandWith = std::function<std::string(const std::string& options)>;

/// Opens the model at the first usual input size that it accepts. If it accepts none, throws the
/// opener's error for the first size.
LoadedModel open_at_any_size(const ModelOpener& opener);

/// Tries the usual ways. The choice is the same for any number of threads. Progress counts (image,
/// way) pairs. Throws the opener's errors except for rejected sizes; bad_input for an empty data
/// set. Cost: each way runs `first` images; ways that remain candidates run more.
PreprocessingChoice choose_preprocessing(const ModelOpener& opener, const Dataset& dataset,
                                         const SearchOptions& options = {},
                                         const ProgressCallback& progress = {});

/// One line for people: the choice, the alternatives, and how certain it is.
std::string describe(const PreprocessingChoice& choice);
/// For a choice that is not usable: explains why there is no number, and ends with the commands to
/// choose from.
std::string why_stopped(const PreprocessingChoice& choice, const std::string& model,
                        const CommandWith& command);

struct GuardOptions {
    bool searched = false;  ///< the preprocessing was found on these images, so it is not
                            ///< questioned
    bool mixes = false;     ///< the result of batches_mix(), unless images go through the model
                            ///< alone anyway
    bool alone = false;     ///< one image at a time
    int threads = 0;        ///< 0 means one per core
};
struct EvalGuards {
    std::vector<Finding> findings;  ///< only warnings and errors
    std::uint32_t batch = 0;        ///< 1: an image gets its own scores only in a batch of one; 0:
                                    ///< any batch works
};
/// The cheap checks of check_model(): classes, outputs, order, pixel values (unless `searched`) and
/// batches, on 32 images. Throws bad_input if scores depend on the batch and single images do no
/// better.
EvalGuards guard_model(const LoadedModel& model, const Dataset& dataset,
                       const GuardOptions& options);
/// One line that ends with what to type. `check` is the command for all checks.
std::string warning_text(const Finding& finding, const CommandWith& command,
                         const std::string& check);

/// An image whose label the models contradict: all of them predict another class.
struct DoubtedLabel {
    std::string id, label, predicted;  ///< class names; with several models, from the first
    double label_probability = 0;      ///< mean over the models
    double predicted_probability = 0;  ///< mean over the models, for each model's own predicted
                                       ///< class
};
/// An image without a label for which models differ or, with one model, the model is least sure.
struct UnsureItem {
    std::string id;
    std::vector<std::string> predicted;  ///< by model
    std::vector<double> confidence;      ///< by model
};

/// The mark of numbers that depend on a choice that images could not settle.
inline constexpr std::string_view not_settled_mark = "preprocessing not settled";

struct EvaluatedModel {
    std::string model;
    std::filesystem::path store;
    std::string preprocessing;  ///< describe(ModelSpec)
    PreprocessingChoice choice;
    std::string check;                  ///< the command for all checks; "" names none
    std::vector<std::string> warnings;  ///< lines that end with what to type
    std::vector<Measurement> measurements;
    std::vector<ClassResult> worst_classes;  ///< least accurate first
    /// Describes whether confidence is above or below accuracy; "" if one of them is missing.
    std::string calibration;
    Estimate confidence;  ///< mean probability of the predicted class
    /// Images without scores, including those of PreprocessingChoice::failed.
    std::uint64_t unreadable = 0;

    bool settled() const { return choice.outcome != PreprocessingChoice::Outcome::not_settled; }
};

struct EvalResult {
    std::string dataset;
    std::uint64_t items = 0;
    std::uint64_t labelled = 0;
    std::uint64_t left_out = 0;  ///< images that determined the preprocessing
    std::vector<EvaluatedModel> models;
    std::optional<CompareResult> comparison;  ///< for labelled images and several models
    std::vector<DoubtedLabel> doubted_labels;
    std::vector<UnsureItem> unsure;     ///< unsure unlabelled images
    std::optional<Estimate> agreement;  ///< proportion of images for which all models predict the
                                        ///< same
    std::vector<GateResult> gates;
    std::vector<std::string> notes;
    std::filesystem::path report;   ///< the HTML page; "" if there is none
    std::vector<std::string> next;  ///< commands
};

/// The default metrics, which are those of the screen. With `given_k`, top-k uses these k instead
/// of 1 and 5; `label_sets` means that images may have several valid classes.
std::vector<std::string> eval_metrics(std::size_t classes, bool given_k = false,
                                      bool label_sets = false);

/// Measures complete stores of one data set and fills the fields that depend on scores. `models`
/// must have one entry per store. Estimates of models that are not settled() get a mark in their
/// notes. The numbers are the same as those of score_stores() and compare_opened().
void measure(EvalResult& result, std::span<const PredictionStore* const> stores,
             const MeasureOptions& options, const ProgressCallback& progress = {});

/// The report fits one screen. JSON: assay.eval/1. The CSV has a line for each metric of each
/// model.
Report report_of(const EvalResult& result);

}  // namespace assay
