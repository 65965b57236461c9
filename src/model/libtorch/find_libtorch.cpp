// The search order for LibTorch. cmake/torch.cmake uses the same order.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "assay/error.h"
#include "assay/model/libtorch.h"
#include "model/libtorch/libtorch_places.h"
#include "model/libtorch/python.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

LibTorch place_of(LibTorchSource source, std::string asked, fs::path root) {
    LibTorch place;
    place.source = source;
    place.asked = std::move(asked);
    place.root = std::move(root);
    return place;
}

LibTorch of_python(const std::string& python) {
    TorchOfPython torch = torch_of_python(python);
    LibTorch place = place_of(LibTorchSource::python, python, std::move(torch.folder));
    if (place.root.empty()) {
        place.unusable = std::move(torch.why_not);
    } else {
        examine(place);
    }
    return place;
}

LibTorch of_distribution() {
    LibTorch place = place_of(LibTorchSource::distribution, "the distribution", "/usr");
    examine(place);
    if (place.libraries.empty()) {
        place.root.clear();
        place.unusable =
            "the development files are not installed (libtorch-dev, if the distribution has it)";
    }
    return place;
}

bool was_named(const LibTorch& place, const LibTorchOptions& options) {
    return place.source == LibTorchSource::torch_dir ||
           (place.source == LibTorchSource::python && !options.python.empty());
}

}  // namespace

std::vector<LibTorch> find_libtorch(const LibTorchOptions& options) {
    std::vector<LibTorch> all;
    const char* torch_dir = std::getenv("Torch_DIR");
    if (torch_dir != nullptr && *torch_dir != '\0') {
        all.push_back(
            place_of(LibTorchSource::torch_dir, "Torch_DIR", root_of_torch_dir(torch_dir)));
        examine(all.back());
    }
    all.push_back(of_python(options.python.empty() ? "python3" : options.python.string()));
    all.push_back(of_distribution());
    // A Python that the user named takes precedence over a leftover variable.
    if (!options.python.empty())
        std::stable_partition(all.begin(), all.end(), [](const LibTorch& place) {
            return place.source == LibTorchSource::python;
        });
    return all;
}

const LibTorch& chosen_libtorch(const std::vector<LibTorch>& all, const LibTorchOptions& options) {
    std::string reasons;
    for (const LibTorch& place : all) {
        if (place.unusable.empty()) return place;
        if (was_named(place, options))
            throw Error(ErrorCode::usage, fmt::format("{}: {}", place.asked, place.unusable));
        reasons +=
            fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", place.asked, place.unusable);
    }
    throw Error(ErrorCode::usage,
                fmt::format("there is no LibTorch to compile the plug-in for ({}); install one "
                            "with `pip install torch`, or set Torch_DIR",
                            reasons));
}

}  // namespace assay
