// Writes flat names and JSON lines for experiment trackers.
#include "assay/report/log.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "assay/error.h"
#include "core/hash.h"

namespace assay {
namespace {

/// MLflow limits names to 250 characters; suffixes follow the name.
constexpr std::size_t longest_name = 240;
constexpr std::array endings = {"", "_low", "_high", "_n"};

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/// "ece (bins 20)" becomes ece_bins_20: all characters between plain characters become one `_`.
std::string plain_part(std::string_view text) {
    std::string out;
    bool gap = false;
    for (const char c : text) {
        if (!is_plain(c)) {
            gap = true;
            continue;
        }
        if (gap && !out.empty()) out += '_';
        gap = false;
        out += c;
    }
    // Names may be interpreted as paths, in which these mean other folders.
    if (out.empty() || out == ".") return "_";
    return out == ".." ? "__" : out;
}

std::string flat_name(const std::vector<std::string>& parts) {
    std::string name;
    for (const std::string& part : parts) name += (name.empty() ? "" : "/") + plain_part(part);
    if (name.size() <= longest_name) return name;
    constexpr std::size_t digits = 16;
    const std::string hash = hash_text(name);
    name.resize(longest_name - digits - 1);
    if (name.back() == '/') name.back() = '_';
    return name + "_" + hash.substr(hash.size() - digits);
}

}  // namespace

Log log_of(const Report& report) {
    Log log;
    std::set<std::string> taken;
    const auto take = [&](const std::string& name) {
        for (const char* ending : endings) {
            if (taken.contains(name + ending)) return false;
        }
        for (const char* ending : endings) taken.insert(name + ending);
        return true;
    };
    for (const NamedValue& named : report.values) {
        const std::string flat = flat_name(named.name);
        std::string name = flat;
        for (int i = 2; !take(name); ++i) name = fmt::format("{}_{}", flat, i);
        if (name != flat) {
            log.warnings.push_back(
                fmt::format("two values would be logged as {}: the later one is {}", flat, name));
        }
        const Estimate& value = named.value;
        if (!value.value) {
            log.entries.push_back({name, std::nullopt, value.undefined});
            continue;
        }
        const auto add = [&](std::size_t ending, double number) {
            log.entries.push_back({name + endings.at(ending), number, ""});
        };
        add(0, *value.value);
        if (value.interval) {
            add(1, value.interval->low);
            add(2, value.interval->high);
        }
        if (value.n > 0) add(3, static_cast<double>(value.n));
    }
    return log;
}

std::string log_lines(const Log& log, std::uint64_t step) {
    std::string out;
    for (const LogEntry& entry : log.entries) {
        nlohmann::ordered_json line = {{"name", entry.name}, {"step", step}};
        if (entry.value) {
            line["value"] = *entry.value;
        } else {
            line["undefined"] = entry.undefined;
        }
        out += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }
    return out;
}

LogTarget log_target_named(std::string_view text) {
    constexpr std::string_view tensorboard = "tensorboard:";
    if (text.starts_with(tensorboard) && text.size() > tensorboard.size())
        return {LogTarget::Kind::tensorboard, text.substr(tensorboard.size())};
    if (text.ends_with(".jsonl")) return {LogTarget::Kind::lines, text};
    throw Error(ErrorCode::usage,
                fmt::format("--log is `{}`; allowed: FILE.jsonl, for MLflow and Weights & Biases "
                            "(docs/tools.md), or tensorboard:DIR",
                            text));
}

}  // namespace assay
