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

/// What a model file becomes. forward() may be called from many threads at once and never detaches:
/// gradients flow when the caller's mode lets them.
class Network {
public:
    virtual ~Network() = default;
    /// `input`: n x 3 x height x width floats on the network's device (or n x height x width x 3,
    /// or bytes, where the model takes these). Returns the tensor of scores as the model gives it.
    virtual at::Tensor forward(const at::Tensor& input) = 0;
    virtual const WeightCost& weights() const = 0;
    /// The input shape that the file declares, in its own order, -1 where it leaves it open.
    virtual std::optional<std::array<std::int64_t, 4>> declared_input() const {
        return std::nullopt;
    }
    /// Bytes or floats, where the file declares it.
    virtual std::optional<at::ScalarType> declared_type() const { return std::nullopt; }
    /// The most images that one call takes; 0: any number.
    virtual std::int64_t largest_batch() const { return 0; }
    /// Images of one batch would change each other's scores.
    virtual bool one_at_a_time() const { return false; }
    /// It rounds what it computes of an image to whole numbers (int8): a last bit can move scores.
    virtual bool rounds() const { return false; }
    /// Several of its steps are computed as one (fused_layer.h), which rounds otherwise.
    virtual bool fused() const { return false; }
    /// Of a fused one: the network step by step, as its file has it. nullptr: it is that.
    virtual std::unique_ptr<Network> as_written() const { return nullptr; }
    /// What the user should know about how the file is run; complete after the first forward().
    virtual std::vector<std::string> notes() const { return {}; }
    /// See ModelFacts.
    virtual std::vector<std::filesystem::path> data_files() const { return {}; }
};

/// Where a copy of a network computes, and in which floats.
struct ComputeOn {
    c10::Device device = c10::Device(c10::kCPU);
    at::ScalarType type = at::kFloat;  ///< or kHalf, kBFloat16
};

inline bool is_half(at::ScalarType type) {
    return type == at::kHalf || type == at::kBFloat16;
}

/// What numbers of a file's type are computed in: halves in single precision unless halves are
/// asked for, which all floats become then.
inline at::ScalarType computed_type(at::ScalarType given, at::ScalarType wanted) {
    if (!c10::isFloatingType(given)) return given;
    return is_half(wanted) || is_half(given) ? wanted : given;
}

/// What the user should know of a file whose weights have the type `given`; "": nothing.
std::string precision_note(at::ScalarType given, const ComputeOn& where);

/// Devices of one kind, which have a copy of a network each.
struct DeviceGroup {
    std::vector<c10::Device> devices = {c10::Device(c10::kCPU)};
    std::string kind = "cpu";  ///< ModelFacts::device
    Precision precision = Precision::fp32;
    std::vector<std::string> notes;

    bool on_processor() const { return devices.front().is_cpu(); }
    /// What copy `i` of a network is loaded for.
    ComputeOn copy(std::size_t i) const;
};

/// Calls no operator where the numbers have that type: what is called is watched.
inline at::Tensor as_type(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.scalar_type() == type ? tensor : tensor.to(type);
}

std::unique_ptr<Network> load_torchscript(const ModelSpec& spec, const ComputeOn& where);
std::unique_ptr<Network> load_pt2(const ModelSpec& spec, const ComputeOn& where, bool fuse = true);
std::unique_ptr<Network> load_onnx(const ModelSpec& spec, const ComputeOn& where, bool fuse = true);

/// A copy of the model for each device. Throws usage: a format that this build does not read.
std::vector<std::unique_ptr<Network>> load_copies(const ModelSpec& spec, const DeviceGroup& group);

/// Probes the first copy with zero images, checks what it returns, and tries the others.
std::unique_ptr<Classifier> make_classifier(std::vector<std::unique_ptr<Network>> copies,
                                            const ModelSpec& spec, DeviceGroup group);

}  // namespace assay::torch_plugin
