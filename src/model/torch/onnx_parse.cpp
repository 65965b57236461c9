// From protobuf to OnnxGraph. Everything that a damaged file can say wrong is checked here.
#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "assay/error.h"
#include "core/file.h"
#include "core/refuse.h"
#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOldestOpset = 7;
constexpr std::int64_t kNewestOpset = 22;

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

/// The bytes of a tensor that the file keeps in another one beside it.
std::string external_bytes(const onnx::TensorProto& proto, const fs::path& folder,
                           std::uint64_t bytes) {
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
    const fs::path path = folder / location;
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

at::Tensor decode_tensor(const onnx::TensorProto& proto, const fs::path& folder) {
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
        out = from_bytes(external_bytes(proto, folder, bytes));
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

/// Collects the graph; values are numbered as their names appear.
class Reader {
public:
    Reader(const onnx::ModelProto& model, fs::path folder)
        : proto_(model.graph()), folder_(std::move(folder)) {
        graph_.opset = opset_of(model);
    }

    OnnxGraph read() {
        read_initialisers();
        read_inputs();
        for (const onnx::NodeProto& node : proto_.node()) read_node(node);
        for (const auto& output : proto_.output())
            graph_.outputs.push_back(known(output.name(), "the model's output"));
        if (graph_.outputs.empty()) refuse("the model has no output");
        count_parameters();
        return std::move(graph_);
    }

private:
    static std::int64_t opset_of(const onnx::ModelProto& model) {
        for (const auto& set : model.opset_import()) {
            if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
            if (set.version() < kOldestOpset || set.version() > kNewestOpset) {
                refuse(fmt::format("the model uses ONNX opset {}; supported: {} to {}",
                                   set.version(), kOldestOpset, kNewestOpset));
            }
            return set.version();
        }
        refuse("not an ONNX model: no version of the operators (opset) is given");
    }

    int number_of(const std::string& name) {
        const auto [at, fresh] = numbers_.try_emplace(name, static_cast<int>(graph_.names.size()));
        if (fresh) {
            graph_.names.push_back(name);
            graph_.constants.emplace_back();
            defined_.push_back(false);
        }
        return at->second;
    }

    int known(const std::string& name, const std::string& who) {
        const auto at = numbers_.find(name);
        if (at == numbers_.end() || !defined_[at->second])
            refuse(fmt::format("{} \"{}\" is computed by no earlier node", who, name));
        return at->second;
    }

    int define(const std::string& name) {
        const int number = number_of(name);
        if (defined_[number]) refuse(fmt::format("the value \"{}\" is defined twice", name));
        defined_[number] = true;
        return number;
    }

    void read_initialisers() {
        if (proto_.sparse_initializer_size() > 0)
            refuse("the model holds sparse tensors, which are not supported");
        for (const onnx::TensorProto& tensor : proto_.initializer())
            graph_.constants[define(tensor.name())] = decode_tensor(tensor, folder_);
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
        if (!c10::isFloatingType(graph_.input_type)) {
            refuse(
                fmt::format("the model's input \"{}\" takes {} numbers; only models that take "
                            "normalised floats are supported",
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
        if (shape[3] == 3 && shape[1] != 3) {
            refuse(
                fmt::format("the model's input \"{}\" holds the channels last (n, height, width, "
                            "3); export it with channels first",
                            input.name()));
        }
        graph_.input_shape = shape;
    }

    void read_node(const onnx::NodeProto& proto) {
        OnnxNode node;
        const bool own = proto.domain().empty() || proto.domain() == "ai.onnx";
        node.op = own ? proto.op_type() : proto.domain() + "::" + proto.op_type();
        node.name = proto.name();
        if (node.name.empty() && proto.output_size() > 0) node.name = proto.output(0);
        for (const std::string& name : proto.input())
            node.inputs.push_back(
                name.empty()
                    ? -1
                    : known(name, fmt::format("node \"{}\" ({}): its input", node.name, node.op)));
        for (const std::string& name : proto.output())
            node.outputs.push_back(name.empty() ? -1 : define(name));
        for (const onnx::AttributeProto& attribute : proto.attribute())
            read_attribute(attribute, node);
        graph_.nodes.push_back(std::move(node));
    }

    void read_attribute(const onnx::AttributeProto& proto, OnnxNode& node) {
        using onnx::AttributeProto;
        OnnxAttribute out;
        out.name = proto.name();
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
            case AttributeProto::TENSOR:
                out.value = decode_tensor(proto.t(), folder_);
                break;
            default:
                return;  // graphs, strings, sparse tensors: an operator that needs one is unknown
                         // or says so
        }
        node.attributes.push_back(std::move(out));
    }

    void count_parameters() {
        std::set<int> statistics;
        for (const OnnxNode& node : graph_.nodes) {
            if (node.op != "BatchNormalization") continue;
            for (std::size_t i = 3; i < node.inputs.size(); ++i) statistics.insert(node.inputs[i]);
        }
        for (std::size_t v = 0; v < graph_.constants.size(); ++v) {
            const at::Tensor& tensor = graph_.constants[v];
            if (tensor.defined() && tensor.is_floating_point() &&
                !statistics.contains(static_cast<int>(v)))
                graph_.parameters += tensor.numel();
        }
        if (graph_.parameters > 0) return;
        for (const OnnxNode& node : graph_.nodes) {
            for (const OnnxAttribute& attribute : node.attributes) {
                const auto* tensor = std::get_if<at::Tensor>(&attribute.value);
                if (tensor != nullptr && tensor->is_floating_point())
                    graph_.parameters += tensor->numel();
            }
        }
    }

    const onnx::GraphProto& proto_;
    fs::path folder_;
    OnnxGraph graph_;
    std::map<std::string, int> numbers_;
    std::vector<bool> defined_;
};

}  // namespace

at::ScalarType scalar_type_of(std::int64_t onnx_type) {
    const at::ScalarType type = stored_type(onnx_type, "");
    return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
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
