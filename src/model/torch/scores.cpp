#include "model/torch/scores.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <vector>

#include "assay/error.h"

namespace assay::torch_plugin {
namespace {

std::vector<std::string> names_in(const c10::IValue& value) {
    std::vector<std::string> names;
    if (value.isTuple()) {
        const auto schema = value.type()->expect<c10::TupleType>()->schema();
        for (std::size_t i = 0; i < value.toTupleRef().elements().size(); ++i)
            names.push_back(schema ? schema->arguments().at(i).name() : std::to_string(i));
    } else if (value.isGenericDict()) {
        for (const auto& entry : value.toGenericDict()) {
            if (entry.key().isString()) names.push_back(entry.key().toStringRef());
        }
    } else if (value.isList()) {
        for (std::size_t i = 0; i < value.toListRef().size(); ++i)
            names.push_back(std::to_string(i));
    } else if (value.isTensorList()) {
        for (std::size_t i = 0; i < value.toTensorVector().size(); ++i)
            names.push_back(std::to_string(i));
    }
    return names;
}

std::string shape_text(c10::IntArrayRef sizes) {
    return sizes.empty() ? std::string("one number")
                         : fmt::format("{}", fmt::join(sizes.begin(), sizes.end(), " x "));
}

std::string kind_of(const c10::IValue& value) {
    if (value.isTensor()) {
        const auto sizes = value.toTensor().sizes();
        return fmt::format("tensor {}", fmt::join(sizes.begin(), sizes.end(), " x "));
    }
    return value.tagKind();
}

c10::IValue part_of(const c10::IValue& value, const std::vector<std::string>& names,
                    std::size_t i) {
    if (value.isTuple()) return value.toTupleRef().elements().at(i);
    if (value.isGenericDict()) return value.toGenericDict().at(c10::IValue(names.at(i)));
    return value.toList().get(i);
}

/// The part with the scores if it is not specified. It is the only tensor, or the tensor named
/// "logits" (others may be auxiliary classifiers and features). Returns names.size() if it is
/// ambiguous.
std::size_t obvious_part(const c10::IValue& value, const std::vector<std::string>& names) {
    std::size_t tensors = 0;
    std::size_t only = names.size();
    std::size_t logits = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const c10::IValue part = part_of(value, names, i);
        if (part.isNone()) continue;
        ++tensors;
        only = i;
        if (names[i] == "logits" && part.isTensor()) logits = i;
    }
    return tensors == 1 ? only : logits;
}

/// The parts of forward()'s result, for messages.
std::string list_of(const c10::IValue& value, const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < names.size() && i < 20; ++i)
        list += fmt::format("{}{} ({})", i > 0 ? ", " : "", names[i],
                            kind_of(part_of(value, names, i)));
    return list;
}

}  // namespace

Scores scores_in(const c10::IValue& value, const std::string& output) {
    if (value.isTensor()) {
        if (output.empty() || output == "0") return {value.toTensor(), ""};
        throw Error(ErrorCode::bad_input,
                    fmt::format("the settings name output \"{}\", but the model returns one "
                                "tensor; omit --output-entry",
                                output));
    }
    const std::vector<std::string> names = names_in(value);
    if (names.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("the model returns {} {}, not a tensor of scores",
                        value.isNone() ? "nothing:" : "an empty or unknown", value.tagKind()));
    }
    std::size_t chosen = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == output) chosen = i;
    }
    // A named tuple's fields may also be requested by position.
    std::size_t position = 0;
    const auto [stop, code] =
        std::from_chars(output.data(), output.data() + output.size(), position);
    if (chosen == names.size() && !value.isGenericDict() && code == std::errc{} &&
        stop == output.data() + output.size())
        chosen = std::min(position, names.size());
    if (output.empty()) chosen = obvious_part(value, names);
    if (chosen == names.size()) {
        throw Error(
            ErrorCode::bad_input,
            output.empty()
                ? fmt::format(
                      "the model returns several outputs; name the one that holds the scores "
                      "with --output-entry, or as \"output\" in the sidecar: {}",
                      list_of(value, names))
                : fmt::format("the model has no output \"{}\"; it returns: {}", output,
                              list_of(value, names)));
    }
    const c10::IValue part = part_of(value, names, chosen);
    if (!part.isTensor())
        throw Error(ErrorCode::bad_input,
                    fmt::format("output \"{}\" of the model is {}, not a tensor", names[chosen],
                                part.tagKind()));
    std::string note;
    if (output.empty() && names.size() > 1)
        note = fmt::format("the model returns several outputs ({}); \"{}\" are its scores",
                           list_of(value, names), names[chosen]);
    return {part.toTensor(), std::move(note)};
}

at::Tensor as_rows(at::Tensor scores, std::int64_t n) {
    if (!scores.defined())
        throw Error(ErrorCode::bad_input, "the model returns an undefined tensor");
    if (!scores.is_floating_point()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("the model returns numbers of type {} instead of scores; export it without "
                        "its last arg-max or quantisation step",
                        c10::toString(scores.scalar_type())));
    }
    if (scores.dim() == 4 && scores.size(2) == 1 && scores.size(3) == 1) scores = scores.flatten(1);
    if (scores.dim() < 2 && scores.numel() == n) scores = scores.reshape({n, 1});
    if (scores.dim() != 2 || scores.size(0) != n || scores.size(1) < 1) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the model returns {} for {} images; expected {} x classes",
                                shape_text(scores.sizes()), n, n));
    }
    return scores.to(at::kFloat);
}

}  // namespace assay::torch_plugin
