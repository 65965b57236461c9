// assay torch: shows which LibTorch runs models, and builds a plug-in for another one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/model/libtorch.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view torch_examples = R"(
assay torch
assay torch --build
assay torch --build --python ~/venv/bin/python3
Torch_DIR=~/libtorch assay torch --build
assay torch --remove
)";

void build(const LibTorchOptions& options) {
    const std::vector<LibTorch> all = find_libtorch(options);
    const LibTorch& libtorch = chosen_libtorch(all, options);
    note(fmt::format("compiling the plug-in for LibTorch {} in {}: half a minute or more",
                     libtorch.version, libtorch.root.string()));
    const BuiltPlugin built = build_torch_plugin(libtorch, options);
    note(
        fmt::format("{} after {:.0f} s by {}", built.file.string(), built.seconds, built.compiler));
    if (!built.without_onnx.empty())
        warn("ONNX models cannot run: " + built.without_onnx +
             ". TorchScript and torch.export models can");
}

}  // namespace

int cmd_torch(std::vector<std::string> arguments) {
    auto app =
        make_app("torch",
                 "Show which LibTorch runs models, which others are installed, and why they are "
                 "not used. --build compiles Assay's plug-in for the first of: Torch_DIR, the "
                 "package torch of the active Python (`pip install torch`), the distribution's. It "
                 "takes half a minute and needs a C++20 compiler. The plug-in is written to your "
                 "home folder, needs no root rights, and takes precedence over the installed one.",
                 torch_examples);
    LibTorchOptions options;
    bool building = false, removing = false;
    Output output;
    auto* build_flag = app->add_flag("--build", building, "Compile and install the plug-in");
    app->add_flag("--remove", removing,
                  "Remove the plug-in that --build made: the installed one runs models again")
        ->excludes(build_flag);
    app->add_option("--python", options.python,
                    "Python with the package torch to use (default: python3 on the PATH)")
        ->type_name("PYTHON");
    app->add_option(
           "--folder", options.folder,
           "Folder where --build writes the plug-in and --remove looks for it; set "
           "ASSAY_PLUGIN_DIR to it (default: your plug-in folder, which is always searched)")
        ->type_name("FOLDER");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (building) build(options);
    if (removing) note(remove_torch_plugin(options) ? "removed" : "there was none");
    output.print(report_of(torch_state(options)));
    return Status::done;
}

}  // namespace assay::cli
