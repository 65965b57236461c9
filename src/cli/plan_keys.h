// A table of an assay.toml whose keys are taken one by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay::cli {

/// What is left at the end is an error.
class Keys {
public:
    Keys(const nlohmann::json& table, std::string where, std::filesystem::path folder)
        : table_(table), where_(std::move(where)), folder_(std::move(folder)) {
        if (!table_.is_object()) refuse(where_ + " must be a table");
    }

    template <class T>
    T take(const std::string& key, T fallback) {
        known_.push_back(key);
        const auto found = table_.find(key);
        if (found == table_.end()) return fallback;
        T value;
        try {
            value = found->get<T>();
        } catch (const nlohmann::json::exception&) {
            refuse(where_ + "." + key + " has the value " + found->dump() +
                   ", which is of the wrong type");
        }
        table_.erase(found);
        return value;
    }
    template <class Unsigned>
    Unsigned take_count(const std::string& key, Unsigned fallback) {
        const auto value = take<std::int64_t>(key, static_cast<std::int64_t>(fallback));
        if (value < 0 || value > std::int64_t{1} << 31)
            refuse(where_ + "." + key + " is " + std::to_string(value) + "; at least 0 is allowed");
        return static_cast<Unsigned>(value);
    }
    /// Relative to the file's folder; "" when absent.
    std::filesystem::path take_path(const std::string& key) {
        const auto text = take<std::string>(key, "");
        return text.empty() ? std::filesystem::path() : path_from(folder_, text);
    }
    const nlohmann::json& rest() const { return table_; }
    void nothing_left() const {
        for (const auto& [key, value] : table_.items())
            refuse(where_ + " has an unknown key `" + key + "`" + suggest(key, known_));
    }

private:
    nlohmann::json table_;
    std::string where_;
    std::filesystem::path folder_;
    std::vector<std::string> known_;
};

}  // namespace assay::cli
