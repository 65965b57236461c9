#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "assay/error.h"
#include "core/file.h"
#include "model/pt2/package.h"
#include "model/torch/convolution_flags.h"
#include "model/torch/cost_products.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/runtime.h"
#include "model/torch/scores.h"

namespace assay::torch_plugin {
namespace {

/// The location of a tensor's numbers, so that a tensor with two names counts once.
using Place = std::tuple<const void*, std::int64_t, std::int64_t>;

class TensorCount {
public:
    void add(const at::Tensor& tensor) {
        if (!tensor.defined() || tensor.layout() != c10::kStrided) return;
        const Place place = {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(),
                             tensor.numel()};
        if (!seen_.insert(place).second) return;
        kept_.push_back(tensor);  // kept alive, because another tensor might get its address
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

/// Quantized layers store packed weights in separate objects.
void add_packed(TensorCount& count, const torch::jit::Module& module) {
    for (const torch::jit::Module& part : module.modules()) {
        for (const c10::IValue& attribute : part.attributes(/*recurse=*/false))
            for (const at::Tensor& weight : unpacked_weights(attribute)) count.add(weight);
    }
}

/// Counts parameters without buffers. A module without parameters has its weights as constants in
/// the graph (frozen) or as buffers (weights as codes). Then all of these count.
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

/// The number type of the weights, which the input must share.
at::ScalarType input_type(const torch::jit::Module& module) {
    for (const at::Tensor& parameter : module.parameters()) {
        if (parameter.is_floating_point()) return parameter.scalar_type();
    }
    return at::kFloat;
}

/// torch.save's archives look like TorchScript's from outside, and are the most common wrong file.
std::string load_hint(const std::string& reason) {
    if (reason.find("constants.pkl") != std::string::npos ||
        reason.find("code/") != std::string::npos ||
        reason.find("Legacy model format") != std::string::npos ||
        reason.find("stack_.empty") != std::string::npos)
        return "; the file holds weights only (torch.save): name its network (--arch "
               "timm:resnet50), or save the network itself: "
               "torch.export.save(torch.export.export(model, (images,)), \"model.pt2\")";
    return "";
}

/// The archive can be read but not its code: this LibTorch lacks an operator, or newer versions of
/// the operator take more arguments.
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
    return Error(ErrorCode::bad_input, fmt::format("{} cannot parse the model's TorchScript code, "
                                                   "perhaps from another release of PyTorch: {}",
                                                   framework_name(), first_reason(message)));
}

/// Checks the checksums, because LibTorch accepts a file with an altered weight. Older files, which
/// are no zip files, have none.
void check_file(const std::string& path) {
    const MappedFile file(path);
    if (file.text().starts_with("PK\x03\x04")) pt2::check_checksums(file.bytes());
}

/// Numbers are loaded on the processor, even if they were saved on another device.
torch::jit::Module load_module(const std::string& path) {
    check_file(path);
    try {
        return torch::jit::load(path, c10::Device(c10::kCPU));
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

/// Moves a module to a device and, if given, to a number type. The exported device and type occur
/// in parameters and attributes, and in the code as constants (tensors, devices, the `dtype` of
/// conversions).
class Conversion {
public:
    Conversion(c10::Device device, std::optional<at::ScalarType> type)
        : device_(device), type_(type) {}

    void apply(torch::jit::Module& module) {
        for (const torch::jit::Module& part : module.modules()) {
            const auto object = part._ivalue();
            for (std::size_t i = 0; i < object->slots().size(); ++i) {
                const c10::IValue& value = object->getSlot(i);
                if (!value.isObject() && !value.isCustomClass())
                    object->setSlot(i, converted(value));
            }
            for (const torch::jit::Method& method : part.get_methods())
                change(method.graph()->block());
        }
    }

private:
    at::ScalarType type_of(at::ScalarType given) const {
        return type_ ? computed_type(given, *type_) : given;
    }

    at::Tensor converted(const at::Tensor& tensor) {
        if (!tensor.defined()) return tensor;
        const at::ScalarType type = type_of(tensor.scalar_type());
        if (type == tensor.scalar_type() && tensor.device() == device_) return tensor;
        // Tensors that shared numbers still share them.
        at::Tensor& known = done_[tensor.unsafeGetTensorImpl()];
        if (!known.defined()) {
            kept_.push_back(tensor);  // kept alive, because another tensor might get its address
            known = tensor.detach().to(device_).to(type);
        }
        return known;
    }

    c10::IValue converted(const c10::IValue& value) {
        if (value.isTensor()) return converted(value.toTensor());
        if (value.isDevice()) return device_;
        if (value.isList()) {
            auto list = value.toList();
            for (std::size_t i = 0; i < list.size(); ++i) {
                const c10::IValue item = list.get(i);
                if (item.isTensor() || item.isList() || item.isTuple() || item.isGenericDict())
                    list.set(i, converted(item));
            }
        } else if (value.isGenericDict()) {
            for (const auto& entry : value.toGenericDict())
                entry.setValue(converted(entry.value()));
        } else if (value.isTuple()) {
            const auto tuple = value.toTuple();
            std::vector<c10::IValue> items;
            for (const c10::IValue& item : tuple->elements()) items.push_back(converted(item));
            return c10::ivalue::Tuple::createNamed(std::move(items), tuple->type());
        }
        return value;
    }

    void change(torch::jit::Block* block) {
        for (torch::jit::Node* node : block->nodes()) {
            for (torch::jit::Block* inner : node->blocks()) change(inner);
            if (node->kind() == c10::prim::Constant && node->hasAttribute(c10::attr::value))
                change_constant(node);
            if (const auto* schema = node->maybeSchema()) change_types(node, *schema);
        }
    }

    void change_constant(torch::jit::Node* node) {
        using torch::jit::AttributeKind;
        constexpr auto value = c10::attr::value;
        switch (node->kindOf(value)) {
            case AttributeKind::t: {
                const at::Tensor before = node->t(value), after = converted(before);
                if (after.is_same(before)) return;
                node->t_(value, after);
                node->output()->setType(c10::TensorType::get());
                return;
            }
            case AttributeKind::ts: {
                std::vector<at::Tensor> all = node->ts(value);
                for (at::Tensor& one : all) one = converted(one);
                node->ts_(value, std::move(all));
                return;
            }
            case AttributeKind::ival:
                node->ival_(value, converted(node->ival(value)));
                return;
            case AttributeKind::s:
                // The device of the exporter's machine is replaced. "meta" has no numbers.
                if (node->output()->type()->kind() == c10::TypeKind::DeviceObjType &&
                    node->s(value) != "meta")
                    node->s_(value, device_.str());
                return;
            default:
                return;
        }
    }

    void change_types(torch::jit::Node* node, const c10::FunctionSchema& schema) const {
        for (std::size_t i = 0; i < node->inputs().size() && i < schema.arguments().size(); ++i) {
            if (schema.arguments()[i].name() != "dtype") continue;
            const auto wanted = torch::jit::toIValue(node->input(i));
            if (!wanted || !wanted->isInt()) continue;
            const auto given = static_cast<at::ScalarType>(wanted->toInt());
            const at::ScalarType type = type_of(given);
            if (type == given) continue;
            torch::jit::WithInsertPoint guard(node);
            node->replaceInput(
                i, node->owningGraph()->insertConstant(static_cast<std::int64_t>(type)));
        }
    }

    c10::Device device_;
    std::optional<at::ScalarType> type_;
    std::map<const void*, at::Tensor> done_;
    std::vector<at::Tensor> kept_;
};

class TorchScriptNetwork final : public Network {
public:
    TorchScriptNetwork(torch::jit::Module module, const WeightCost& weights, at::ScalarType type,
                       bool optimised, std::string output, std::vector<std::string> notes)
        : module_(std::move(module)),
          weights_(weights),
          type_(type),
          optimised_(optimised),
          output_(std::move(output)),
          notes_(std::move(notes)) {}

    at::Tensor forward(const at::Tensor& input) override {
        std::optional<torch::jit::GraphOptimizerEnabledGuard> as_written;
        if (!optimised_) as_written.emplace(false);
        // The method is looked up and called without changing the module, because all threads share
        // one module.
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
    bool optimised_;
    std::string output_;
    std::vector<std::string> notes_;
    mutable std::mutex mutex_;
    std::string chosen_;
};

}  // namespace

std::unique_ptr<Network> load_torchscript(const ModelSpec& spec, const ComputeOn& where) {
    torch::jit::Module module = load_module(spec.path.string());
    if (!module.find_method("forward"))
        throw Error(ErrorCode::bad_input, "the TorchScript module has no forward method");
    module.eval();
    const WeightCost weights = count_weights(module);
    const at::ScalarType type = input_type(module);
    std::vector<std::string> notes;
    if (std::string note = precision_note(type, where); !note.empty())
        notes.push_back(std::move(note));
    // Constants are folded on the processor in single precision, where all operators exist. A
    // single-precision model keeps explicit conversions to half precision.
    constexpr c10::DeviceType processor = c10::kCPU;
    if (is_half(type)) module.to(at::kFloat);
    Conversion(processor, is_half(type) ? std::optional(at::kFloat) : std::nullopt).apply(module);
    try {
        // This is exact, because it folds constants without changing arithmetic.
        // (optimize_for_inference gives wrong results in 1.13.)
        module = torch::jit::freeze_module(module);
    } catch (const std::exception&) {
        // Modules that write their own attributes cannot be frozen, and run unchanged.
    }
    if (!where.device.is_cpu()) {
        Conversion(where.device, is_half(where.type) ? std::optional(where.type) : std::nullopt)
            .apply(module);
        for (const torch::jit::Module& part : module.modules()) {
            for (const torch::jit::Method& method : part.get_methods())
                take_own_convolution_flags(method.graph()->block());
        }
    }
    // On a GPU, LibTorch compiles fused kernels after some calls, and their last bits differ from
    // those of the earlier calls.
    return std::make_unique<TorchScriptNetwork>(
        std::move(module), weights, computed_type(computed_type(type, at::kFloat), where.type),
        where.device.is_cpu(), spec.output, std::move(notes));
}

}  // namespace assay::torch_plugin
