// assay corrupt: copies of a data set under common corruptions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/robustness/corrupt_dataset.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/profile_option.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view corrupt_examples = R"(
assay corrupt imagenet/val --out imagenet-c-like
assay corrupt imagenet/val --out blurred --corruptions blur --severities 1,3,5
assay corrupt imagenet/val --out artefact --corruptions paper --frost frost-photographs --jpeg 85
assay corrupt imagenet/val --sheet sheet.png --first 1
assay corrupt cifar10/test --out cifar-c --corruptions noise,digital
assay corrupt imagenet/val --out small --resize 32 --crop 32 --profile cifar
assay predict --model resnet50.pt --preset torchvision --data blurred/*/* --resize-size 224 --out runs
)";

}  // namespace

int cmd_corrupt(std::vector<std::string> arguments) {
    auto app = make_app(
        "corrupt",
        "Write copies of a data set under the common corruptions of ImageNet-C (Hendrycks "
        "and Dietterich 2019). There are 15 and 4 extra ones at 5 severities: "
        "OUT/<corruption>/<severity>/<class>/<image>. Smaller images get the parameters of "
        "CIFAR-10-C or Tiny-ImageNet-C. The same seed gives the same bytes. "
        "The same command resumes after an interruption and skips what is done. Status 3: "
        "some images or versions were skipped (counted and listed).",
        corrupt_examples);
    CorruptOptions options;
    Output output;
    app->add_option("data", options.data, "Data set: a folder of images, or a csv list")
        ->required()
        ->type_name("DATA");
    app->add_option("--list", options.list, "File with its labels")->type_name("FILE");
    SampleFlags sample;
    add_options(*app, sample);
    const std::string how = "Corruptions";
    app->add_option("--corruptions", options.corruptions,
                    "Names (docs/robustness.md), or noise, blur, weather, digital, paper (15), "
                    "extra (4), all (19)")
        ->type_name("CORRUPTIONS")
        ->delimiter(',')
        ->capture_default_str()
        ->group(how);
    add_options(*app, options.plugins, how);
    app->add_option("--severities", options.severities, "Severities, from 1 to 5")
        ->delimiter(',')
        ->capture_default_str()
        ->group(how);
    app->add_option("--seed", options.seed,
                    "Seed of the corruptions; random draws also depend on the image's id, the "
                    "corruption and the severity")
        ->transform(decimal_number())
        ->capture_default_str()
        ->group(how);
    app->add_option("--frost", options.frost,
                    "Folder of photographs for frost; without it frost_synthetic, which is not "
                    "part of ImageNet-C, replaces it")
        ->type_name("FOLDER")
        ->group(how);
    add_profile_option(*app, "--profile", options.profile)->group(how);
    app->add_option("--resize", options.window.resize,
                    "Short side before the crop, pixels, antialiased bilinear; 0: no resize "
                    "(default: 256, or 0 in the profiles of smaller images)")
        ->type_name("PIXELS")
        ->check(not_below_zero())
        ->group(how);
    app->add_option("--crop", options.window.crop,
                    "Side of the centre crop; 0: all of it (default: 224, or 0 in the profiles of "
                    "smaller images)")
        ->type_name("PIXELS")
        ->check(not_below_zero())
        ->group(how);
    const std::string results = "Results";
    auto* const made = app->add_option("--out", options.out, "Folder to make");
    made->type_name("FOLDER")->group(results);
    app->add_option("--jpeg", options.jpeg_quality,
                    "Write JPEG (4:2:0) of this quality, 1 to 100, instead of PNG; the published "
                    "set has 85, which makes noise milder")
        ->type_name("QUALITY")
        ->needs(made)
        ->group(results);
    auto* const sheet =
        app->add_option("--sheet", options.sheet,
                        "Write one image under every corruption (rows) and severity (columns)")
            ->type_name("FILE.png")
            ->group(results);
    app->add_option("--image", options.sheet_image, "Id of that image (default: the first)")
        ->type_name("ID")
        ->needs(sheet)
        ->group(results);
    app->add_option("-j,--threads", options.threads,
                    "Threads (default: one per core); the output is the same for any number")
        ->type_name("N")
        ->check(not_below_zero())
        ->group(results);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    sample.check();
    options.limit = sample.limit;
    options.sample_seed = sample.sample_seed;
    options.first = sample.first;
    if (options.out.empty() && options.sheet.empty())
        throw Error(ErrorCode::usage, "no --out and no --sheet given; see `assay corrupt --help`");

    ProgressLine line("corrupt", "files");
    const CorruptResult result = corrupt_dataset(options, line);
    line.finish();
    for (const std::string& text : result.notes) note(text);
    const Report report = report_of(result);
    output.print(report);
    if (!result.options.out.empty()) {
        const std::string out = as_typed(result.options.out.string());
        const int crop = result.options.window.crop;
        note(crop == 0
                 ? fmt::format("evaluate all of it:\n  assay predict --model MODEL --data {}/*/* "
                               "--out runs",
                               out)
                 : fmt::format("evaluate all of it with a model whose input is {0} x {0} (for "
                               "another input, replace {0} by its side):\n  assay predict --model "
                               "MODEL --data {1}/*/* --resize-size {0} --out runs",
                               crop, out));
    }
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
