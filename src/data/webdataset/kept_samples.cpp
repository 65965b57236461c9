#include "data/webdataset/kept_samples.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::remote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using webdataset::LabelRule;
using webdataset::Sample;

constexpr const char* schema = "assay.tar_index/1";
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

json settings_of(std::string_view url, const LabelRule& rule) {
    return {{"schema", schema}, {"url", url}, {"label_column", rule.name}};
}

/// The columns of a table, which is a third of the size of its rows as objects.
json table_of(const std::vector<Sample>& samples) {
    json keys = json::array(), images = json::array(), offsets = json::array(),
         sizes = json::array(), labels = json::array(), places = json::array();
    for (const Sample& sample : samples) {
        keys.push_back(sample.key);
        images.push_back(sample.image);
        offsets.push_back(sample.offset);
        sizes.push_back(sample.size);
        labels.push_back(sample.label);
        places.push_back(sample.label_place);
    }
    return {{"key", keys},   {"image", images}, {"offset", offsets},
            {"size", sizes}, {"label", labels}, {"label_place", places}};
}

std::vector<Sample> samples_of(const json& table, std::uint64_t archive_bytes) {
    const json& keys = table.at("key");
    std::vector<Sample> samples(keys.size());
    for (const auto& [name, column] : table.items())
        if (!column.is_array() || column.size() != samples.size())
            refuse("columns differ in length");
    for (std::size_t i = 0; i < samples.size(); ++i) {
        Sample& sample = samples[i];
        sample.key = keys[i].get<std::string>();
        sample.image = table.at("image")[i].get<std::string>();
        sample.offset = table.at("offset")[i].get<std::uint64_t>();
        sample.size = table.at("size")[i].get<std::uint64_t>();
        sample.label = table.at("label")[i].get<std::string>();
        sample.label_place = table.at("label_place")[i].get<std::string>();
        if (sample.offset > archive_bytes || sample.size > archive_bytes - sample.offset)
            refuse("an image beyond the archive's end");
    }
    return samples;
}

}  // namespace

fs::path kept_samples_file(const fs::path& folder, std::string_view url, const LabelRule& rule) {
    const std::string digest = hash_text(settings_of(url, rule).dump());
    return folder / (digest.substr(digest.find(':') + 1) + ".json");
}

std::optional<KeptSamples> kept_samples(const fs::path& folder, std::string_view url,
                                        const LabelRule& rule) {
    if (folder.empty()) return std::nullopt;
    const fs::path file = kept_samples_file(folder, url, rule);
    try {
        if (!is_there(file)) return std::nullopt;
        constexpr int deepest = 4;
        const std::string text = read_text(file, most_bytes);
        // Its own checksum stands in front: a line.
        const std::size_t line = text.find('\n');
        if (line == std::string::npos ||
            text.substr(0, line) != hash_text(std::string_view(text).substr(line + 1)))
            return std::nullopt;
        const json all = parse_json(std::string_view(text).substr(line + 1), deepest);
        json settings = all.at("settings");
        if (settings != settings_of(url, rule)) return std::nullopt;
        KeptSamples kept;
        kept.version = {all.at("bytes").get<std::uint64_t>(), all.at("version").get<std::string>()};
        kept.samples.samples = samples_of(all.at("samples"), kept.version.size);
        kept.samples.without_image = all.at("without_image").get<std::uint64_t>();
        kept.samples.first_without = all.at("first_without").get<std::string>();
        kept.samples.left_out = all.at("left_out").get<std::uint64_t>();
        kept.samples.has_end_mark = all.at("has_end_mark").get<bool>();
        return kept;
    } catch (const json::exception&) {
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
    }
    return std::nullopt;  // it is read from the archive again
}

void keep_samples(const fs::path& folder, std::string_view url, const LabelRule& rule,
                  const KeptSamples& kept) {
    if (folder.empty() || kept.version.tag.empty()) return;
    const json all = {{"settings", settings_of(url, rule)},
                      {"bytes", kept.version.size},
                      {"version", kept.version.tag},
                      {"without_image", kept.samples.without_image},
                      {"first_without", kept.samples.first_without},
                      {"left_out", kept.samples.left_out},
                      {"has_end_mark", kept.samples.has_end_mark},
                      {"samples", table_of(kept.samples.samples)}};
    std::string text;
    try {
        text = all.dump();
    } catch (const json::exception&) {
        return;  // names that are no UTF-8
    }
    make_folders(folder);
    write_file_atomically(kept_samples_file(folder, url, rule), hash_text(text) + "\n" + text);
}

}  // namespace assay::remote
