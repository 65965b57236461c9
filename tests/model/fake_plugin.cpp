// Imitates the plug-in of another release, or, without FAKE_BUILD, a library that is not a plug-in.
#include "model/plugin.h"

#ifdef FAKE_BUILD
extern "C" const assay::TorchPlugin* assay_torch_plugin_v1() {
    static const assay::TorchPlugin plugin = {assay::kPluginInterface,
                                              "assay 0.0.0, C++ ABI 1, 1/2/3",
                                              "none",
                                              nullptr,
                                              nullptr,
                                              nullptr};
    return &plugin;
}
#endif
