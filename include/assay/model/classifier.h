// A classifier: batch of pixels -> batch of scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "assay/model/cost.h"
#include "assay/model/loss.h"
#include "assay/store/score_kind.h"

namespace assay {

enum class ModelFormat { torchscript, onnx, torch_export };

/// Where the channels of a batch are: N x 3 x H x W, or N x H x W x 3.
enum class InputLayout { nchw, nhwc };
/// What the numbers of a batch are: normalised floats, or the bytes of the prepared image (scale,
/// mean and std are not applied).
enum class InputType { float32, uint8 };

/// A model as its user describes it: file, sidecar, flags and presets resolved (model_spec.cpp).
struct ModelSpec {
    std::string name;  ///< file stem unless told otherwise; names the store's folder
    std::filesystem::path path;
    ModelFormat format = ModelFormat::torchscript;
    Preprocess preprocess;
    std::optional<std::uint32_t> num_classes;  ///< checked against what the model returns
    ScoreKind outputs = ScoreKind::logits;
    /// Which part of a tuple, list or dict output holds the scores: "0", "logits", ... "": the only
    /// tensor in it, or the part called "logits".
    std::string output;
    /// Without a value: what the file declares, else nchw and float32.
    std::optional<InputLayout> layout;
    std::optional<InputType> input_type;
    ClassList classes;              ///< empty: ImageNet when C = 1000, else numbers
    std::string preset;             ///< the preset that gave the defaults, "" when none
    std::filesystem::path sidecar;  ///< "" when none
    /// Its input is of the size that the sidecar says the model is evaluated at (timm's
    /// test_input_size, test_crop_pct); then what it was trained at, for people: "224x224, crop_pct
    /// 0.95". "": no such difference.
    std::string instead_of;
    bool named = false;               ///< the name was chosen, not the file's stem
    std::filesystem::path also_read;  ///< the second of transformers' two files; "" when none
    std::vector<std::string> without_effect;  ///< keys of the sidecar that say nothing here
};

/// What opening and one probing run tell about a model.
struct ModelFacts {
    std::uint32_t classes = 0;
    /// Numbers in the parameters, shared ones once, buffers (batch-norm statistics) not. A file
    /// without parameters keeps its weights as constants or buffers (a frozen graph, weights as
    /// codes): then all of those numbers. ONNX: the numbers in the floating-point initialisers
    /// without the running mean and variance of batch norms.
    std::int64_t parameters = 0;
    std::int64_t fixed_batch =
        0;  ///< the only batch size it takes; 0: any. scores() cuts and pads to it by itself
    std::string device;     ///< "cpu", "cuda:0"
    std::string framework;  ///< "LibTorch 1.13.1"
    /// The order in memory of what it computes: "channels_last", up to half faster on processors,
    /// or "contiguous" where the model refuses that, and on other devices. By rule, never by
    /// timing: the bits depend on it.
    std::string memory_format;
    /// What the user should know about how the file is run, whole sentences without a full stop:
    /// computed in another precision, fed bytes, an output chosen by its name.
    std::vector<std::string> notes;
    /// Files beside the model's that hold weights of it (ONNX's external data), sorted.
    std::vector<std::filesystem::path> data_files;
};

/// Whether models that are programs (TorchScript) or run any operator of LibTorch (torch.export)
/// get a process of their own, limited by Landlock and seccomp as far as the kernel has them: it
/// can write, make or remove no file, read none but the model's and the system's libraries, open no
/// socket, start no program. Where it crashes, the caller gets an Error. Same bits. ONNX models run
/// in the calling process always.
enum class Isolation {
    automatic,  ///< on a CPU. Not where a graphics processor may be used
    on,         ///< always; with a graphics processor without limits. Facts name missing limits
    off,
};
/// "auto", "on", "off". Throws usage.
Isolation isolation_named(std::string_view name);

struct ClassifierOptions {
    std::string device = "auto";  ///< "auto" (CUDA where there is one), "cpu", "cuda", "cuda:1"
    Isolation isolate = Isolation::automatic;
    /// Of processes that share a machine's devices: with "auto" and "cuda" each takes the device of
    /// its number, from 0, modulo how many there are.
    std::uint32_t process = 0;
};

/// Images whose loss is asked for.
struct LossBatch {
    Loss loss = Loss::cross_entropy;
    std::span<const float> input;            ///< n x 3 x height x width, normalised
    std::span<const std::uint32_t> labels;   ///< n, below the number of classes
    std::span<const std::uint32_t> targets;  ///< n where the loss has a target, else empty
};

/// Where the results of a LossBatch go.
struct LossGradients {
    std::span<float> scores;    ///< n x classes
    std::span<double> losses;   ///< n
    std::span<float> gradient;  ///< as the input: d loss of its own image / d input
};

/// scores() and gradients() may be called from many threads at once; each call computes on one
/// thread (CPU).
class Classifier {
public:
    virtual ~Classifier() = default;
    virtual const ModelFacts& facts() const = 0;
    /// input: n x 3 x height x width floats, normalised (a model that takes bytes or another layout
    /// is given these). out: n x classes floats, row-major.
    /// Throws bad_input (the model refuses the shape, returns something else than n x classes),
    /// out_of_memory.
    virtual void scores(std::span<const float> input, std::size_t n, std::span<float> out) = 0;
    /// The loss of each image of a batch and its derivative by the input, with the network in
    /// evaluation mode. One pass forward and one back. Throws bad_input: the model has no gradient
    /// (it takes bytes, or what it computes is cut off from its input by an operator without a
    /// derivative), its scores have fewer classes than the loss needs; out_of_memory.
    virtual void gradients(const LossBatch& /*batch*/, const LossGradients& /*out*/) {
        throw Error(ErrorCode::bad_input, "this classifier gives scores, but no gradients");
    }
    /// What a batch of zero images costs: counted by watching the operators of one run, in
    /// evaluation mode, as LibTorch runs them (of TorchScript equal expressions once); then
    /// measured: the most that LibTorch's allocator gave out in one run, and `runs` timed ones.
    /// Throws bad_input: another number of images than the model takes; out_of_memory. What is
    /// counted has the same bits always. Not beside other calls where `threads` is not 1: LibTorch
    /// has one number of them for a process.
    virtual ModelCost cost(const CostRequest& /*request*/) {
        throw Error(ErrorCode::bad_input, "this classifier does not tell what it costs");
    }
};

/// Opens the plug-in on first use (costs about half a second once), loads the model, runs it once
/// on one zero image and checks the result's shape. Throws bad_input: not a model file, unknown
/// operator (named), several tensors as output without `output` (lists what there is), other class
/// count than spec.num_classes, input size refused; usage: no such device, built without LibTorch.
std::unique_ptr<Classifier> open_classifier(const ModelSpec& spec,
                                            const ClassifierOptions& options = {});

/// "LibTorch 1.13.1". Opens the plug-in; throws usage when there is none.
std::string model_framework();

/// The plug-in that runs models, by what its file says of itself.
struct FrameworkFile {
    std::filesystem::path file;
    std::string framework;  ///< "LibTorch 1.13.1, ONNX"; "?": it does not say
    /// The LibTorch that it was built for, where that is no system library: .../libtorch_cpu.so.
    std::filesystem::path libtorch;
    std::string problem;  ///< why it cannot be used: that LibTorch is gone, or another one
};
/// Where it lies. Nothing is opened, which would take half a second. Throws usage where there is
/// none, or no build with LibTorch.
FrameworkFile framework_file();

/// CUDA as the framework sees it.
struct CudaFacts {
    int devices = 0;
    std::string libraries = {};  ///< "CUDA Runtime 12.4, CuDNN 90.1"; "" without a device
};
/// Opens the framework. Throws usage as load_model().
CudaFacts cuda_of_framework();

}  // namespace assay
