#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <mutex>
#include <set>
#include <tuple>

#include "assay/error.h"
#include "model/torch/cost_products.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/runtime.h"
#include "model/torch/scores.h"

namespace assay::torch_plugin {
namespace {

/// Where a tensor's numbers lie: two names for one tensor count once.
using Place = std::tuple<const void*, std::int64_t, std::int64_t>;

class TensorCount {
public:
    void add(const at::Tensor& tensor) {
        if (!tensor.defined() || tensor.layout() != c10::kStrided) return;
        const Place place = {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(),
                             tensor.numel()};
        if (!seen_.insert(place).second) return;
        kept_.push_back(tensor);  // or another may get its place
        numbers_ += static_cast<std::uint64_t>(tensor.numel());
        bytes_ += tensor.nbytes();
    }
    std::uint64_t numbers() const { return numbers_; }
    std::uint64_t bytes() const { return bytes_; }

private:
    std::set<Place> seen_;
    std::vector<at::Tensor> kept_;
    std::uint64_t numbers_ = 0, bytes_ = 0;
};

void add_constants(TensorCount& count, const torch::jit::Block* block) {
    for (const torch::jit::Node* node : block->nodes()) {
        if (node->kind() == c10::prim::Constant && node->hasAttribute(c10::attr::value) &&
            node->kindOf(c10::attr::value) == torch::jit::AttributeKind::t)
            count.add(node->t(c10::attr::value));
        for (const torch::jit::Block* inner : node->blocks()) add_constants(count, inner);
    }
}

/// Quantised layers keep their weights packed, in objects of their own.
void add_packed(TensorCount& count, const torch::jit::Module& module) {
    for (const torch::jit::Module& part : module.modules()) {
        for (const c10::IValue& attribute : part.attributes(/*recurse=*/false))
            for (const at::Tensor& weight : unpacked_weights(attribute)) count.add(weight);
    }
}

/// Parameters without buffers. A module without any has its weights elsewhere: as constants in the
/// graph (frozen) or as buffers (weights kept as codes): then those are counted, every number of
/// them.
WeightCost count_weights(const torch::jit::Module& module) {
    TensorCount count;
    for (const at::Tensor& parameter : module.parameters()) count.add(parameter);
    add_packed(count, module);
    const std::uint64_t parameters = count.numbers();
    for (const at::Tensor& buffer : module.buffers()) count.add(buffer);
    if (parameters > 0) return {parameters, count.numbers() - parameters, count.bytes()};
    add_constants(count, module.get_method("forward").graph()->block());
    return {count.numbers(), 0, count.bytes()};
}

/// The type of number that the weights have, and so the input must have.
at::ScalarType input_type(const torch::jit::Module& module) {
    for (const at::Tensor& parameter : module.parameters()) {
        if (parameter.is_floating_point()) return parameter.scalar_type();
    }
    return at::kFloat;
}

/// torch.save's archives look like TorchScript's from outside; this is the commonest wrong file.
std::string load_hint(const std::string& reason) {
    if (reason.find("constants.pkl") != std::string::npos ||
        reason.find("code/") != std::string::npos ||
        reason.find("Legacy model format") != std::string::npos ||
        reason.find("stack_.empty") != std::string::npos)
        return "; the file holds weights only (torch.save): export with "
               "torch.jit.trace(...).save(path)";
    return "";
}

/// The archive was read and its code was not understood: an operator that this LibTorch lacks, or
/// one that takes more arguments since.
Error code_error(std::string_view message) {
    constexpr std::string_view unknown = "Unknown builtin op: ";
    if (const auto at = message.find(unknown); at != std::string_view::npos) {
        std::string_view name = message.substr(at + unknown.size());
        name = name.substr(0, name.find_first_of(" \n"));
        if (name.ends_with('.')) name.remove_suffix(1);
        return Error(ErrorCode::bad_input,
                     fmt::format("the model's code calls {}, which {} does "
                                 "not have: {}",
                                 name, framework_name(), where_operator_is(name)));
    }
    return Error(ErrorCode::bad_input,
                 fmt::format("{} does not understand the model's TorchScript code, which another "
                             "release of PyTorch may have written: {}",
                             framework_name(), first_reason(message)));
}

torch::jit::Module load_module(const std::string& path, c10::Device device) {
    try {
        return torch::jit::load(path, device);
    } catch (const torch::jit::ErrorReport& error) {
        throw code_error(error.what());
    } catch (...) {
        const Error error = translated("not a TorchScript model");
        if (error.message().find("maximum supported version for reading") != std::string::npos) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the TorchScript file is newer than {} can read: {}",
                                    framework_name(), error.message()));
        }
        throw Error(error.code(), error.message() + load_hint(error.message()));
    }
}

bool is_half(at::ScalarType type) {
    return type == at::kHalf || type == at::kBFloat16;
}

/// The type of number that a graph computes in stands in it as constants too: tensors, and the
/// `dtype` of conversions.
void widen(torch::jit::Block* block) {
    for (torch::jit::Node* node : block->nodes()) {
        for (torch::jit::Block* inner : node->blocks()) widen(inner);
        if (node->kind() == c10::prim::Constant && node->hasAttribute(c10::attr::value) &&
            node->kindOf(c10::attr::value) == torch::jit::AttributeKind::t &&
            is_half(node->t(c10::attr::value).scalar_type())) {
            node->t_(c10::attr::value, node->t(c10::attr::value).to(at::kFloat));
            node->output()->setType(c10::TensorType::get());
        }
        const auto* schema = node->maybeSchema();
        if (schema == nullptr) continue;
        for (std::size_t i = 0; i < node->inputs().size() && i < schema->arguments().size(); ++i) {
            if (schema->arguments()[i].name() != "dtype") continue;
            const auto wanted = torch::jit::toIValue(node->input(i));
            if (!wanted || !wanted->isInt() ||
                !is_half(static_cast<at::ScalarType>(wanted->toInt())))
                continue;
            torch::jit::WithInsertPoint guard(node);
            node->replaceInput(
                i, node->owningGraph()->insertConstant(static_cast<std::int64_t>(at::kFloat)));
        }
    }
}

/// Half precision on a processor is slow, and many of its kernels are missing.
void compute_in_single(torch::jit::Module& module) {
    module.to(at::kFloat);
    for (torch::jit::Module part : module.modules()) {
        for (const torch::jit::Method& method : part.get_methods()) widen(method.graph()->block());
    }
}

class TorchScriptNetwork final : public Network {
public:
    TorchScriptNetwork(torch::jit::Module module, const WeightCost& weights, at::ScalarType type,
                       std::string output, std::vector<std::string> notes)
        : module_(std::move(module)),
          weights_(weights),
          type_(type),
          output_(std::move(output)),
          notes_(std::move(notes)) {}

    at::Tensor forward(const at::Tensor& input) override {
        // The method is looked up and called without touching the module: one module serves all
        // threads.
        torch::jit::Stack stack = {module_._ivalue(),
                                   input.is_floating_point() ? as_type(input, type_) : input};
        Scores scores =
            scores_in(module_.get_method("forward").function()(std::move(stack)), output_);
        if (!scores.note.empty()) {
            const std::scoped_lock lock(mutex_);
            if (chosen_.empty()) chosen_ = std::move(scores.note);
        }
        return scores.tensor;
    }

    const WeightCost& weights() const override { return weights_; }

    std::vector<std::string> notes() const override {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> all = notes_;
        if (!chosen_.empty()) all.push_back(chosen_);
        return all;
    }

private:
    torch::jit::Module module_;
    WeightCost weights_;
    at::ScalarType type_;
    std::string output_;
    std::vector<std::string> notes_;
    mutable std::mutex mutex_;
    std::string chosen_;
};

}  // namespace

std::unique_ptr<Network> load_torchscript(const ModelSpec& spec, c10::Device device) {
    torch::jit::Module module = load_module(spec.path.string(), device);
    if (!module.find_method("forward"))
        throw Error(ErrorCode::bad_input, "the TorchScript module has no forward method");
    module.eval();
    const WeightCost weights = count_weights(module);
    at::ScalarType type = input_type(module);
    std::vector<std::string> notes;
    if (device.is_cpu() && is_half(type)) {
        compute_in_single(module);
        notes.push_back(
            fmt::format("the model's weights have half precision ({}); on a CPU it is computed in "
                        "single precision",
                        type == at::kHalf ? "float16" : "bfloat16"));
        type = at::kFloat;
    }
    try {
        // Exact: constants are folded, no arithmetic is changed. (optimize_for_inference gives
        // wrong answers in 1.13.)
        module = torch::jit::freeze_module(module);
    } catch (const std::exception&) {
        // Modules that write their own attributes cannot be frozen; they run as they are.
    }
    return std::make_unique<TorchScriptNetwork>(std::move(module), weights, type, spec.output,
                                                std::move(notes));
}

}  // namespace assay::torch_plugin
