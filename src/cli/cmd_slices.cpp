// assay slices: finds images on which a classifier is less accurate than on the rest.
#include <CLI/CLI.hpp>

#include "assay/slices/slices.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/print_result.h"

namespace assay::cli {
namespace {

constexpr std::string_view slices_examples = R"(
assay slices runs/val
assay slices runs/val/resnet50 -d imagenet/val
assay slices runs/val --labels real.json --without-images
assay slices runs/val --cluster patient
assay slices runs/val --csv -o slices.csv
)";

}  // namespace

int cmd_slices(std::vector<std::string> arguments) {
    auto app = make_app("slices",
                        "Find slices of the images on which a model is less accurate than on the "
                        "rest. Slices are by attribute, pixels (brightness, sharpness, size, "
                        "aspect), number of labels, label, predicted class, and pairs of these. "
                        "One half of the images selects slices, the other confirms them. "
                        "Status 3: some images have no scores.",
                        slices_examples);
    slices::SliceOptions options;
    add_stores(*app, options.stores);
    add_options(*app, options);
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    return print_result(output, "slices", "images", [&](const ProgressCallback& line) {
        return slices::find_slices(options, line);
    });
}

}  // namespace assay::cli
