// assay version: shows the build, and what it finds on this machine.
#include <CLI/CLI.hpp>

#include "assay/evaluate/about.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view version_examples = R"(
assay version
assay version --json
assay version --devices
)";

}  // namespace

int cmd_version(std::vector<std::string> arguments) {
    auto app = make_app("version",
                        "Show the build and what it finds on this machine: commit, compiler, "
                        "vector instructions, plug-ins for LibTorch and MPI. The first line is "
                        "only the version. `assay --version` is short for it.",
                        version_examples);
    bool devices = false;
    Output output;
    app->add_flag("--devices", devices,
                  "Open LibTorch, which takes half a second, and ask it for CUDA devices");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    output.print(report_of(about_assay(devices)));
    return Status::done;
}

}  // namespace assay::cli
