// What the LibTorch plug-in and the program that opens it must agree on. Nothing of LibTorch stands here.
#pragma once

#include <cstdint>
#include <memory>

#include "assay/classifier.h"
#include "assay/version.h"

namespace assay {

/// The interface passes C++ objects, so both sides must come from one release, compiled alike. The first two fields
/// never change their place: they are read before anything else is believed.
struct TorchPlugin {
    std::uint32_t interface_version;
    const char* build;  ///< plugin_build() of the plug-in
    const char* framework;
    std::unique_ptr<Classifier> (*open)(const ModelSpec& spec, const ClassifierOptions& options);
};

inline constexpr std::uint32_t kPluginInterface = 1;
inline constexpr const char* kPluginEntry = "assay_torch_plugin_v1";
inline constexpr const char* kPluginFile = "libassay_torch.so";

#define ASSAY_TEXT_OF(x) #x
#define ASSAY_TEXT(x) ASSAY_TEXT_OF(x)

/// Release, C++ ABI and the sizes of what is passed: a mismatch of any is a mismatch of the interface.
struct PluginBuild {
    const char* release = version;
    const char* compiler_abi = ASSAY_TEXT(__GXX_ABI_VERSION);
    std::size_t spec = sizeof(ModelSpec);
    std::size_t facts = sizeof(ModelFacts);
    std::size_t options = sizeof(ClassifierOptions);
};

#undef ASSAY_TEXT
#undef ASSAY_TEXT_OF

/// As one comparable line, for example "assay 0.1.0, C++ ABI 1017, 512/96/32".
inline std::string plugin_build() {
    const PluginBuild b;
    return std::string("assay ") + b.release + ", C++ ABI " + b.compiler_abi + ", " + std::to_string(b.spec) + "/" +
           std::to_string(b.facts) + "/" + std::to_string(b.options);
}

}  // namespace assay
