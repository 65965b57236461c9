// A classifier computes a batch of scores from a batch of pixels.
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

/// A model that runs in a Python process (src/model/python/python_model.h).
class PythonModel;

/// The position of the channels in a batch: N x 3 x H x W, or N x H x W x 3.
enum class InputLayout { nchw, nhwc };
/// The numbers in a batch: normalized floats, or the bytes of the prepared image (scale, mean and
/// std are not applied).
enum class InputType { float32, uint8 };

/// A model as its user describes it, after resolving file, sidecar, flags and presets
/// (model_spec.cpp).
struct ModelSpec {
    std::string name;  ///< file stem by default; names the store's folder
    std::filesystem::path path;
    ModelFormat format = ModelFormat::torchscript;
    Preprocess preprocess;
    std::optional<std::uint32_t> num_classes;  ///< checked against what the model returns
    ScoreKind outputs = ScoreKind::logits;
    /// The part of a tuple, list or dict output that has the scores, such as "0" or "logits". The
    /// default "" means the only tensor in it, or the part named "logits".
    std::string output;
    /// Without a value, these are what the file declares, else nchw and float32.
    std::optional<InputLayout> layout;
    std::optional<InputType> input_type;
    ClassList classes;              ///< empty means ImageNet's for 1000 classes, else numbers
    std::string preset;             ///< the preset that gave the defaults, "" if none
    std::filesystem::path sidecar;  ///< "" when none
    /// The size of training, for people: "224x224, crop_pct 0.95". It is set if the input has the
    /// size that the sidecar gives for evaluation (timm's test_input_size, test_crop_pct). It is ""
    /// if there is no such difference.
    std::string instead_of;
    bool named = false;               ///< the name was chosen by the user and is not the file's
                                      ///< stem
    std::filesystem::path also_read;  ///< the second of transformers' settings files; or ""
    std::vector<std::string> without_effect;  ///< keys of the sidecar that have no effect here
    /// For a model in Python: the request, "timm:resnet18"; for a checkpoint its architecture. ""
    /// for a file that Assay runs.
    std::string source = {};
    /// The process of a model in Python. It runs as long as a ModelSpec or Classifier uses it.
    std::shared_ptr<PythonModel> python = {};
};

/// The number format of a classifier's arithmetic. Scores are always float32. All except fp32 need
/// a CUDA device.
enum class Precision {
    fp32,  ///< float32; weights in half precision are converted
    tf32,  ///< float32 whose factors are cut to 10 fractional bits (NVIDIA, since
           ///< Ampere). A setting of LibTorch that applies to all classifiers of a process
    fp16,  ///< weights, and everything computed from images, as IEEE halves
    bf16,  ///< as bfloat16
};
constexpr auto words_of(Precision) {
    using Row = std::pair<Precision, std::string_view>;
    return std::array{Row{Precision::fp32, "fp32"}, Row{Precision::tf32, "tf32"},
                      Row{Precision::fp16, "fp16"}, Row{Precision::bf16, "bf16"}};
}
std::string_view name_of(Precision);

/// The library that computes the scores of model files.
enum class ModelRuntime {
    libtorch,     ///< Assay's own plug-in, over LibTorch: every format, with gradients
    onnxruntime,  ///< the onnxruntime package of the user's Python: ONNX files, scores only
};
constexpr auto words_of(ModelRuntime) {
    using Row = std::pair<ModelRuntime, std::string_view>;
    return std::array{Row{ModelRuntime::libtorch, "libtorch"},
                      Row{ModelRuntime::onnxruntime, "onnxruntime"}};
}
std::string_view name_of(ModelRuntime);

/// Facts from opening a model and one trial run.
struct ModelFacts {
    std::uint32_t classes = 0;
    /// The count of numbers in the parameters. Shared parameters count once, and buffers
    /// (batch-norm statistics) do not count. A file without parameters has its weights as constants
    /// or buffers (a frozen graph, weights as codes): then all of those count. For ONNX, it counts
    /// floating-point initializers except the running mean and variance of batch norms.
    std::int64_t parameters = 0;
    std::int64_t fixed_batch = 0;  ///< the only batch size that the model takes; 0 means any.
                                   ///< scores() splits and pads batches to it
    /// The kind of device. Results are bit-identical on one kind: "cpu", "cuda (NVIDIA H100 80GB
    /// HBM3)".
    std::string device;
    std::uint32_t devices = 1;  ///< devices of that kind, which share the calls
    /// The number of calls that wait for devices at the same time without using a core; further
    /// calls wait for one of these to finish. 0 means that calls compute on the processor.
    std::uint32_t lanes = 0;
    Precision precision = Precision::fp32;
    std::string framework;  ///< "LibTorch 1.13.1"; on CUDA devices with the versions of CUDA and
                            ///< cuDNN
    /// The memory order of activations. On processors it is "channels_last", which is up to half
    /// faster, unless the model refuses that. Then, and on other devices, it is "contiguous". It is
    /// chosen by rule and not by timing, because the bits depend on it.
    std::string memory_format;
    /// Remarks for the user on how the file is run, as sentences without a full stop. Examples:
    /// computed in another precision, fed bytes, an output chosen by its name.
    std::vector<std::string> notes;
    /// Files next to the model that contain some of its weights (ONNX's external data), sorted.
    std::vector<std::filesystem::path> data_files;
    ModelRuntime runtime = ModelRuntime::libtorch;
};

/// True if to run models in a separate process if they are programs (TorchScript) or may call any
/// LibTorch operator (torch.export). Landlock and seccomp limit the process as far as the kernel
/// supports them. It cannot write, make or remove files, open sockets or start programs, and can
/// read only the model's and the system's libraries. If it crashes, the caller gets an Error. The
/// scores are the same. ONNX models always run in the calling process.
enum class Isolation {
    automatic,  ///< on a CPU, but not if a GPU may be used
    on,         ///< always; with a GPU without limits. ModelFacts lists the missing limits
    off,
};
constexpr auto words_of(Isolation) {
    using Row = std::pair<Isolation, std::string_view>;
    return std::array{Row{Isolation::automatic, "auto"}, Row{Isolation::on, "on"},
                      Row{Isolation::off, "off"}};
}

struct ClassifierOptions {
    /// The devices: "cpu", or "cuda" for all CUDA devices of the same type as the first. "cuda:1"
    /// chooses one device, and "cuda:0,1" two devices, which must be of the same type. With "auto",
    /// uses "cuda" if available, else "cpu".
    std::string device = "auto";
    Isolation isolate = Isolation::automatic;
    /// For processes that share a machine's devices: this one's number from 0, out of `processes`.
    /// Devices are assigned in turn; if there are fewer devices, several processes share one.
    std::uint32_t process = 0;
    std::uint32_t processes = 1;
    Precision precision = Precision::fp32;
    /// The most seconds that a model's process may take for one batch. 0 allows ten times the
    /// slowest of its first five batches, but at least 60 s.
    std::uint32_t model_timeout = 0;
    /// Models in Python must not download anything.
    bool offline = false;
    /// For models of images and texts (open_clip): a file with one template per line, or
    /// open_clip's lists "openai" or "simple". "" means openai.
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
    /// byte_values() of their preprocessing: the float for each byte. Not null.
    const ByteValues* values = nullptr;
};

/// Images for which the loss is computed.
struct LossBatch {
    Loss loss = Loss::cross_entropy;
    std::span<const float> input;            ///< n x 3 x height x width, normalised
    std::span<const std::uint32_t> labels;   ///< n, each below the number of classes
    std::span<const std::uint32_t> targets;  ///< n classes if the loss has a target, else empty
};

/// Receives the results of a LossBatch.
struct LossGradients {
    std::span<float> scores;    ///< n x classes
    std::span<double> losses;   ///< n
    std::span<float> gradient;  ///< shaped as the input: d loss of the same image / d input
};

/// Scores and gradients may be requested from many threads at once. On a processor each call
/// computes on its thread. On devices it sleeps until a device is free, and then until its results
/// are ready.
class Classifier {
public:
    virtual ~Classifier() = default;
    virtual const ModelFacts& facts() const = 0;
    /// `input` has n x 3 x height x width normalized floats, which are converted for a model that
    /// takes bytes or another layout. `out` has n x classes floats, row-major. Throws bad_input
    /// (the model refuses the shape, or returns something other than n x classes), out_of_memory.
    virtual void scores(std::span<const float> input, std::size_t n, std::span<float> out) = 0;
    /// True if score_bytes() is faster than scores(). It is on devices, because bytes take a
    /// quarter of the transfer time.
    virtual bool prefers_bytes() const { return false; }
    /// The scores of images given as bytes, bit-identical to scores() for the floats that the bytes
    /// represent. Throws as scores().
    virtual void score_bytes(const ByteBatch& batch, std::size_t n, std::span<float> out) {
        std::vector<float> input(batch.pixels.size());
        const std::size_t plane = n == 0 ? 1 : input.size() / (3 * n);
        for (std::size_t k = 0; k < input.size(); ++k)
            input[k] = (*batch.values)[k / plane % 3][batch.pixels[k]];
        scores(input, n, out);
    }
    /// The loss of each image of a batch and its derivative by the input, with the network in
    /// evaluation mode. One pass forward and one back. Throws bad_input if the model has fewer
    /// classes than the loss needs, or no gradient. It has no gradient if it takes bytes, or if an
    /// operator without a derivative separates its result from its input. Also throws
    /// out_of_memory.
    virtual void gradients(const LossBatch& /*batch*/, const LossGradients& /*out*/) {
        throw Error(ErrorCode::bad_input, "this classifier gives scores, but no gradients");
    }
    /// The cost of a batch of zero images. Counts are made by watching the operators of one run in
    /// evaluation mode, as LibTorch executes them; TorchScript's equal expressions count once. Then
    /// measures the peak of LibTorch's allocator in one run, and the time of `runs` runs. Throws
    /// bad_input for another number of images than the model takes; out_of_memory. The counts are
    /// always the same. Unless `threads` is 1, no other call may run at the same time, because
    /// LibTorch has one thread count per process.
    virtual ModelCost cost(const CostRequest& /*request*/) {
        throw Error(ErrorCode::bad_input, "this classifier does not report its cost");
    }
};

/// Opens the plug-in on first use, which costs about half a second once. Then loads the model, runs
/// it once on one zero image and checks the result's shape. Throws bad_input for a file that is no
/// model, an unknown operator, several output tensors without `output`, another class count than
/// spec.num_classes, or a refused input size. Throws usage for an unknown device, a precision that
/// the device lacks, or a build without LibTorch.
std::unique_ptr<Classifier> open_classifier(const ModelSpec& spec,
                                            const ClassifierOptions& options = {});

/// Returns "LibTorch 1.13.1". Opens the plug-in. Throws usage if there is none.
std::string model_framework();

/// The plug-in that runs models, as described in its file.
struct FrameworkFile {
    std::filesystem::path file;
    std::string framework;  ///< "LibTorch 1.13.1, ONNX"; "?" if it does not say
    /// The LibTorch for which it was built, unless that is a system library: .../libtorch_cpu.so.
    std::filesystem::path libtorch;
    std::string problem;  ///< reason why it cannot be used: LibTorch is gone or was replaced
};
/// Finds the plug-in without opening it, which would take half a second. Throws usage if there is
/// none, or if this build has no LibTorch.
FrameworkFile framework_file();

/// The CUDA devices that LibTorch finds.
struct CudaFacts {
    int devices = 0;
    std::string libraries = {};  ///< "CUDA 12.4, cuDNN 9.1.0"; "" without a device
};
/// Opens LibTorch's plug-in. Throws usage as load_model().
CudaFacts cuda_of_framework();

}  // namespace assay
