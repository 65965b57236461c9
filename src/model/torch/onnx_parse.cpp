// From protobuf to OnnxGraph. Everything that a damaged file can say wrong is checked here.
#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>
#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "assay/error.h"
#include "core/file.h"
#include "core/refuse.h"
#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

namespace fs = std::filesystem;

/// Functions may call functions: a few bytes can ask for any number of nodes.
constexpr std::size_t kMostNodes = 1'000'000;
constexpr int kDeepestCall = 64;

/// The type of one number as the file holds it.
at::ScalarType stored_type(std::int64_t type, const std::string& name) {
    using onnx::TensorProto;
    switch (type) {
        case TensorProto::FLOAT:
            return at::kFloat;
        case TensorProto::DOUBLE:
            return at::kDouble;
        case TensorProto::FLOAT16:
            return at::kHalf;
        case TensorProto::BFLOAT16:
            return at::kBFloat16;
        case TensorProto::INT8:
            return at::kChar;
        case TensorProto::UINT8:
            return at::kByte;
        case TensorProto::INT16:
            return at::kShort;
        case TensorProto::UINT16:  // torch has no such type
            return at::kInt;
        case TensorProto::INT32:
            return at::kInt;
        case TensorProto::INT64:
            return at::kLong;
        case TensorProto::BOOL:
            return at::kBool;
        default:
            refuse(fmt::format("tensor \"{}\" has numbers of ONNX type {}, which is not supported",
                               name, type));
    }
}

Ints checked_sizes(const onnx::TensorProto& proto) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    Ints sizes(proto.dims().begin(), proto.dims().end());
    if (sizes.size() > 16)
        refuse(fmt::format("tensor \"{}\" has {} dimensions", proto.name(), sizes.size()));
    std::int64_t numbers = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0)
            refuse(fmt::format("tensor \"{}\" has a dimension of size {}", proto.name(), size));
        if (size > 0 && numbers > most / size)
            refuse(fmt::format("tensor \"{}\" has an impossible size", proto.name()));
        numbers *= size;
    }
    return sizes;
}

/// The folder of the model, and the files in it that hold tensors.
struct DataFiles {
    fs::path folder;
    std::set<fs::path> used;
};

/// The bytes of a tensor that the file keeps in another one beside it.
std::string external_bytes(const onnx::TensorProto& proto, DataFiles& data, std::uint64_t bytes) {
    std::map<std::string, std::string> entries;
    for (const auto& entry : proto.external_data()) entries[entry.key()] = entry.value();
    const fs::path location = entries["location"];
    const auto outside = [](const fs::path& part) { return part == ".."; };
    if (location.empty() || location.is_absolute() || std::ranges::any_of(location, outside))
        refuse(fmt::format("tensor \"{}\": its data file \"{}\" is not inside the model's folder",
                           proto.name(), location.string()));
    const auto number = [&](const char* key, std::uint64_t fallback) {
        const std::string& text = entries[key];
        if (text.empty()) return fallback;
        std::uint64_t value = 0;
        const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code != std::errc{} || stop != text.data() + text.size())
            refuse(fmt::format("tensor \"{}\": the {} of its data is \"{}\", not a number",
                               proto.name(), key, text));
        return value;
    };
    const std::uint64_t offset = number("offset", 0);
    if (const std::uint64_t length = number("length", bytes); length != bytes)
        refuse(fmt::format("tensor \"{}\" needs {} bytes of external data, the model says {}",
                           proto.name(), bytes, length));
    const fs::path path = data.folder / location;
    data.used.insert(path);
    std::error_code error;
    const std::uint64_t there = fs::file_size(path, error);
    if (error)
        refuse(fmt::format("the model's data file {} cannot be read: {}", path.string(),
                           error.message()));
    if (offset > there || bytes > there - offset) {
        refuse(
            fmt::format("the model's data file {} has {} bytes; tensor \"{}\" needs {} from {} on",
                        path.string(), there, proto.name(), bytes, offset));
    }
    std::string out(bytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    if (!file.read(out.data(), static_cast<std::streamsize>(bytes)))
        throw Error(ErrorCode::io, fmt::format("reading {} failed", path.string()));
    return out;
}

/// Numbers kept one by one in a typed field; narrow types share the int32 field.
template <class Stored, class Field>
void copy_field(at::Tensor& out, const Field& field, const std::string& name) {
    if (field.size() != out.numel())
        refuse(fmt::format("tensor \"{}\" has component for {} numbers and holds {}", name,
                           out.numel(), field.size()));
    auto* to = static_cast<Stored*>(out.data_ptr());
    for (const auto value : field) *to++ = static_cast<Stored>(value);
}

constexpr int kUint4 = 21, kInt4 = 22;  ///< TensorProto.DataType of ONNX 1.16

/// The bytes of a tensor, wherever they are; empty: it is held in a typed field.
std::optional<std::string> raw_bytes(const onnx::TensorProto& proto, DataFiles& data,
                                     std::uint64_t bytes) {
    if (proto.data_location() == onnx::TensorProto::EXTERNAL)
        return external_bytes(proto, data, bytes);
    if (!proto.has_raw_data()) return std::nullopt;
    if (proto.raw_data().size() != bytes)
        refuse(fmt::format("tensor \"{}\" needs {} bytes and has {}", proto.name(), bytes,
                           proto.raw_data().size()));
    return proto.raw_data();
}

/// Two numbers a byte, the first in the lower half.
at::Tensor decode_halves_of_bytes(const onnx::TensorProto& proto, DataFiles& data) {
    const Ints sizes = checked_sizes(proto);
    const auto numbers = static_cast<std::uint64_t>(c10::multiply_integers(sizes));
    const std::uint64_t bytes = (numbers + 1) / 2;
    std::optional<std::string> packed = raw_bytes(proto, data, bytes);
    if (!packed) {
        if (static_cast<std::uint64_t>(proto.int32_data_size()) != bytes)
            refuse(fmt::format("tensor \"{}\" needs {} bytes and has {}", proto.name(), bytes,
                               proto.int32_data_size()));
        packed.emplace();
        for (const auto value : proto.int32_data()) packed->push_back(static_cast<char>(value));
    }
    const bool is_signed = proto.data_type() == kInt4;
    at::Tensor out = at::empty(sizes, is_signed ? at::kChar : at::kByte);
    auto* to = static_cast<std::uint8_t*>(out.data_ptr());
    for (std::uint64_t i = 0; i < numbers; ++i) {
        const int value = static_cast<std::uint8_t>((*packed)[i / 2]) >> (i % 2 * 4) & 15;
        to[i] = static_cast<std::uint8_t>(is_signed && value > 7 ? value - 16 : value);
    }
    return out;
}

at::Tensor decode_uint16(const onnx::TensorProto& proto, DataFiles& data) {
    const Ints sizes = checked_sizes(proto);
    const auto numbers = static_cast<std::uint64_t>(c10::multiply_integers(sizes));
    const std::optional<std::string> raw = raw_bytes(proto, data, 2 * numbers);
    if (!raw && static_cast<std::uint64_t>(proto.int32_data_size()) != numbers)
        refuse(fmt::format("tensor \"{}\" has component for {} numbers and holds {}", proto.name(),
                           numbers, proto.int32_data_size()));
    at::Tensor out = at::empty(sizes, at::kInt);
    auto* to = out.data_ptr<std::int32_t>();
    for (std::uint64_t i = 0; i < numbers; ++i) {
        std::uint16_t value = 0;
        if (raw) {
            std::memcpy(&value, raw->data() + 2 * i, sizeof value);
        } else {
            value = static_cast<std::uint16_t>(proto.int32_data(static_cast<int>(i)));
        }
        to[i] = value;
    }
    return out;
}

at::Tensor decode_tensor(const onnx::TensorProto& proto, DataFiles& data) {
    if (proto.data_type() == kUint4 || proto.data_type() == kInt4)
        return decode_halves_of_bytes(proto, data);
    if (proto.data_type() == onnx::TensorProto::UINT16) return decode_uint16(proto, data);
    const at::ScalarType type = stored_type(proto.data_type(), proto.name());
    const Ints sizes = checked_sizes(proto);
    const auto numbers = static_cast<std::uint64_t>(c10::multiply_integers(sizes));
    const std::uint64_t bytes = numbers * c10::elementSize(type);
    const bool external = proto.data_location() == onnx::TensorProto::EXTERNAL;
    if (proto.has_segment())
        refuse(
            fmt::format("tensor \"{}\" is cut in segments, which is not supported", proto.name()));

    // The component is taken only once the numbers are known to be there.
    const auto from_bytes = [&](const std::string& raw) {
        if (raw.size() != bytes)
            refuse(fmt::format("tensor \"{}\" needs {} bytes and has {}", proto.name(), bytes,
                               raw.size()));
        at::Tensor out = at::empty(sizes, type);
        if (bytes > 0) std::memcpy(out.data_ptr(), raw.data(), bytes);
        return out;
    };
    at::Tensor out;
    if (external) {
        out = from_bytes(external_bytes(proto, data, bytes));
    } else if (proto.has_raw_data()) {
        out = from_bytes(proto.raw_data());
    } else {
        const auto held = static_cast<std::uint64_t>(proto.float_data_size()) +
                          proto.double_data_size() + proto.int32_data_size() +
                          proto.int64_data_size();
        if (held != numbers)
            refuse(fmt::format("tensor \"{}\" has component for {} numbers and holds {}",
                               proto.name(), numbers, held));
        out = at::empty(sizes, type);
        switch (type) {
            case at::kFloat:
                copy_field<float>(out, proto.float_data(), proto.name());
                break;
            case at::kDouble:
                copy_field<double>(out, proto.double_data(), proto.name());
                break;
            case at::kLong:
                copy_field<std::int64_t>(out, proto.int64_data(), proto.name());
                break;
            case at::kInt:
                copy_field<std::int32_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kShort:
                copy_field<std::int16_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kChar:
                copy_field<std::int8_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kByte:
                copy_field<std::uint8_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kBool:
                copy_field<bool>(out, proto.int32_data(), proto.name());
                break;
            default:
                copy_field<std::uint16_t>(out, proto.int32_data(), proto.name());
                break;  // the bits of half types
        }
    }
    return type == at::kHalf || type == at::kBFloat16 ? out.to(at::kFloat) : out;
}

/// A field that this protobuf does not know yet: libonnx may be older than the file.
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

/// A function that the model brings along: its nodes stand for each of its calls.
struct LocalFunction {
    const onnx::FunctionProto* proto = nullptr;
    std::int64_t opset = 0;
    std::vector<onnx::AttributeProto> defaults;
};

/// Collects the graph; values are numbered as their names appear.
class Reader {
public:
    Reader(const onnx::ModelProto& model, fs::path folder)
        : proto_(model.graph()), data_{std::move(folder), {}}, opset_(opset_of(model)) {
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
        for (const onnx::NodeProto& node : proto_.node()) read_node(node, graph_.nodes);
        for (const auto& output : proto_.output())
            graph_.outputs.push_back(known(output.name(), "the model's output"));
        if (graph_.outputs.empty()) refuse("the model has no output");
        count_weights();
        if (by_range_of_batch_) {
            graph_.one_at_a_time = true;
            graph_.notes.emplace_back(
                "the model quantises by the range of a whole batch; it is given one image at a "
                "time, so that no score depends on other images");
        }
        graph_.data_files.assign(data_.used.begin(), data_.used.end());
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

    /// -1: an input of the function around it that its caller left out.
    int known(const std::string& name, const std::string& who) {
        const auto at = numbers_.find(name);
        if (at != numbers_.end() && at->second < 0) return -1;
        if (at == numbers_.end() || !defined_[at->second])
            refuse(fmt::format("{} \"{}\" is computed by no earlier node", who, name));
        return at->second;
    }

    /// In a graph inside a node a name may hide one of the graph around it.
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
            refuse("the model holds sparse tensors, which are not supported");
        for (const onnx::TensorProto& tensor : graph.initializer()) {
            const int number = define(tensor.name());
            graph_.constants[number] = decode_tensor(tensor, data_);
            if (tensor.data_type() == kUint4 || tensor.data_type() == kInt4) narrow_.insert(number);
            if (tensor.data_type() == onnx::TensorProto::FLOAT16) graph_.weight_type = at::kHalf;
            if (tensor.data_type() == onnx::TensorProto::BFLOAT16)
                graph_.weight_type = at::kBFloat16;
        }
    }

    /// Old files list the initialisers among the inputs.
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
        // Calls count as well: functions that only call each other make no node.
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
            refuse(node.place() + " quantises to 4 bits, which is not supported");
        }
        nodes.push_back(std::move(node));
    }

    int input_of(const std::string& name, const OnnxNode& node) {
        if (name.empty()) return -1;
        return known(name, node.place() + ": its input");
    }

    /// The function's nodes in place of the call: its inputs are the caller's values, its names are
    /// its own.
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
        // The caller's names for the function's results: copies of nothing.
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

    /// What an attribute stands for: inside a function it may name one of the call's. Null: the
    /// call has none.
    const onnx::AttributeProto* resolved(const onnx::AttributeProto& proto) const {
        if (proto.ref_attr_name().empty()) return &proto;
        if (attributes_ == nullptr)
            refuse(fmt::format("attribute \"{}\" refers to a function's, but stands in none",
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
                refuse(fmt::format("{}: its graph \"{}\" has inputs, which is not supported",
                                   node.place(), name));
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
                break;
            case AttributeProto::GRAPH:
                // Only these run graphs; what another operator wants with one is not looked at.
                if (node.op == "If" || node.op == "Loop") read_block(proto.g(), out.name, node);
                return;
            default:
                return;  // sparse tensors, lists of graphs: an operator that needs one is unknown
                         // or says so
        }
        node.attributes.push_back(std::move(out));
    }

    /// Which inputs of a quantised operator are weights, and which scales and zero points.
    struct QuantisedInputs {
        std::string_view op;
        std::vector<std::size_t> weights, scales;
    };

    void count_weights() {
        static const QuantisedInputs quantised[] = {
            {"DequantizeLinear", {0}, {1, 2}},
            {"QuantizeLinear", {}, {1, 2}},
            {"com.microsoft::DequantizeLinear", {0}, {1, 2}},
            {"com.microsoft::QuantizeLinear", {}, {1, 2}},
            {"QLinearConv", {3, 8}, {1, 2, 4, 5, 6, 7}},
            {"QLinearMatMul", {3}, {1, 2, 4, 5, 6, 7}},
            {"MatMulInteger", {1}, {2, 3}},
            {"ConvInteger", {1}, {2, 3}},
            {"com.microsoft::QLinearConv", {3, 8}, {1, 2, 4, 5, 6, 7}},
            {"com.microsoft::QGemm", {3, 6}, {1, 2, 4, 5, 7, 8}},
            {"com.microsoft::MatMulIntegerToFloat", {1}, {2, 3, 4, 5}},
            {"com.microsoft::DynamicQuantizeMatMul", {1}, {2, 3}},
            {"com.microsoft::QuantizeLinear", {}, {1, 2}},
            {"com.microsoft::DequantizeLinear", {0}, {1, 2}},
        };
        std::set<int> statistics;
        std::set<int> whole;  // weights kept as whole numbers
        for (const OnnxNode& node : graph_.nodes) {
            if (node.op == "BatchNormalization") {
                for (std::size_t i = 3; i < node.inputs.size(); ++i)
                    statistics.insert(node.inputs[i]);
            }
            // The others work on images; of their constants those that are no whole numbers are
            // scales.
            if (node.op.starts_with("com.microsoft::QLinear"))
                statistics.insert(node.inputs.begin(), node.inputs.end());
            for (const QuantisedInputs& q : quantised) {
                if (node.op != q.op) continue;
                for (const std::size_t i : q.weights) {
                    if (i < node.inputs.size()) whole.insert(node.inputs[i]);
                }
                for (const std::size_t i : q.scales) {
                    if (i < node.inputs.size()) statistics.insert(node.inputs[i]);
                }
            }
        }
        WeightCost& weights = graph_.weights;
        const auto add = [&](const at::Tensor& tensor, std::uint64_t& numbers) {
            numbers += static_cast<std::uint64_t>(tensor.numel());
            weights.bytes += tensor.nbytes();
        };
        for (const int v : whole) {
            if (v >= 0 && graph_.constants[v].defined() && !graph_.constants[v].is_floating_point())
                add(graph_.constants[v], weights.parameters);
        }
        for (std::size_t v = 0; v < graph_.constants.size(); ++v) {
            const at::Tensor& tensor = graph_.constants[v];
            if (!tensor.defined() || !tensor.is_floating_point()) continue;
            add(tensor,
                statistics.contains(static_cast<int>(v)) ? weights.buffers : weights.parameters);
        }
        if (weights.parameters > 0) return;
        for (const OnnxNode& node : graph_.nodes) {
            for (const OnnxAttribute& attribute : node.attributes) {
                const auto* tensor = std::get_if<at::Tensor>(&attribute.value);
                if (tensor != nullptr && tensor->is_floating_point())
                    add(*tensor, weights.parameters);
            }
        }
    }

    const onnx::GraphProto& proto_;
    DataFiles data_;
    OnnxGraph graph_;
    std::map<std::string, LocalFunction> functions_;
    std::size_t nodes_ = 0;
    bool by_range_of_batch_ = false;
    std::set<int> narrow_;  ///< constants of 4 bits
    std::vector<bool> defined_;
    // Where the reader stands: names, the names that an inner graph has hidden, the attributes of
    // the call around it.
    std::map<std::string, int> numbers_;
    std::map<std::string, std::optional<int>>* hidden_ = nullptr;
    const std::map<std::string, onnx::AttributeProto>* attributes_ = nullptr;
    std::int64_t opset_;
    int depth_ = 0;
};

}  // namespace

at::ScalarType scalar_type_of(std::int64_t onnx_type) {
    const at::ScalarType type = stored_type(onnx_type, "");
    return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

at::ScalarType quantised_type_of(std::int64_t onnx_type) {
    switch (onnx_type) {
        case onnx::TensorProto::UINT8:
        case onnx::TensorProto::INT8:
        case onnx::TensorProto::INT16:
        case onnx::TensorProto::UINT16:
            return stored_type(onnx_type, "");
        default:
            throw NodeError(fmt::format(
                "quantising to ONNX type {} is not supported; int8, uint8, int16, uint16 are",
                onnx_type));
    }
}

OnnxGraph parse_onnx(const fs::path& path) {
#if GOOGLE_PROTOBUF_VERSION < 4022000
    google::protobuf::SetLogHandler(nullptr);  // it would write about damaged files to stderr
#endif
    onnx::ModelProto model;
    {
        const std::vector<std::byte> bytes = read_file(path, std::numeric_limits<int>::max());
        if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
            !model.has_graph())
            refuse("not an ONNX model, or a damaged one (its protobuf cannot be read)");
    }
    return Reader(model, path.parent_path()).read();
}

}  // namespace assay::torch_plugin
