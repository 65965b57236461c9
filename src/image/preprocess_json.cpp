// Names, JSON, fingerprint and one-line description of preprocessing.
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "core/hash.h"
#include "core/json_reader.h"

namespace assay {
namespace {

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

constexpr Named<Interpolation> interpolations[] = {
    {"nearest", Interpolation::nearest},   {"box", Interpolation::box},
    {"bilinear", Interpolation::bilinear}, {"hamming", Interpolation::hamming},
    {"bicubic", Interpolation::bicubic},   {"lanczos", Interpolation::lanczos},
};
constexpr Named<CropMode> crop_modes[] = {
    {"center", CropMode::center},
    {"squash", CropMode::squash},
    {"border", CropMode::border},
    {"none", CropMode::none},
};
constexpr Named<ChannelOrder> channel_orders[] = {
    {"rgb", ChannelOrder::rgb}, {"bgr", ChannelOrder::bgr}, {"gray", ChannelOrder::gray}};
constexpr Named<ResizeRule> resize_rules[] = {
    {"pillow", ResizeRule::pillow},
    {"pillow13", ResizeRule::pillow13},
    {"torch", ResizeRule::torch},
    {"torch_float", ResizeRule::torch_float},
    {"torch_rounded", ResizeRule::torch_rounded},
    {"opencv", ResizeRule::opencv},
};
constexpr Named<CropStart> crop_starts[] = {{"round", CropStart::round},
                                            {"floor", CropStart::floor}};

template <class Table, class Value>
std::string_view find_name(const Table& table, Value value) {
    for (const auto& row : table) {
        if (row.value == value) return row.name;
    }
    throw Error(ErrorCode::internal,
                fmt::format("no name for the value {}", static_cast<int>(value)));
}

template <class Table>
auto find_value(const Table& table, std::string_view what, std::string_view name) {
    std::vector<std::string> known;
    for (const auto& row : table) {
        if (row.name == name) return row.value;
        known.emplace_back(row.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown {} `{}`{}", what, name, suggest(name, known)));
}

int read_side(const JsonReader& value) {
    return static_cast<int>(value.whole(1, 65'535));
}

double read_positive(const JsonReader& value) {
    const double number = value.number();
    if (!(number > 0)) value.refuse_as("a number above 0");
    return number;
}

template <class T, class Read>
void read_three(const JsonReader& value, std::array<T, 3>& out, Read&& read) {
    const std::vector<JsonReader> entries = value.entries();
    if (entries.size() != out.size()) value.refuse_as("a list of three numbers");
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = read(entries[c]);
}

void read_field(Preprocess& p, std::string_view key, const JsonReader& value) {
    if (key == "height") {
        p.height = read_side(value);
    } else if (key == "width") {
        p.width = read_side(value);
    } else if (key == "interpolation") {
        p.interpolation = interpolation_named(value.text());
    } else if (key == "crop_mode") {
        p.crop_mode = crop_mode_named(value.text());
    } else if (key == "crop_pct") {
        p.crop_pct = read_positive(value);
    } else if (key == "resize_size") {
        p.resize_size = std::nullopt;
        if (!value.json().is_null()) p.resize_size = read_side(value);
    } else if (key == "channel_order") {
        p.channel_order = channel_order_named(value.text());
    } else if (key == "scale") {
        p.scale = read_positive(value);
    } else if (key == "mean") {
        read_three(value, p.mean, [](const JsonReader& one) { return one.number(); });
    } else if (key == "std") {
        read_three(value, p.std, read_positive);
    } else if (key == "fill") {
        read_three(value, p.fill, [](const JsonReader& one) {
            return static_cast<std::uint8_t>(one.whole(0, 255));
        });
    } else if (key == "resize_as") {
        p.resize_as = resize_rule_named(value.text());
    } else if (key == "crop_start") {
        p.crop_start = crop_start_named(value.text());
    } else if (key == "antialias") {
        p.antialias = value.truth();
    }
}

std::string three(const std::array<double, 3>& values) {
    if (values[0] == values[1] && values[1] == values[2]) return fmt::format("{:.6g}", values[0]);
    return fmt::format("{:.6g} {:.6g} {:.6g}", values[0], values[1], values[2]);
}

/// A resize size as text: "256", or "256x320" (height x width) if the sides differ.
std::string describe_size(const Preprocess& p) {
    if (p.resize_size) return fmt::format("{}", *p.resize_size);
    const double rows = std::floor(p.height / p.crop_pct);
    const double columns = std::floor(p.width / p.crop_pct);
    return rows == columns ? fmt::format("{:.0f}", rows)
                           : fmt::format("{:.0f}x{:.0f}", rows, columns);
}

std::string_view whose_resize(ResizeRule rule) {
    switch (rule) {
        case ResizeRule::pillow:
            break;
        case ResizeRule::pillow13:
            return "Pillow 13's ";
        case ResizeRule::torch:
            return "PyTorch's ";
        case ResizeRule::torch_float:
            return "PyTorch's float ";
        case ResizeRule::torch_rounded:
            return "PyTorch's rounded float ";
        case ResizeRule::opencv:
            return "OpenCV's ";
    }
    return "";
}

std::string describe_filter(const Preprocess& p) {
    return fmt::format("{}{}{}", whose_resize(p.resize_as), name_of(p.interpolation),
                       p.antialias ? "" : " without antialias");
}

std::string describe_window(const Preprocess& p) {
    const std::string window = fmt::format("{}x{}", p.height, p.width);
    const std::string filter = describe_filter(p);
    if (p.crop_mode == CropMode::none) return fmt::format("resize to {} ({})", window, filter);
    const std::string_view how = p.crop_mode == CropMode::center   ? "short side"
                                 : p.crop_mode == CropMode::squash ? "both sides"
                                                                   : "long side";
    return fmt::format("resize {} ({}, {}) > centre {} {}{}", describe_size(p), filter, how,
                       p.crop_mode == CropMode::border ? "pad" : "crop", window,
                       p.crop_start == CropStart::floor ? " (rounded down)" : "");
}

}  // namespace

std::string_view name_of(Interpolation value) {
    return find_name(interpolations, value);
}
std::string_view name_of(CropMode value) {
    return find_name(crop_modes, value);
}
std::string_view name_of(ChannelOrder value) {
    return find_name(channel_orders, value);
}
std::string_view name_of(ResizeRule value) {
    return find_name(resize_rules, value);
}
std::string_view name_of(CropStart value) {
    return find_name(crop_starts, value);
}

Interpolation interpolation_named(std::string_view name) {
    return find_value(interpolations, "interpolation", name);
}
CropMode crop_mode_named(std::string_view name) {
    return find_value(crop_modes, "crop mode", name);
}
ChannelOrder channel_order_named(std::string_view name) {
    return find_value(channel_orders, "channel order", name);
}
ResizeRule resize_rule_named(std::string_view name) {
    return find_value(resize_rules, "resize_as", name);
}
CropStart crop_start_named(std::string_view name) {
    return find_value(crop_starts, "crop_start", name);
}

void check_filter(ResizeRule rule, Interpolation filter, bool antialias) {
    const bool of_torch = rule == ResizeRule::torch || rule == ResizeRule::torch_float ||
                          rule == ResizeRule::torch_rounded;
    const bool lanczos = filter == Interpolation::lanczos;
    if (!antialias && !of_torch) {
        throw Error(ErrorCode::usage,
                    fmt::format("--resize-as {} has no antialias option: --antialias false needs "
                                "--resize-as torch, torch_float or torch_rounded",
                                name_of(rule)));
    }
    if (of_torch && (filter == Interpolation::box || filter == Interpolation::hamming)) {
        throw Error(
            ErrorCode::usage,
            fmt::format("PyTorch has no filter {}: with --resize-as {}, --interpolation is "
                        "nearest, bilinear{}",
                        name_of(filter), name_of(rule),
                        rule == ResizeRule::torch ? ", bicubic or lanczos" : " or bicubic"));
    }
    if (lanczos && of_torch && rule != ResizeRule::torch) {
        throw Error(ErrorCode::usage,
                    fmt::format("PyTorch's lanczos on floats is not supported: with --resize-as "
                                "{}, --interpolation is nearest, bilinear or bicubic",
                                name_of(rule)));
    }
    if (lanczos && of_torch && !antialias) {
        throw Error(ErrorCode::usage,
                    "PyTorch has no lanczos without antialias: drop --antialias false, or "
                    "give --interpolation bilinear or bicubic");
    }
    if (rule == ResizeRule::opencv && (filter == Interpolation::hamming || lanczos)) {
        throw Error(
            ErrorCode::usage,
            fmt::format("OpenCV's {} is not supported: with --resize-as opencv, --interpolation is "
                        "nearest, bilinear, bicubic, or box (INTER_AREA)",
                        name_of(filter)));
    }
}

nlohmann::json to_json(const Preprocess& p) {
    nlohmann::json json = {
        {"height", p.height},
        {"width", p.width},
        {"interpolation", name_of(p.interpolation)},
        {"crop_mode", name_of(p.crop_mode)},
        {"crop_pct", p.crop_pct},
        {"resize_size", p.resize_size ? nlohmann::json(*p.resize_size) : nlohmann::json()},
        {"channel_order", name_of(p.channel_order)},
        {"scale", p.scale},
        {"mean", p.mean},
        {"std", p.std},
        {"fill", p.fill},
    };
    const Preprocess usual;
    if (p.resize_as != usual.resize_as) json["resize_as"] = name_of(p.resize_as);
    if (p.crop_start != usual.crop_start) json["crop_start"] = name_of(p.crop_start);
    if (p.antialias != usual.antialias) json["antialias"] = p.antialias;
    return json;
}

Preprocess preprocess_from_json(const nlohmann::json& json) {
    Preprocess p;
    const JsonReader fields(json, {}, "preprocess");
    fields.only({"antialias", "channel_order", "crop_mode", "crop_pct", "crop_start", "fill",
                 "height", "interpolation", "mean", "resize_as", "resize_size", "scale", "std",
                 "width"});
    for (const auto& [key, value] : json.items()) {
        try {
            read_field(p, key, fields[key]);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            fields[key].refuse(error.message());
        }
    }
    return p;
}

std::string fingerprint(const Preprocess& p) {
    return hash_text(to_json(p).dump());
}

std::string describe(const Preprocess& p) {
    // the two ways of dividing look the same to users
    const bool by_255 = static_cast<float>(p.scale) == 1.0F / 255.0F;
    std::string text = p.channel_order == ChannelOrder::gray ? "gray > " : "";
    text += describe_window(p);
    if (p.channel_order == ChannelOrder::bgr) text += " > BGR";
    if (by_255) {
        text += " > /255";
    } else if (p.scale != 1.0) {
        text += fmt::format(" > x{:.6g}", p.scale);
    }
    if (p.mean != std::array{0.0, 0.0, 0.0}) text += " > mean " + three(p.mean);
    if (p.std != std::array{1.0, 1.0, 1.0}) text += " > std " + three(p.std);
    return text;
}

}  // namespace assay
