// assay predict: runs classifiers over images and stores their predictions.
#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/inputs.h"
#include "cli/prediction.h"
#include "cli/profile_option.h"
#include "cli/ranks.h"
#include "data/archives.h"
#include "data/dataset_name.h"

namespace assay::cli {
namespace {

constexpr std::string_view predict_examples = R"(
assay predict --model resnet50.pt --preset torchvision --data imagenet/val --out runs
assay predict -m a.pt -m b.onnx -d val -d imagenet-v2 --out runs
assay predict -m m.pt -d flat --list val.csv --storage top20 --batch 32 --out runs
assay predict -m m.pt -d val --out runs --limit 5000
assay predict -m m.pt -d 'imagenet-1k/data/validation-{00000..00013}-of-00014.parquet' --out runs
assay predict -m m.pt -d val --out runs --until "half_width(top1) <= 1%"
assay predict -m m.pt -d val --out runs --part 7/100
assay predict -m m.pt -d val --out runs-fp16 --device cuda:0,1 --precision fp16 --batch 256
assay predict -m m.pt -d val --out runs --dry-run
assay predict -m m.pt -d val --out runs && assay predict -m m.pt -d val --corrupt all --out runs
assay predict -m m.pt -d val --corrupt noise,fog --severities 1,3,5 --limit 5000 --out runs
assay predict -m m.pt -d val --corrupt paper --frost frost-photographs --corrupt-jpeg 85 --out runs
)";

/// Adds --corrupt and the options that belong to it.
struct CorruptFlags {
    CorruptionSettings settings;
    std::string transform = "crop";

    void add_to(CLI::App& app) {
        settings.corruptions.clear();
        const std::string group = "Corruptions (docs/robustness.md)";
        auto* corrupt =
            app.add_option("--corrupt", settings.corruptions,
                           "Predict corrupted versions of the images, made in memory: names, or "
                           "noise, blur, weather, digital, paper (15), extra (4), all (19)")
                ->delimiter(',')
                ->type_name("CORRUPTIONS")
                ->group(group);
        const auto add = [&](const char* name, auto& value, const char* what) {
            return app.add_option(name, value, what)->needs(corrupt)->group(group);
        };
        add_options(app, settings.plugins, group);
        app.get_option("--plugin")->needs(corrupt);
        add("--severities", settings.severities, "Severities, from 1 to 5")
            ->delimiter(',')
            ->capture_default_str();
        add("--seed", settings.seed,
            "Seed of the corruptions; random draws also depend on the image's id, the corruption "
            "and the severity")
            ->transform(decimal_number())
            ->capture_default_str();
        add("--frost", settings.frost,
            "Folder of photographs for frost; without it frost_synthetic, which is not part of "
            "ImageNet-C, replaces it")
            ->type_name("FOLDER");
        add_profile_option(app, "--corrupt-profile", settings.profile)
            ->needs(corrupt)
            ->group(group);
        add("--corrupt-resize", settings.window.resize,
            "Short side before the corruption, pixels; 0: no resize (default: 256, or 0 in the "
            "profiles of smaller images)")
            ->type_name("PIXELS")
            ->check(not_below_zero());
        add("--corrupt-crop", settings.window.crop,
            "Side of the centre crop that is corrupted; 0: all of it (default: 224, or 0 in the "
            "profiles of smaller images)")
            ->type_name("PIXELS")
            ->check(not_below_zero());
        add("--corrupt-jpeg", settings.jpeg_quality,
            "JPEG quality of each version, 1 to 100; the published set has 85, which makes noise "
            "milder")
            ->type_name("QUALITY");
        add("--corrupt-transform", transform,
            "Preprocessing of corrupted images. crop: scale to the model's input, as published; "
            "model: the model's resize and crop (also chosen by --resize-size, --crop-pct)")
            ->check(CLI::IsMember({"crop", "model"}))
            ->capture_default_str();
    }
    bool given() const { return !settings.corruptions.empty(); }
};

}  // namespace

int cmd_predict(std::vector<std::string> arguments) {
    auto app = make_app(
        "predict",
        "Run classifiers over images and store their predictions. The same command resumes after "
        "an interruption and skips what is done; unreadable images are retried.",
        predict_examples);
    ModelFlags models;
    DataFlags data;
    StoreFlags store;
    Output output;
    models.add_to(*app);
    data.add_to(*app);
    const std::size_t input_options = app->get_options().size();
    store.add_to(*app);
    std::string until;
    app->add_option(
           "--until", until,
           "Predict a sample that is large enough for this condition, e.g. \"half_width(top1) <= "
           "0.01\"; a pilot of 400 determines its size (Stein's two stages)")
        ->type_name("CONDITION")
        ->excludes(app->get_option("--limit"))
        ->excludes(app->get_option("--first"))
        ->group("Images");
    std::string part;
    app->add_option("--part", part,
                    "Predict only part I of N of the images. Parts may run at the same time, on "
                    "all machines that share --out; assay join makes them one store")
        ->type_name("I/N")
        ->excludes(app->get_option("--until"))
        ->group("Store");
    CorruptFlags corrupt;
    corrupt.add_to(*app);
    app->get_option("--until")->excludes(app->get_option("--corrupt"));
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    data.skip_label_files();
    require_inputs(models, data, "predict");
    data.sample.check(!until.empty());

    if (!until.empty() && ranks().size() > 1)
        throw Error(ErrorCode::usage, "--until needs a single process: start it without mpirun");
    if (!part.empty()) store.options.part = parse_part(part);
    data.index_folder = archive_index_folder(store.options.runs);
    data.names_parts = data.name.empty();
    data.runs = store.options.runs;
    const std::optional<Until> enough =
        until.empty() ? std::nullopt : std::optional(parse_until(until));
    models.draw(store.options.runs, !store.dry_run);
    models.classes_of_data = classes_of(data);
    std::vector<ModelSpec> specs = models.resolve();
    if (corrupt.given()) {
        check(corrupt.settings);
        if (!corrupt.settings.frost.empty()) read_frost_photographs(corrupt.settings.frost);
        const bool own = app->count("--resize-size") + app->count("--crop-pct") > 0;
        for (ModelSpec& spec : specs) {
            spec.preprocess = corrupted_preprocess(
                spec.preprocess, corrupted_transform_named(own ? "model" : corrupt.transform));
        }
    }
    if (store.dry_run) {
        if (corrupt.given()) {
            note(describe_versions(CorruptedVersions(corrupt.settings)) +
                 (corrupt.settings.profile || corrupt.settings.window.crop > 0
                      ? ""
                      : "; smaller images get the parameters of their size"));
        }
        output.print(plan_report_of(specs));
        return Status::done;
    }
    Prediction prediction(store.options, models.opening());
    prediction.load(specs);
    std::string said;
    TypedPrediction typed{"predict", {}, "", typed_options(*app, input_options)};
    for (const std::filesystem::path& file : models.files) typed.models.push_back(file.string());
    for (std::size_t i = 0; i < data.folders.size(); ++i) {
        const Dataset dataset = data.open(i, prediction.classes());
        typed.data = data.folders[i].string();
        typed.inspect = data.inspect_command(i);
        prediction.typed(typed);
        if (corrupt.given()) {
            const CorruptedVersions versions(corrupt.settings, dataset);
            const std::string described = describe_versions(versions);
            if (std::exchange(said, described) != described) note(described);
            for (const std::string& text : versions.notes()) note(text);
            if (const std::string text = versions.left_out_note(); !text.empty()) note(text);
            prediction.over(dataset, versions);
            continue;
        }
        if (!enough) {
            prediction.over(dataset);
            continue;
        }
        const std::uint64_t seed = data.sample.sample_seed;
        Dataset sample = prediction.enough(dataset, *enough, seed);
        if (sample.size() < dataset.size())
            data.name_part(sample, name_of_sample(dataset.name, sample.size(), seed));
        prediction.over(sample);
    }
    prediction.print(output);
    return prediction.status();
}

}  // namespace assay::cli
