// A loaded network, and the Classifier around it.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/model/classifier.h"
#include "assay/model/cost.h"

namespace assay::torch_plugin {

/// A loaded model file. forward() may be called from many threads at once and never detaches:
/// gradients flow if the caller's mode allows them.
class Network {
public:
    virtual ~Network() = default;
    /// `input` has n x 3 x height x width floats on the network's device, or n x height x
    /// width x 3, or bytes, if the model takes these. Returns the model's tensor of scores
    /// unchanged.
    virtual at::Tensor forward(const at::Tensor& input) = 0;
    virtual const WeightCost& weights() const = 0;
    /// The input shape that the file declares, in its own order, with -1 for open dimensions.
    virtual std::optional<std::array<std::int64_t, 4>> declared_input() const {
        return std::nullopt;
    }
    /// Bytes or floats, if the file declares its type.
    virtual std::optional<at::ScalarType> declared_type() const { return std::nullopt; }
    /// The largest number of images per call; 0 means any number.
    virtual std::int64_t largest_batch() const { return 0; }
    /// True if images in one batch would change each other's scores.
    virtual bool one_at_a_time() const { return false; }
    /// True if it rounds intermediate values to integers (int8), so that a last bit can change
    /// scores.
    virtual bool rounds() const { return false; }
    /// True if several of its steps are fused (fused_layer.h), which rounds differently.
    virtual bool fused() const { return false; }
    /// For a fused network: the unfused steps of its file. nullptr if it is not fused.
    virtual std::unique_ptr<Network> as_written() const { return nullptr; }
    /// Remarks for the user on how the file is run. Complete after the first forward().
    virtual std::vector<std::string> notes() const { return {}; }
    /// See ModelFacts.
    virtual std::vector<std::filesystem::path> data_files() const { return {}; }
};

/// The device and number type of a network's copy.
struct ComputeOn {
    c10::Device device = c10::Device(c10::kCPU);
    at::ScalarType type = at::kFloat;  ///< kFloat, kHalf or kBFloat16
};

inline bool is_half(at::ScalarType type) {
    return type == at::kHalf || type == at::kBFloat16;
}

/// The number type for computing with a file's type. Halves are computed in single precision unless
/// halves are requested, in which case all floats become halves.
inline at::ScalarType computed_type(at::ScalarType given, at::ScalarType wanted) {
    if (!c10::isFloatingType(given)) return given;
    return is_half(wanted) || is_half(given) ? wanted : given;
}

/// A remark about a file whose weights have the type `given`; "" if there is none.
std::string precision_note(at::ScalarType given, const ComputeOn& where);

/// Devices of one kind. Each has a copy of a network.
struct DeviceGroup {
    std::vector<c10::Device> devices = {c10::Device(c10::kCPU)};
    std::string kind = "cpu";  ///< ModelFacts::device
    Precision precision = Precision::fp32;
    std::vector<std::string> notes;

    bool on_processor() const { return devices.front().is_cpu(); }
    /// The device and type of copy `i` of a network.
    ComputeOn copy(std::size_t i) const;
};

/// Converts the type. Calls no operator if it is right already, because calls are observed.
inline at::Tensor as_type(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.scalar_type() == type ? tensor : tensor.to(type);
}

std::unique_ptr<Network> load_torchscript(const ModelSpec& spec, const ComputeOn& where);
std::unique_ptr<Network> load_pt2(const ModelSpec& spec, const ComputeOn& where, bool fuse = true);
std::unique_ptr<Network> load_onnx(const ModelSpec& spec, const ComputeOn& where, bool fuse = true);

/// A copy of the model for each device. Throws usage if this build lacks the format.
std::vector<std::unique_ptr<Network>> load_copies(const ModelSpec& spec, const DeviceGroup& group);

/// Tests the first copy with zero images, checks its result, and tries other copies.
std::unique_ptr<Classifier> make_classifier(std::vector<std::unique_ptr<Network>> copies,
                                            const ModelSpec& spec, DeviceGroup group);

}  // namespace assay::torch_plugin
