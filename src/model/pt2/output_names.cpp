#include "model/pt2/output_names.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/refuse.h"

namespace assay::pt2 {
namespace {

using nlohmann::json;

/// The content of a container's context, if it is JSON.
json parsed_or_null(const std::string& text) {
    constexpr int deepest = 8;
    try {
        return parse_json(text, deepest);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return nullptr;
    }
}

/// Finds the names of a container's entries in PyTorch's description of the returned value.
class OutputNames {
public:
    std::vector<std::string> names;
    bool named = false;

    /// `fields` are the field names of named tuple types, which newer exporters record.
    explicit OutputNames(const json& fields) : fields_(fields) {}

    void look(const JsonReader& spec, const std::string& prefix, int depth) {
        if (depth > 16) refuse("the model's outputs are nested too deep");
        const std::vector<JsonReader> children = spec["children_spec"].entries();
        if (spec["type"].json().is_null() && children.empty()) {
            names.push_back(prefix);
            return;
        }
        const std::vector<std::string> keys = keys_of(spec.json(), children.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
            const std::string own = keys.empty() ? std::to_string(i) : keys[i];
            look(children[i], prefix.empty() ? own : prefix + "." + own, depth + 1);
        }
        if (depth == 0) named = !keys.empty();
    }

private:
    /// The context of a dict lists its keys, as for most containers with names.
    std::vector<std::string> keys_of(const json& spec, std::size_t count) const {
        const auto context = spec.find("context");
        if (context == spec.end() || !context->is_string()) return {};
        json list;
        if (const auto type = fields_.find(context->get<std::string>());
            spec.value("type", json()) == "collections.namedtuple" && type != fields_.end()) {
            if (type->is_object()) list = type->value("field_names", json());
        } else {
            list = parsed_or_null(context->get<std::string>());
        }
        if (!list.is_array() || list.size() != count) return {};
        std::vector<std::string> keys;
        for (const json& key : list) {
            if (!key.is_string()) return {};
            keys.push_back(key.get<std::string>());
        }
        return keys;
    }

    const json& fields_;
};

}  // namespace

void name_outputs(const JsonReader& module, Program& program) {
    const json none = json::object();
    const auto fields = module.find("treespec_namedtuple_fields");
    OutputNames found(fields && fields->json().is_object() ? fields->object() : none);
    const auto calls = module.find("module_call_graph");
    if (calls && calls->json().is_array()) {
        for (const JsonReader& call : calls->entries()) {
            if (!call.json().is_object() || call.json().value("fqn", json("?")) != json(""))
                continue;
            const auto signature = call.find("signature");
            if (!signature || !signature->json().is_object()) continue;
            const json spec = parse_json((*signature)["out_spec"].text(), 64);
            if (spec.is_array() && spec.size() == 2)
                found.look(JsonReader(spec[1], {}, "out_spec[1]"), "", 0);
        }
    }
    const bool fits = found.names.size() == program.outputs.size();
    program.named_outputs = fits && found.named;
    for (std::size_t i = 0; i < program.outputs.size(); ++i)
        program.outputs[i].name = fits ? found.names[i] : std::to_string(i);
}

}  // namespace assay::pt2
