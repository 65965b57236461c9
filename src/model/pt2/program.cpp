#include "model/pt2/program.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/json_reader.h"
#include "core/refuse.h"
#include "core/text.h"
#include "model/pt2/json.h"
#include "model/pt2/output_names.h"

namespace assay::pt2 {
namespace {

using nlohmann::json;

/// The major version of torch/_export/serde/schema.py.
constexpr std::int64_t kSchema = 8;

std::string ticked(const std::string& text) {
    return fmt::format("`{}`", shortened(text));
}

/// A union of the schema: an object with one entry. Newer writers add null entries for other types.
std::pair<std::string, JsonReader> union_of(const JsonReader& value) {
    std::string word;
    std::size_t kinds = 0;
    for (const auto& [key, part] : value.object().items()) {
        if (part.is_null()) continue;
        word = key;
        ++kinds;
    }
    if (kinds != 1)
        value.refuse(fmt::format("an argument of {} kinds", kinds == 0 ? "no" : "several"));
    return {word, value[word]};
}

/// Numbers the names of one graph as they appear.
class Scope {
public:
    explicit Scope(Graph& graph) : graph_(graph) {}

    int made(const std::string& name, const std::string& where) {
        const int number = static_cast<int>(graph_.names.size());
        if (!numbers_.emplace(name, number).second)
            refuse(fmt::format("{}: {} is made twice", where, ticked(name)));
        graph_.names.push_back(name);
        return number;
    }
    int read(const std::string& name, const std::string& where) const {
        const auto found = numbers_.find(name);
        if (found == numbers_.end())
            refuse(fmt::format("{} reads {}, which no earlier node makes", where, ticked(name)));
        return found->second;
    }

private:
    Graph& graph_;
    std::unordered_map<std::string, int> numbers_;
};

Graph parse_graph(const JsonReader& source, const std::string& where, int depth);

class ArgumentReader {
public:
    ArgumentReader(const Scope& scope, const std::string& where, int depth)
        : scope_(scope), where_(where), depth_(depth) {}

    Argument operator()(const JsonReader& value) const {
        auto [word, part] = union_of(value);
        Argument out = named(word, part);
        out.word = std::move(word);
        return out;
    }

private:
    Argument named(const std::string& word, const JsonReader& part) const {
        Argument out;
        if (word == "as_none") {
        } else if (word == "as_tensor") {
            out = value_called(part["name"].text());
        } else if (word == "as_name") {
            out = value_called(part.text());
        } else if (word == "as_int") {
            out.kind = ArgumentKind::integer;
            out.integer = part.integer();
        } else if (word == "as_float") {
            out.kind = ArgumentKind::real;
            out.real = real_of(part);
        } else if (word == "as_bool") {
            out.kind = ArgumentKind::boolean;
            out.boolean = part.truth();
        } else if (word == "as_string") {
            out.kind = ArgumentKind::text;
            out.text = part.text();
        } else if (word == "as_complex") {
            out.kind = ArgumentKind::complex;
            out.real = real_of(part["real"]);
            out.imaginary = real_of(part["imag"]);
        } else if (word == "as_sym_int" || word == "as_sym_float" || word == "as_sym_bool" ||
                   word == "as_optional_tensor") {
            return (*this)(part);
        } else if (word == "as_scalar_type") {
            out.kind = ArgumentKind::number_type;
            out.type = number_type_of(part.integer(), where_);
        } else if (word == "as_memory_format") {
            out.kind = ArgumentKind::memory_format;
            out.integer = part.integer();
        } else if (word == "as_layout") {
            out.kind = ArgumentKind::layout;
            out.integer = part.integer();
        } else if (word == "as_device") {
            out.kind = ArgumentKind::device;
            out.text = part["type"].text();
        } else if (word == "as_graph") {
            if (depth_ > 8) refuse(fmt::format("{}: graphs inside graphs, too deep", where_));
            out.kind = ArgumentKind::graph;
            out.text = part["name"].text();
            out.graph = std::make_shared<const Graph>(parse_graph(
                part["graph"], fmt::format("{}, {}", where_, ticked(out.text)), depth_ + 1));
        } else {
            return several(word, part);
        }
        return out;
    }

    /// Lists whose items are all of one kind, or are unions.
    Argument several(const std::string& word, const JsonReader& part) const {
        static const std::map<std::string, std::string> kItem = {
            {"as_tensors", "as_tensor"}, {"as_ints", "as_int"},       {"as_floats", "as_float"},
            {"as_bools", "as_bool"},     {"as_strings", "as_string"}, {"as_sym_ints", ""},
            {"as_sym_floats", ""},       {"as_sym_bools", ""},        {"as_optional_tensors", ""}};
        Argument out;
        const auto item = kItem.find(word);
        if (item == kItem.end()) {
            out.kind = ArgumentKind::unsupported;
            return out;
        }
        out.kind = ArgumentKind::list;
        for (const JsonReader& one : part.entries()) {
            out.items.push_back(item->second.empty() ? (*this)(one) : named(item->second, one));
            if (!item->second.empty()) out.items.back().word = item->second;
        }
        return out;
    }

    Argument value_called(const std::string& name) const {
        Argument out;
        out.kind = ArgumentKind::value;
        out.value = scope_.read(name, where_);
        return out;
    }

    const Scope& scope_;
    const std::string& where_;
    int depth_;
};

/// A node's outputs define names instead of reading them.
Argument output_of(const JsonReader& value, Scope& scope, const std::string& where) {
    const auto [word, part] = union_of(value);
    Argument out;
    out.word = word;
    out.kind = ArgumentKind::value;
    if (word == "as_none") {
        out.kind = ArgumentKind::none;
    } else if (word == "as_tensor") {
        out.value = scope.made(part["name"].text(), where);
    } else if (word == "as_sym_int" || word == "as_sym_float" || word == "as_sym_bool") {
        out.value = scope.made(part["as_name"].text(), where);
    } else if (word == "as_tensors") {
        out.kind = ArgumentKind::list;
        for (const JsonReader& one : part.entries()) {
            Argument item;
            item.kind = ArgumentKind::value;
            item.value = scope.made(one["name"].text(), where);
            out.items.push_back(std::move(item));
        }
    } else if (word == "as_optional_tensor") {
        return output_of(part, scope, where);
    } else {
        out.kind = ArgumentKind::unsupported;
    }
    return out;
}

/// The name of an input or output of any kind; "" if it has none.
std::string own_name(const json& argument) {
    if (!argument.is_object() || argument.empty()) return "";
    const json* first = &argument.begin().value();
    if (first->is_array() && !first->empty()) first = &first->front();
    const json& part = *first;
    if (!part.is_object()) return "";
    for (const char* key : {"name", "as_name"}) {
        const auto found = part.find(key);
        if (found != part.end() && found->is_string()) return found->get<std::string>();
    }
    return "";
}

Node parse_node(const JsonReader& source, Scope& scope, const std::string& graph, std::size_t place,
                int depth) {
    Node node;
    node.op = source["target"].text();
    const std::vector<JsonReader> outputs = source["outputs"].entries();
    node.name = outputs.empty() ? "" : own_name(outputs.front().json());
    if (node.name.empty()) node.name = std::to_string(place);
    const std::string where = graph + node.place();
    const ArgumentReader read(scope, where, depth);
    for (const JsonReader& input : source["inputs"].entries())
        node.inputs.push_back({input["name"].text(), read(input["arg"])});
    for (const JsonReader& output : outputs)
        node.outputs.push_back(output_of(output, scope, where));
    return node;
}

void parse_nodes(const JsonReader& source, Graph& graph, Scope& scope, const std::string& where,
                 int depth) {
    std::size_t place = 0;
    for (const JsonReader& node : source["nodes"].entries()) {
        graph.nodes.push_back(
            parse_node(node, scope, where.empty() ? "" : where + ": ", place, depth));
        ++place;
    }
    const ArgumentReader read(scope, where, depth);
    for (const JsonReader& output : source["outputs"].entries())
        graph.outputs.push_back(read(output));
}

Graph parse_graph(const JsonReader& source, const std::string& where, int depth) {
    Graph graph;
    Scope scope(graph);
    for (const JsonReader& input : source["inputs"].entries()) {
        const std::string name = own_name(input.json());
        // A fixed argument has no name, so no node can read it.
        graph.inputs.push_back(name.empty() ? -1 : scope.made(name, where));
    }
    parse_nodes(source, graph, scope, where, depth);
    return graph;
}

/// Reads "Symbol('s0', positive=True, integer=True)" or "s0"; "" for anything longer.
std::string symbol_in(const std::string& expression) {
    std::string_view text = expression;
    if (constexpr std::string_view call = "Symbol('"; text.starts_with(call)) {
        text.remove_prefix(call.size());
        const std::size_t quote = text.find('\'');
        if (quote == std::string_view::npos || text.find(')') != text.size() - 1) return "";
        text = text.substr(0, quote);
    }
    for (const char c : text) {
        const bool letter =
            (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (!letter) return "";
    }
    return std::string(text);
}

Dimension dimension_of(const JsonReader& size) {
    const auto [word, part] = union_of(size);
    if (word == "as_int") return {part.integer(0), ""};
    return {-1, symbol_in(part["expr_str"].text())};
}

/// One input of the model: a tensor from the archive, the images, or a fixed argument.
void take_input(const JsonReader& spec, Program& program, Scope& scope, std::string& images) {
    const std::string where = "the signature's inputs";
    const auto described = union_of(spec);
    const std::string& kind = described.first;
    const JsonReader& part = described.second;
    const auto tensor = [&](InputKind as, const char* key) {
        Input input;
        input.kind = as;
        input.name = part[key].text();
        input.value = scope.made(part["arg"]["name"].text(), where);
        program.inputs.push_back(std::move(input));
    };
    if (kind == "parameter") {
        tensor(InputKind::parameter, "parameter_name");
    } else if (kind == "buffer") {
        tensor(InputKind::buffer, "buffer_name");
    } else if (kind == "tensor_constant") {
        tensor(InputKind::constant, "tensor_constant_name");
    } else if (kind == "user_input") {
        const JsonReader argument = part["arg"];
        const auto [word, value] = union_of(argument);
        if (word == "as_tensor") {
            const std::string name = value["name"].text();
            images += (images.empty() ? "" : ", ") + name;
            program.image = scope.made(name, where);
        } else if (const std::string name = own_name(argument.json()); !name.empty()) {
            refuse(fmt::format("the model takes {} as {}, in addition to images or instead of them",
                               ticked(name), ticked(word)));
        }
    } else if (kind == "constant_input") {
        const std::string name = part["name"].text();
        const ArgumentReader read(scope, where, 0);
        program.constants[scope.made(name, where)] = read(part["value"]);
    } else {
        refuse(fmt::format("the model has an input of the kind {}, which is not supported{}",
                           ticked(kind),
                           kind == "custom_obj" ? " (an object of a C++ class)" : ""));
    }
}

void parse_signature(const JsonReader& module, Program& program, Scope& scope) {
    std::string images;
    for (const JsonReader& spec : module["signature"]["input_specs"].entries())
        take_input(spec, program, scope, images);
    if (program.image < 0) refuse("the model takes no tensor");
    if (images.find(", ") != std::string::npos)
        refuse(fmt::format("the model takes several tensors ({}); one, of images, is supported",
                           shortened(images, 200)));
    const JsonReader meta = module["graph"]["tensor_values"][images];
    const JsonReader type = meta["dtype"];
    program.image_type = number_type_of(type.integer(), type.place());
    for (const JsonReader& size : meta["sizes"].entries())
        program.image_sizes.push_back(dimension_of(size));
}

void parse_outputs(const JsonReader& module, Program& program, const Scope& scope) {
    const std::string where = "the signature's outputs";
    const ArgumentReader read(scope, where, 0);
    for (const JsonReader& spec : module["signature"]["output_specs"].entries()) {
        const auto [kind, part] = union_of(spec);
        if (kind == "user_output") {
            program.outputs.push_back({"", read(part["arg"])});
        } else if (kind == "buffer_mutation") {
            program.mutated.push_back(part["buffer_name"].text());
        } else {
            refuse(fmt::format("the model has an output of the kind {}, which is not supported",
                               ticked(kind)));
        }
    }
}

void parse_ranges(const JsonReader& source, Program& program) {
    const auto ranges = source.find("range_constraints");
    if (!ranges || !ranges->json().is_object()) return;
    for (const auto& [symbol, range] : ranges->object().items()) {
        Range& out = program.ranges[symbol];
        for (const auto& [key, limit] :
             {std::pair{"min_val", &out.least}, std::pair{"max_val", &out.most}}) {
            if (!range.is_object()) continue;
            const auto found = range.find(key);
            if (found != range.end() && found->is_number_integer())
                *limit = found->get<std::int64_t>();
        }
    }
}

}  // namespace

Program parse_program(std::string_view text) {
    const json parsed = parse_export_json(text);
    const JsonReader source(parsed, {.whole = "the program"});
    Program program;
    const std::int64_t major = source["schema_version"]["major"].integer();
    if (const auto torch = source.find("torch_version"); torch && torch->json().is_string())
        program.torch_version = shortened(torch->text());
    if (major != kSchema) {
        refuse(fmt::format(
            "the program has version {} of torch.export's schema{}; version {} is read (PyTorch "
            "2.6 "
            "and newer write it)",
            major, program.torch_version.empty() ? "" : " (PyTorch " + program.torch_version + ")",
            kSchema));
    }
    const JsonReader module = source["graph_module"];
    Scope scope(program.graph);
    parse_signature(module, program, scope);
    parse_nodes(module["graph"], program.graph, scope, "", 0);
    parse_outputs(module, program, scope);
    if (program.outputs.empty()) refuse("the model returns nothing");
    name_outputs(module, program);
    parse_ranges(source, program);
    return program;
}

}  // namespace assay::pt2
