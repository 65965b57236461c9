// What the LibTorch plug-in and the program that opens it must agree on. Nothing of LibTorch stands
// here.
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

/// The images of a training as the plug-in sees them: planes of bytes, n x 3 x side x side.
struct TrainingImages {
    std::span<const std::uint8_t> pixels;
    std::span<const std::int32_t> labels;  ///< n, in [0, classes)
    std::uint32_t classes = 0;
    double mean = 0.5, std = 0.25;  ///< of the input's normalisation, every channel
};

/// A trained network: its report (without files), and TorchScript files as bytes.
struct TrainedNetwork {
    TrainReport report;
    std::string file;
    std::string calibrated_file;  ///< empty without TrainSpec::calibrated_copy
};

/// Called after each batch with the images it held; throws to stop the training.
using TrainTick = std::function<void(std::uint64_t images)>;

/// The interface passes C++ objects, so both sides must come from one release, compiled alike. The
/// first two fields never change their place: they are read before anything else is believed.
struct TorchPlugin {
    std::uint32_t interface_version;
    const char* build;  ///< plugin_build() of the plug-in
    const char* framework;
    std::unique_ptr<Classifier> (*open)(const ModelSpec& spec, const ClassifierOptions& options);
    TrainedNetwork (*train)(const TrainingImages& images, const TrainSpec& spec, double attack,
                            const TrainTick& tick);
    CudaFacts (*cuda)();
};

inline constexpr std::uint32_t kPluginInterface = 6;
inline constexpr const char* kPluginEntry = "assay_torch_plugin_v1";
inline constexpr const char* kPluginFile = "libassay_torch.so";
/// What a build without the plug-in and its sources (ASSAY_TORCH=OFF, as in wheels) says of model
/// files.
inline constexpr const char* kWithoutTorch =
    "this build of assay has no LibTorch plug-in and only runs models in Python; for model files, "
    "build from source: `pip install .`";

/// Stands in the plug-in's file before the name of its framework, up to a line end: what the file
/// says without being opened.
#define ASSAY_FRAMEWORK_MARK "assay_torch_plugin runs models by "

/// Whose std::string passes through the interface. The version of the compiler's C++ ABI
/// (__GXX_ABI_VERSION) is no part of it: from GCC 12 to the newest, and in Clang, it differs in
/// corner cases (names of lambdas, fields that end in padding) that nothing here meets, and a
/// plug-in may be compiled by another compiler than the program was.
#if defined(_LIBCPP_VERSION)
inline constexpr const char* standard_library = "libc++";
#elif _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* standard_library = "libstdc++ with the C++11 ABI";
#else
inline constexpr const char* standard_library = "libstdc++ without the C++11 ABI";
#endif

/// Release, standard library and the sizes of what is passed: a mismatch of any is a mismatch of
/// the interface.
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

/// Where plug-ins are looked for, in this order: in ASSAY_PLUGIN_DIR alone where that is set; else
/// in user_plugin_folder(), unless this program is run where it was built, then in the usual
/// folders.
std::vector<std::filesystem::path> torch_plugin_folders();

/// Where `assay torch --build` puts the plug-in of this build for the user:
/// $XDG_DATA_HOME/assay/plugins/0.1.0-<8 digits that stand for plugin_build()>, by default below
/// ~/.local/share; "" without a home.
std::filesystem::path user_plugin_folder();

/// The plug-in, opened on first use. Throws usage when there is none or it is not this program's.
const TorchPlugin& opened_plugin();

/// Where the plug-in lies, without opening it. Throws usage when there is none.
std::filesystem::path find_plugin();
/// What that file says of itself, and what stands beside it.
FrameworkFile framework_file_at(const std::filesystem::path& plugin);
/// Opens that file. Throws usage when it is no plug-in, not this program's, or its
/// LibTorch is not what it was built for.
const TorchPlugin& plugin_at(const std::filesystem::path& path);

}  // namespace assay
