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
    /// What the user should know about how the file is run; complete after the first forward().
    virtual std::vector<std::string> notes() const { return {}; }
    /// See ModelFacts.
    virtual std::vector<std::filesystem::path> data_files() const { return {}; }
};

/// Calls no operator where the numbers have that type: what is called is watched.
inline at::Tensor as_type(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.scalar_type() == type ? tensor : tensor.to(type);
}

std::unique_ptr<Network> load_torchscript(const ModelSpec& spec, c10::Device device);
std::unique_ptr<Network> load_pt2(const ModelSpec& spec, c10::Device device);
std::unique_ptr<Network> load_onnx(const ModelSpec& spec, c10::Device device);

/// Probes the network with zero images and checks what it returns.
std::unique_ptr<Classifier> make_classifier(std::unique_ptr<Network> network, const ModelSpec& spec,
                                            c10::Device device);

}  // namespace assay::torch_plugin
