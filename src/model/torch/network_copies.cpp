// Makes a copy of a model's network for each device, and chooses the precision.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "assay/error.h"
#include "model/torch/lanes.h"
#include "model/torch/network.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {

std::string precision_note(at::ScalarType given, const ComputeOn& where) {
    if (!is_half(given) || is_half(where.type)) return "";
    return fmt::format(
        "the model's weights have half precision ({}); {}Assay computes in single precision",
        given == at::kHalf ? "float16" : "bfloat16",
        where.device.is_cpu() ? "on a CPU " : "unless another precision is set, ");
}

ComputeOn DeviceGroup::copy(std::size_t i) const {
    return {devices[i], precision == Precision::fp16   ? at::kHalf
                        : precision == Precision::bf16 ? at::kBFloat16
                                                       : at::kFloat};
}

std::vector<std::unique_ptr<Network>> load_copies(const ModelSpec& spec, const DeviceGroup& group) {
    std::vector<std::unique_ptr<Network>> copies;
    for (std::size_t i = 0; i < group.devices.size(); ++i) {
        std::optional<LaneTurn> turn;
        if (!group.on_processor()) turn.emplace(std::vector{group.devices[i]});
        const ComputeOn where = group.copy(i);
        if (spec.format == ModelFormat::torchscript) {
            copies.push_back(load_torchscript(spec, where));
        } else if (spec.format == ModelFormat::torch_export) {
            copies.push_back(load_pt2(spec, where));
        } else {
#ifdef ASSAY_HAS_ONNX
            copies.push_back(load_onnx(spec, where));
#else
            throw Error(ErrorCode::usage,
                        framework_name() +
                            "'s plug-in has no ONNX: type `pip install onnxruntime` and add "
                            "--runtime onnxruntime, or save the model with torch.export");
#endif
        }
    }
    return copies;
}

}  // namespace assay::torch_plugin
