#include "model/libtorch/plugin_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "assay/error.h"
#include "core/file.h"
#include "core/record_file.h"
#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr RecordSchema plugin_schema{"assay.torch_plugin/1"};
constexpr const char* what_to_do =
    "to compile it for a LibTorch of this machine, type `assay torch --build`; to use the "
    "installed one, type `assay torch --remove`";

}  // namespace

fs::path record_file(const fs::path& plugin) {
    return fs::path(plugin).replace_extension(".json");
}

std::string text_of(const PluginRecord& record) {
    return record_of(plugin_schema, record).dump(2) + "\n";
}

std::optional<PluginRecord> record_of_plugin(const fs::path& plugin) {
    const fs::path file = record_file(plugin);
    std::error_code none;
    if (!fs::exists(file, none)) return std::nullopt;
    const json read = json::parse(read_text(file, 1 << 16), nullptr, false);
    PluginRecord record;
    if (!read_record(read, plugin_schema, record) || !record.libtorch.is_absolute()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} is not a record of a plug-in ({}); {}", file.string(),
                                plugin_schema.name, what_to_do));
    }
    return record;
}

std::string problem_of_plugin(const fs::path& plugin) {
    const auto record = record_of_plugin(plugin);
    return record ? problem_of_plugin(plugin, *record) : std::string();
}

std::string problem_of_plugin(const fs::path& plugin, const PluginRecord& record) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(record.libtorch, error);
    if (!error && bytes == record.bytes) return {};
    return fmt::format("the plug-in {} was built for LibTorch {}, {}, which {}; {}",
                       plugin.string(), shortened(record.version), record.libtorch.string(),
                       error ? "no longer exists" : "has changed", what_to_do);
}

}  // namespace assay
