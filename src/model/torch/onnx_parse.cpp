// Converts protobuf to OnnxGraph, and checks all properties that may be wrong in a damaged file.
#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/file.h"
#include "core/refuse.h"
#include "model/torch/onnx_graph.h"
#include "model/torch/onnx_tensors.h"

namespace assay::torch_plugin {
namespace {

namespace fs = std::filesystem;

/// Functions may call functions, so a few bytes can define any number of nodes.
constexpr std::size_t kMostNodes = 1'000'000;
constexpr int kDeepestCall = 64;

/// A field that this protobuf does not know, because libonnx may be older than the file.
template <class Message>
std::vector<std::string> unknown_fields_of(const Message& message, int number) {
    std::vector<std::string> out;
    const auto& fields = message.GetReflection()->GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto& field = fields.field(i);
        if (field.number() == number &&
            field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
            out.push_back(field.length_delimited());
    }
    return out;
}

std::string overload_of(const std::vector<std::string>& fields) {
    return fields.empty() ? std::string() : ":" + fields.back();
}

bool is_own(const std::string& domain) {
    return domain.empty() || domain == "ai.onnx";
}

/// True if a node may set bits above the 16 of an unsigned 16-bit number.
bool sets_upper_bits(const OnnxNode& node) {
    if (node.op == "BitwiseNot") return true;
    return node.op == "BitShift" &&
           std::ranges::any_of(node.attributes, [](const OnnxAttribute& attribute) {
               const auto* text = std::get_if<std::string>(&attribute.value);
               return text != nullptr && *text == "LEFT";
           });
}

/// A function that the model defines. Its nodes replace each of its calls.
struct LocalFunction {
    const onnx::FunctionProto* proto = nullptr;
    std::int64_t opset = 0;
    std::vector<onnx::AttributeProto> defaults;
};

/// Collects the graph. Values are numbered in the order of their names.
class Reader {
public:
    Reader(const onnx::ModelProto& model, const fs::path& path)
        : proto_(model.graph()), data_(path), opset_(opset_of(model)) {
        if (opset_ > kNewestOpset) {
            graph_.notes.push_back(fmt::format(
                "the model uses ONNX opset {}; its operators are run as opset {} defines them",
                opset_, kNewestOpset));
        }
        read_functions(model);
    }

    OnnxGraph read() {
        read_initialisers(proto_);
        read_inputs();
        for (const onnx::NodeProto* node : nodes_in_order(proto_)) read_node(*node, graph_.nodes);
        for (const auto& output : proto_.output())
            graph_.outputs.push_back(known(output.name(), "the model's output"));
        if (graph_.outputs.empty()) refuse("the model has no output");
        graph_.weights = count_onnx_weights(graph_);
        if (by_range_of_batch_) {
            graph_.one_at_a_time = true;
            graph_.notes.emplace_back(
                "the model quantises by the range of a whole batch; it gets one image at a time, "
                "so that no score depends on other images");
        }
        graph_.data_files = data_.used();
        return std::move(graph_);
    }

private:
    static std::int64_t opset_of(const onnx::ModelProto& model) {
        for (const auto& set : model.opset_import()) {
            if (!is_own(set.domain())) continue;
            if (set.version() < 1 || set.version() > 10'000)
                refuse(fmt::format("the model uses ONNX opset {}, which does not exist",
                                   set.version()));
            return set.version();
        }
        refuse("not an ONNX model: no version of the operators (opset) is given");
    }

    static std::string key_of(const std::string& domain, const std::string& name,
                              const std::string& overload) {
        return (is_own(domain) ? std::string() : domain) + "::" + name + overload;
    }

    void read_functions(const onnx::ModelProto& model) {
        // Field numbers of onnx.proto: FunctionProto.attribute_proto (IR 9), .overload (IR 10).
        constexpr int attribute_proto = 11, overload = 13;
        for (const onnx::FunctionProto& proto : model.functions()) {
            LocalFunction function = {&proto, opset_, {}};
            for (const auto& set : proto.opset_import()) {
                if (is_own(set.domain())) function.opset = set.version();
            }
            for (const std::string& bytes : unknown_fields_of(proto, attribute_proto)) {
                if (!function.defaults.emplace_back().ParseFromString(bytes))
                    refuse(fmt::format("function \"{}\": its default attributes are damaged",
                                       proto.name()));
            }
            functions_[key_of(proto.domain(), proto.name(),
                              overload_of(unknown_fields_of(proto, overload)))] =
                std::move(function);
        }
    }

    int number_of(const std::string& name) {
        const auto [at, fresh] = numbers_.try_emplace(name, static_cast<int>(graph_.names.size()));
        if (fresh) add_value(name);
        return at->second;
    }

    int add_value(const std::string& name) {
        graph_.names.push_back(name);
        graph_.constants.emplace_back();
        defined_.push_back(false);
        return static_cast<int>(graph_.names.size()) - 1;
    }

    /// -1 for an input of the surrounding function that its caller omitted.
    int known(const std::string& name, const std::string& who) {
        const auto at = numbers_.find(name);
        if (at != numbers_.end() && at->second < 0) return -1;
        if (at == numbers_.end() || !defined_[at->second])
            refuse(fmt::format("{} \"{}\" is computed by no earlier node", who, name));
        return at->second;
    }

    /// In a nested graph, a name may hide a name of the outer graph.
    int define(const std::string& name) {
        if (hidden_ != nullptr) {
            if (!hidden_
                     ->try_emplace(name, numbers_.contains(name)
                                             ? std::optional<int>(numbers_[name])
                                             : std::nullopt)
                     .second)
                refuse(fmt::format("the value \"{}\" is defined twice", name));
            numbers_.erase(name);
        }
        const int number = number_of(name);
        if (number < 0 || defined_[number])
            refuse(fmt::format("the value \"{}\" is defined twice", name));
        defined_[number] = true;
        return number;
    }

    void read_initialisers(const onnx::GraphProto& graph) {
        if (graph.sparse_initializer_size() > 0)
            refuse(fmt::format("the model has sparse tensors, which are not supported; {}",
                               by_onnx_runtime));
        for (const onnx::TensorProto& tensor : graph.initializer()) {
            const int number = define(tensor.name());
            graph_.constants[number] = decode_tensor(tensor, data_);
            if (tensor.data_type() == kUint4 || tensor.data_type() == kInt4) narrow_.insert(number);
            has_uint16_ = has_uint16_ || tensor.data_type() == onnx::TensorProto::UINT16;
            if (tensor.data_type() == onnx::TensorProto::FLOAT16) graph_.weight_type = at::kHalf;
            if (tensor.data_type() == onnx::TensorProto::BFLOAT16)
                graph_.weight_type = at::kBFloat16;
        }
    }

    /// Old files also list the initializers as inputs.
    void read_inputs() {
        std::string names;
        for (const onnx::ValueInfoProto& input : proto_.input()) {
            if (const auto at = numbers_.find(input.name());
                at != numbers_.end() && graph_.constants[at->second].defined())
                continue;
            names += (names.empty() ? "" : ", ") + input.name();
            if (graph_.input >= 0) continue;
            graph_.input = define(input.name());
            read_input_type(input);
        }
        if (graph_.input < 0) refuse("the model has no input");
        if (names != graph_.names[graph_.input])
            refuse(fmt::format("the model has several inputs ({}); a classifier takes one", names));
    }

    void read_input_type(const onnx::ValueInfoProto& input) {
        if (!input.type().has_tensor_type())
            refuse(fmt::format("the model's input \"{}\" is not a tensor", input.name()));
        const auto& type = input.type().tensor_type();
        graph_.input_type = scalar_type_of(type.elem_type());
        if (!c10::isFloatingType(graph_.input_type) && graph_.input_type != at::kByte) {
            refuse(fmt::format(
                "the model's input \"{}\" takes {} numbers; images are given as floats or bytes",
                input.name(), c10::toString(graph_.input_type)));
        }
        if (!type.has_shape()) return;
        if (type.shape().dim_size() != 4) {
            refuse(fmt::format(
                "the model's input \"{}\" has {} dimensions; images have 4 (n, 3, height, width)",
                input.name(), type.shape().dim_size()));
        }
        std::array<std::int64_t, 4> shape = {};
        for (int d = 0; d < 4; ++d) {
            const auto& dim = type.shape().dim(d);
            shape[static_cast<std::size_t>(d)] =
                dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : -1;
        }
        graph_.input_shape = shape;
    }

    void read_node(const onnx::NodeProto& proto, std::vector<OnnxNode>& nodes) {
        // Calls also count, because functions that only call each other create no nodes.
        if (++nodes_ > kMostNodes)
            refuse(fmt::format("the model has more than {} nodes", kMostNodes));
        constexpr int overload = 8;  // NodeProto.overload (IR 10)
        if (!functions_.empty()) {
            const auto function = functions_.find(key_of(
                proto.domain(), proto.op_type(), overload_of(unknown_fields_of(proto, overload))));
            if (function != functions_.end()) return inline_call(proto, function->second, nodes);
        }
        OnnxNode node;
        node.opset = opset_;
        node.op =
            is_own(proto.domain()) ? proto.op_type() : proto.domain() + "::" + proto.op_type();
        node.name = proto.name();
        if (node.name.empty() && proto.output_size() > 0) node.name = proto.output(0);
        for (const std::string& name : proto.input()) node.inputs.push_back(input_of(name, node));
        for (const onnx::AttributeProto& attribute : proto.attribute())
            read_attribute(attribute, node);
        for (const std::string& name : proto.output())
            node.outputs.push_back(name.empty() ? -1 : define(name));
        by_range_of_batch_ = by_range_of_batch_ || node.op == "DynamicQuantizeLinear" ||
                             node.op == "com.microsoft::DynamicQuantizeMatMul";
        if ((node.op == "QuantizeLinear" || node.op == "com.microsoft::QuantizeLinear") &&
            node.inputs.size() > 2 && narrow_.contains(node.inputs[2])) {
            refuse(fmt::format("{} quantises to 4 bits, which is not supported; {}", node.place(),
                               by_onnx_runtime));
        }
        if (has_uint16_ && sets_upper_bits(node)) {
            refuse(fmt::format(
                "{} is not supported in a model with uint16 numbers: uint16 is held in 32 bits, of "
                "which it would set the upper ones; {}",
                node.place(), by_onnx_runtime));
        }
        nodes.push_back(std::move(node));
    }

    int input_of(const std::string& name, const OnnxNode& node) {
        if (name.empty()) return -1;
        return known(name, node.place() + ": its input");
    }

    /// Replaces the call by the function's nodes. Its inputs are the caller's values, and its other
    /// names are local.
    void inline_call(const onnx::NodeProto& call, const LocalFunction& function,
                     std::vector<OnnxNode>& nodes) {
        const onnx::FunctionProto& body = *function.proto;
        OnnxNode caller;
        caller.op = call.op_type();
        caller.name = call.name().empty() && call.output_size() > 0 ? call.output(0) : call.name();
        if (++depth_ > kDeepestCall)
            refuse(
                fmt::format("function \"{}\" calls itself, or functions call each other more "
                            "than {} deep",
                            body.name(), kDeepestCall));
        if (call.input_size() > body.input_size() || call.output_size() > body.output_size())
            refuse(caller.place() + " has more inputs or outputs than its function");
        std::map<std::string, int> inner;
        for (int i = 0; i < body.input_size(); ++i)
            inner[body.input(i)] = i < call.input_size() ? input_of(call.input(i), caller) : -1;
        std::map<std::string, onnx::AttributeProto> attributes;
        for (const onnx::AttributeProto& given : function.defaults)
            attributes[given.name()] = given;
        for (const onnx::AttributeProto& given : call.attribute()) {
            if (const onnx::AttributeProto* found = resolved(given))
                (attributes[given.name()] = *found).set_name(given.name());
        }
        std::vector<int> outputs;
        {
            auto outer_numbers = std::exchange(numbers_, std::move(inner));
            const auto outer_attributes = std::exchange(attributes_, &attributes);
            auto* const outer_hidden = std::exchange(hidden_, nullptr);
            const std::int64_t outer_opset = std::exchange(opset_, function.opset);
            for (const onnx::NodeProto& node : body.node()) read_node(node, nodes);
            for (const std::string& name : body.output())
                outputs.push_back(
                    known(name, fmt::format("function \"{}\": its output", body.name())));
            numbers_ = std::move(outer_numbers);
            attributes_ = outer_attributes;
            hidden_ = outer_hidden;
            opset_ = outer_opset;
        }
        --depth_;
        // The caller's names for the function's results, without copying.
        for (int i = 0; i < call.output_size(); ++i) {
            if (call.output(i).empty() || outputs[static_cast<std::size_t>(i)] < 0) continue;
            OnnxNode same;
            same.op = "Identity";
            same.opset = opset_;
            same.name = call.output(i);
            same.inputs = {outputs[static_cast<std::size_t>(i)]};
            same.outputs = {define(call.output(i))};
            if (++nodes_ > kMostNodes)
                refuse(fmt::format("the model has more than {} nodes", kMostNodes));
            nodes.push_back(std::move(same));
        }
    }

    /// The value of an attribute, which inside a function may refer to an attribute of the call.
    /// Null if the call lacks it.
    const onnx::AttributeProto* resolved(const onnx::AttributeProto& proto) const {
        if (proto.ref_attr_name().empty()) return &proto;
        if (attributes_ == nullptr)
            refuse(fmt::format("attribute \"{}\" refers to a function's, but is in none",
                               proto.name()));
        const auto at = attributes_->find(proto.ref_attr_name());
        return at == attributes_->end() ? nullptr : &at->second;
    }

    void read_block(const onnx::GraphProto& graph, const std::string& name, OnnxNode& node) {
        std::map<std::string, std::optional<int>> hidden;
        auto* const outer = std::exchange(hidden_, &hidden);
        OnnxBlock block;
        block.name = name;
        read_initialisers(graph);
        for (const auto& input : graph.input()) {
            if (node.op == "Loop") {
                block.inputs.push_back(define(input.name()));
            } else if (!hidden.contains(input.name())) {
                refuse(fmt::format("{}: its graph \"{}\" has inputs, which is not supported; {}",
                                   node.place(), name, by_onnx_runtime));
            }
        }
        for (const onnx::NodeProto& inner : graph.node()) read_node(inner, block.nodes);
        for (const auto& output : graph.output())
            block.outputs.push_back(known(output.name(), node.place() + ": the output"));
        hidden_ = outer;
        for (const auto& [inner, number] : hidden) {
            if (number) {
                numbers_[inner] = *number;
            } else {
                numbers_.erase(inner);
            }
        }
        node.blocks.push_back(std::move(block));
    }

    void read_attribute(const onnx::AttributeProto& written, OnnxNode& node) {
        using onnx::AttributeProto;
        const AttributeProto* found = resolved(written);
        if (found == nullptr) return;
        const AttributeProto& proto = *found;
        OnnxAttribute out;
        out.name = written.name();
        switch (proto.type()) {
            case AttributeProto::INT:
                out.value = static_cast<std::int64_t>(proto.i());
                has_uint16_ = has_uint16_ || (proto.i() == onnx::TensorProto::UINT16 &&
                                              (out.name == "to" || out.name.ends_with("dtype")));
                break;
            case AttributeProto::FLOAT:
                out.value = static_cast<double>(proto.f());
                break;
            case AttributeProto::STRING:
                out.value = proto.s();
                break;
            case AttributeProto::INTS:
                out.value = Ints(proto.ints().begin(), proto.ints().end());
                break;
            case AttributeProto::FLOATS:
                out.value = std::vector<double>(proto.floats().begin(), proto.floats().end());
                break;
            case AttributeProto::STRINGS:
                out.value =
                    std::vector<std::string>(proto.strings().begin(), proto.strings().end());
                break;
            case AttributeProto::TENSOR:
                out.value = decode_tensor(proto.t(), data_);
                has_uint16_ = has_uint16_ || proto.t().data_type() == onnx::TensorProto::UINT16;
                break;
            case AttributeProto::GRAPH:
                // Only these operators run graphs. Graphs of other operators are ignored.
                if (node.op == "If" || node.op == "Loop") read_block(proto.g(), out.name, node);
                return;
            default:
                return;  // sparse tensors, lists of graphs: an operator that needs one is unknown
                         // or reports it
        }
        node.attributes.push_back(std::move(out));
    }

    const onnx::GraphProto& proto_;
    DataFiles data_;
    OnnxGraph graph_;
    std::map<std::string, LocalFunction> functions_;
    std::size_t nodes_ = 0;
    bool by_range_of_batch_ = false;
    std::set<int> narrow_;     ///< constants of 4 bits
    bool has_uint16_ = false;  ///< true if an unknown operator makes or reads such numbers
    std::vector<bool> defined_;
    // The reader's position: names, names that a nested graph hides, and the attributes of the
    // surrounding call.
    std::map<std::string, int> numbers_;
    std::map<std::string, std::optional<int>>* hidden_ = nullptr;
    const std::map<std::string, onnx::AttributeProto>* attributes_ = nullptr;
    std::int64_t opset_;
    int depth_ = 0;
};

}  // namespace

OnnxGraph parse_onnx(const fs::path& path) {
#if GOOGLE_PROTOBUF_VERSION < 4022000
    google::protobuf::SetLogHandler(nullptr);  // otherwise it logs damaged files to stderr
#endif
    onnx::ModelProto model;
    {
        const std::vector<std::byte> bytes = read_file(path, std::numeric_limits<int>::max());
        if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
            !model.has_graph())
            refuse("not an ONNX model, or a damaged one (its protobuf cannot be read)");
    }
    return Reader(model, path).read();
}

}  // namespace assay::torch_plugin
