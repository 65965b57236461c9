// The interface between the LibTorch plug-in and the program that opens it. This header does not
// depend on LibTorch.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/model/classifier.h"
#include "assay/model/train.h"
#include "assay/version.h"

namespace assay {

/// The training images for the plug-in: planes of bytes, n x 3 x side x side.
struct TrainingImages {
    std::span<const std::uint8_t> pixels;
    std::span<const std::int32_t> labels;  ///< n, in [0, classes)
    std::uint32_t classes = 0;
    double mean = 0.5, std = 0.25;  ///< for normalizing the input; the same for every channel
};

/// A trained network: its report (without files), and its TorchScript files as bytes.
struct TrainedNetwork {
    TrainReport report;
    std::string file;
    std::string calibrated_file;  ///< empty without TrainSpec::calibrated_copy
};

/// Called after each batch with its number of images; throws to stop the training.
using TrainTick = std::function<void(std::uint64_t images)>;

/// The interface passes C++ objects, so both sides must come from the same release, compiled alike.
/// The first two fields must never move, because they are read before the rest is trusted.
struct TorchPlugin {
    std::uint32_t interface_version;
    const char* build;  ///< the plug-in's own plugin_build()
    const char* framework;
    std::unique_ptr<Classifier> (*open)(const ModelSpec& spec, const ClassifierOptions& options);
    TrainedNetwork (*train)(const TrainingImages& images, const TrainSpec& spec, double attack,
                            const TrainTick& tick);
    CudaFacts (*cuda)();
};

inline constexpr std::uint32_t kPluginInterface = 6;
inline constexpr const char* kPluginEntry = "assay_torch_plugin_v1";
inline constexpr const char* kPluginFile = "libassay_torch.so";
/// The answer to model files in a build without the plug-in and its sources (ASSAY_TORCH=OFF, as in
/// wheels).
inline constexpr const char* kWithoutTorch =
    "this build of assay has no LibTorch plug-in and only runs models in Python; for model files, "
    "build from source: `pip install .`";

/// This mark precedes the name of the framework in the plug-in's file, which ends at a newline. So
/// the name can be read without opening the plug-in.
#define ASSAY_FRAMEWORK_MARK "assay_torch_plugin runs models by "

/// The kind of std::string in the interface. The compiler's C++ ABI version (__GXX_ABI_VERSION) is
/// not included, because a plug-in may be compiled with another compiler. Between GCC 12, later
/// versions and Clang, it differs only in corner cases that do not occur here. These are names of
/// lambdas, and fields that end in padding.
#if defined(_LIBCPP_VERSION)
inline constexpr const char* standard_library = "libc++";
#elif _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* standard_library = "libstdc++ with the C++11 ABI";
#else
inline constexpr const char* standard_library = "libstdc++ without the C++11 ABI";
#endif

/// Release, standard library and the sizes of what is passed. If any differs, the interfaces do not
/// match.
struct PluginBuild {
    const char* release = version;
    const char* library = standard_library;
    std::size_t spec = sizeof(ModelSpec);
    std::size_t facts = sizeof(ModelFacts);
    std::size_t options = sizeof(ClassifierOptions);
    std::size_t training = sizeof(TrainSpec) + sizeof(TrainedNetwork);
    std::size_t cost = sizeof(ModelCost) + sizeof(NodeCost) + sizeof(OperatorCost);
};

/// As one comparable line: "assay 0.1.0, libstdc++ with the C++11 ABI, 512/96/32/600/300".
inline std::string plugin_build() {
    const PluginBuild b;
    return fmt::format("assay {}, {}, {}/{}/{}/{}/{}", b.release, b.library, b.spec, b.facts,
                       b.options, b.training, b.cost);
}

/// The search order for plug-ins: if ASSAY_PLUGIN_DIR is set, only there. Otherwise in
/// user_plugin_folder(), unless this program runs from its build folder, and then in the usual
/// folders.
std::vector<std::filesystem::path> torch_plugin_folders();

/// The place where `assay torch --build` installs this build's plug-in for the user:
/// $XDG_DATA_HOME/assay/plugins/0.1.0-<8 digits for plugin_build()>, by default below
/// ~/.local/share; "" without a home.
std::filesystem::path user_plugin_folder();

/// The plug-in, opened on first use. Throws usage if there is none or if it does not match this
/// program.
const TorchPlugin& opened_plugin();

/// The path of the plug-in, without opening it. Throws usage if there is none.
std::filesystem::path find_plugin();
/// The plug-in's own description in its file, and the record next to it.
FrameworkFile framework_file_at(const std::filesystem::path& plugin);
/// Opens that file. Throws usage if it is no plug-in, does not match this program, or if its
/// LibTorch was replaced.
const TorchPlugin& plugin_at(const std::filesystem::path& path);

}  // namespace assay
