#include "data/webdataset/kept_samples.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/paths.h"
#include "core/record_file.h"
#include "core/text.h"

namespace assay::remote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using webdataset::LabelRule;
using webdataset::Sample;

constexpr RecordSchema index_schema{"assay.tar_index/1"};
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

/// Everything that the file's name depends on.
struct IndexSettings {
    std::string url, label_column;
};

/// The columns of a table. They take a third of the space of rows as objects.
struct SampleColumns {
    std::vector<std::string> key, image;
    std::vector<std::uint64_t> offset, size;
    std::vector<std::string> label, label_place;
};

/// The contents of the file, after the settings.
struct KeptIndex {
    std::uint64_t bytes = 0;
    std::string version;
    std::uint64_t without_image = 0;
    std::string first_without;
    std::uint64_t left_out = 0;
    bool has_end_mark = false;
    SampleColumns samples;
};

}  // namespace
}  // namespace assay::remote

namespace assay {

template <>
inline constexpr auto description<remote::IndexSettings> = describe<remote::IndexSettings>({
    field<&remote::IndexSettings::url>({}),
    field<&remote::IndexSettings::label_column>({}),
});
template <>
inline constexpr auto description<remote::SampleColumns> = describe<remote::SampleColumns>({
    field<&remote::SampleColumns::key>({}),
    field<&remote::SampleColumns::image>({}),
    field<&remote::SampleColumns::offset>({}),
    field<&remote::SampleColumns::size>({}),
    field<&remote::SampleColumns::label>({}),
    field<&remote::SampleColumns::label_place>({}),
});
template <>
inline constexpr auto description<remote::KeptIndex> = describe<remote::KeptIndex>({
    field<&remote::KeptIndex::bytes>({}),
    field<&remote::KeptIndex::version>({}),
    field<&remote::KeptIndex::without_image>({}),
    field<&remote::KeptIndex::first_without>({}),
    field<&remote::KeptIndex::left_out>({}),
    field<&remote::KeptIndex::has_end_mark>({}),
    field<&remote::KeptIndex::samples>({}),
});

}  // namespace assay

namespace assay::remote {
namespace {

json settings_of(std::string_view url, const LabelRule& rule) {
    return record_of(index_schema, IndexSettings{std::string(url), std::string(rule.name)});
}

SampleColumns columns_of(const std::vector<Sample>& samples) {
    SampleColumns columns;
    for (const Sample& sample : samples) {
        columns.key.push_back(sample.key);
        columns.image.push_back(sample.image);
        columns.offset.push_back(sample.offset);
        columns.size.push_back(sample.size);
        columns.label.push_back(sample.label);
        columns.label_place.push_back(sample.label_place);
    }
    return columns;
}

/// Returns nothing if columns differ in length, or an image is beyond the archive's end.
std::optional<std::vector<Sample>> samples_of(SampleColumns columns, std::uint64_t archive_bytes) {
    std::vector<Sample> samples(columns.key.size());
    for (const std::size_t size : {columns.image.size(), columns.offset.size(), columns.size.size(),
                                   columns.label.size(), columns.label_place.size()})
        if (size != samples.size()) return std::nullopt;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        Sample& sample = samples[i];
        sample.key = std::move(columns.key[i]);
        sample.image = std::move(columns.image[i]);
        sample.offset = columns.offset[i];
        sample.size = columns.size[i];
        sample.label = std::move(columns.label[i]);
        sample.label_place = std::move(columns.label_place[i]);
        if (sample.offset > archive_bytes || sample.size > archive_bytes - sample.offset)
            return std::nullopt;
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
        // The first line is the checksum of the rest.
        const std::size_t line = text.find('\n');
        if (line == std::string::npos ||
            text.substr(0, line) != hash_text(std::string_view(text).substr(line + 1)))
            return std::nullopt;
        const json all = parse_json(std::string_view(text).substr(line + 1), deepest);
        KeptIndex index;
        if (!read_fields(all, &index, description<KeptIndex>) ||
            all.value("settings", json()) != settings_of(url, rule))
            return std::nullopt;
        auto samples = samples_of(std::move(index.samples), index.bytes);
        if (!samples) return std::nullopt;
        KeptSamples kept;
        kept.version = {index.bytes, index.version};
        kept.samples = {std::move(*samples), index.without_image, index.first_without,
                        index.left_out, index.has_end_mark};
        return kept;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
    }
    return std::nullopt;  // the archive is then read again
}

void keep_samples(const fs::path& folder, std::string_view url, const LabelRule& rule,
                  const KeptSamples& kept) {
    if (folder.empty() || kept.version.tag.empty()) return;
    const KeptIndex index{kept.version.size,
                          kept.version.tag,
                          kept.samples.without_image,
                          kept.samples.first_without,
                          kept.samples.left_out,
                          kept.samples.has_end_mark,
                          columns_of(kept.samples.samples)};
    json all = json_of(index);
    all["settings"] = settings_of(url, rule);
    std::string text;
    try {
        text = all.dump();
    } catch (const json::exception&) {
        return;  // some names are not UTF-8
    }
    make_folders(folder);
    write_file_atomically(kept_samples_file(folder, url, rule), hash_text(text) + "\n" + text);
}

}  // namespace assay::remote
