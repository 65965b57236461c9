// A classifier: batch of pixels -> batch of scores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/describe.h"
#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "assay/model/cost.h"
#include "assay/model/loss.h"
#include "assay/store/score_kind.h"

namespace assay {

enum class ModelFormat { torchscript, onnx, torch_export, python };

/// A model that runs in a Python (src/model/python/python_model.h).
class PythonModel;

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
    /// Of a model in Python: what was asked for, "timm:resnet18"; of a checkpoint its architecture.
    /// "": a file that Assay runs.
    std::string source = {};
    /// Then its process, which runs as long as a ModelSpec or a Classifier has it.
    std::shared_ptr<PythonModel> python = {};
};

/// The numbers that a classifier computes in; scores are float32 always. All but fp32 need a CUDA
/// device.
enum class Precision {
    fp32,  ///< float32; weights of half precision are widened
    tf32,  ///< float32 whose products are of numbers cut to 10 bits behind the point (NVIDIA, since
           ///< Ampere). A setting of LibTorch's: one for all classifiers of a process
    fp16,  ///< weights and what is computed from images as IEEE halves
    bf16,  ///< as bfloat16
};
constexpr auto words_of(Precision) {
    using Row = std::pair<Precision, std::string_view>;
    return std::array{Row{Precision::fp32, "fp32"}, Row{Precision::tf32, "tf32"},
                      Row{Precision::fp16, "fp16"}, Row{Precision::bf16, "bf16"}};
}
std::string_view name_of(Precision);

/// What computes the scores of model files.
enum class ModelRuntime {
    libtorch,     ///< Assay's own plug-in, over LibTorch: every format, with gradients
    onnxruntime,  ///< the onnxruntime package of the person's Python: ONNX files, scores alone
};
constexpr auto words_of(ModelRuntime) {
    using Row = std::pair<ModelRuntime, std::string_view>;
    return std::array{Row{ModelRuntime::libtorch, "libtorch"},
                      Row{ModelRuntime::onnxruntime, "onnxruntime"}};
}
std::string_view name_of(ModelRuntime);

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
    /// The kind of device, for which bits are promised: "cpu", "cuda (NVIDIA H100 80GB HBM3)".
    std::string device;
    std::uint32_t devices = 1;  ///< of that kind, which share the calls
    /// Calls that wait for devices at the same time and keep no core busy; more wait for these. 0:
    /// calls compute on the processor.
    std::uint32_t lanes = 0;
    Precision precision = Precision::fp32;
    std::string framework;  ///< "LibTorch 1.13.1", on CUDA devices with its CUDA's and cuDNN's
    /// The order in memory of what it computes: "channels_last", up to half faster on processors,
    /// or "contiguous" where the model refuses that, and on other devices. By rule, never by
    /// timing: the bits depend on it.
    std::string memory_format;
    /// What the user should know about how the file is run, whole sentences without a full stop:
    /// computed in another precision, fed bytes, an output chosen by its name.
    std::vector<std::string> notes;
    /// Files beside the model's that hold weights of it (ONNX's external data), sorted.
    std::vector<std::filesystem::path> data_files;
    ModelRuntime runtime = ModelRuntime::libtorch;
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
constexpr auto words_of(Isolation) {
    using Row = std::pair<Isolation, std::string_view>;
    return std::array{Row{Isolation::automatic, "auto"}, Row{Isolation::on, "on"},
                      Row{Isolation::off, "off"}};
}

struct ClassifierOptions {
    /// "cpu"; "cuda": all CUDA devices that are of the type of the first; "cuda:1": that one;
    /// "cuda:0,1": these, of one type; "auto": as "cuda" where there is one, else "cpu".
    std::string device = "auto";
    Isolation isolate = Isolation::automatic;
    /// Of processes that share a machine's devices, from 0 (`processes` of them): the devices are
    /// dealt out in turn; where there are fewer, several processes have one.
    std::uint32_t process = 0;
    std::uint32_t processes = 1;
    Precision precision = Precision::fp32;
    /// Seconds that a process of a model may take for one batch. 0: ten times the slowest of its
    /// first five, but at least 60 s.
    std::uint32_t model_timeout = 0;
    /// Models in Python download nothing.
    bool offline = false;
    /// Of models of images and texts (open_clip): a file with one template a line, or "openai" or
    /// "simple", lists of open_clip. "": openai.
    std::filesystem::path templates = {};
    ModelRuntime runtime = ModelRuntime::libtorch;
};

template <>
inline constexpr auto description<ClassifierOptions> = describe<ClassifierOptions>({
    field<&ClassifierOptions::device>(
        {.help = "Where models run: auto, cpu, cuda (all devices of one type), cuda:N, cuda:N,M",
         .value = "DEVICE"}),
    field<&ClassifierOptions::isolate>(
        {.help = "Sandbox .pt and .pt2 models in processes that cannot write files or open "
                 "sockets; auto: on a CPU. Same results"}),
    field<&ClassifierOptions::precision>(
        {.help = "Precision on CUDA devices; part of the store's identity"}),
    field<&ClassifierOptions::model_timeout>(
        {.help = "Stop a model's process if one batch takes longer",
         .min = 1,
         .max = 1 << 20,
         .empty = "ten times the slowest of the first five batches, at least 60",
         .unit = "s",
         .value = "SECONDS"}),
    field<&ClassifierOptions::offline>(
        {.help = "Models in Python must not download anything; missing files are an error"}),
    field<&ClassifierOptions::templates>(
        {.help = "Texts for class names of open_clip models: a file with one template per line ({} "
                 "is the name), or openai (80 templates) or simple (7)",
         .empty = "openai",
         .value = "FILE"}),
    field<&ClassifierOptions::runtime>(
        {.help = "Runtime of model files; onnxruntime: .onnx files, with the package of your "
                 "Python, without gradients; part of the store's identity"}),
});

/// Prepared images as bytes.
struct ByteBatch {
    std::span<const std::uint8_t> pixels;  ///< n x 3 x height x width (planes_into())
    /// byte_values() of their preprocessing: what each stands for. Not null.
    const ByteValues* values = nullptr;
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

/// Scores and gradients may be asked for from many threads at once. On a processor each call
/// computes on its thread; on devices it waits for one that is free, and then for its results,
/// asleep.
class Classifier {
public:
    virtual ~Classifier() = default;
    virtual const ModelFacts& facts() const = 0;
    /// input: n x 3 x height x width floats, normalised (a model that takes bytes or another layout
    /// is given these). out: n x classes floats, row-major.
    /// Throws bad_input (the model refuses the shape, returns something else than n x classes),
    /// out_of_memory.
    virtual void scores(std::span<const float> input, std::size_t n, std::span<float> out) = 0;
    /// Whether score_bytes() is the faster way: on devices, to which bytes travel in a quarter of
    /// the time.
    virtual bool prefers_bytes() const { return false; }
    /// The scores of images as bytes, bit for bit those of scores() for the floats that the bytes
    /// stand for. Throws as scores().
    virtual void score_bytes(const ByteBatch& batch, std::size_t n, std::span<float> out) {
        std::vector<float> input(batch.pixels.size());
        const std::size_t plane = n == 0 ? 1 : input.size() / (3 * n);
        for (std::size_t k = 0; k < input.size(); ++k)
            input[k] = (*batch.values)[k / plane % 3][batch.pixels[k]];
        scores(input, n, out);
    }
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
        throw Error(ErrorCode::bad_input, "this classifier does not report its cost");
    }
};

/// Opens the plug-in on first use (costs about half a second once), loads the model, runs it once
/// on one zero image and checks the result's shape. Throws bad_input: not a model file, unknown
/// operator (named), several tensors as output without `output` (lists what there is), other class
/// count than spec.num_classes, input size refused; usage: no such device, a precision that the
/// device does not have, built without LibTorch.
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
    std::string libraries = {};  ///< "CUDA 12.4, cuDNN 9.1.0"; "" without a device
};
/// Opens the framework. Throws usage as load_model().
CudaFacts cuda_of_framework();

}  // namespace assay
