// Reads archives of torch.export into parts, and writes them again, complete or damaged.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "containers/archives.h"
#include "containers/zip.h"
#include "core/file.h"
#include "images.h"
#include "model/pt2/package.h"

namespace assay {

using EntryTexts = std::map<std::string, std::string>;

inline EntryTexts entry_texts(std::span<const std::byte> bytes) {
    const ZipArchive archive(bytes);
    EntryTexts out;
    for (const ZipEntry& entry : archive.entries()) {
        const auto content = archive.read(entry, 1U << 30);
        out[entry.name] = {reinterpret_cast<const char*>(content.data()), content.size()};
    }
    return out;
}

inline EntryTexts entry_texts(const std::filesystem::path& path) {
    const MappedFile file(path);
    return entry_texts(file.bytes());
}

inline std::string zipped(const EntryTexts& entries) {
    std::vector<ZipPiece> parts;
    for (const auto& [name, content] : entries)
        parts.push_back({name, content, content.size(), 0, crc_of(content)});
    return archive_of(parts);
}

inline constexpr const char* kProgramEntry = "serialized_exported_program.json";

/// The archive of `name` with its program changed by `edit`.
template <class Edit>
std::string with_program(const std::string& name, Edit&& edit) {
    EntryTexts entries = entry_texts(fixture(name));
    nlohmann::json program = nlohmann::json::parse(entries.at(kProgramEntry));
    edit(program);
    entries[kProgramEntry] = program.dump();
    return zipped(entries);
}

/// The exporter's code for a type, and its format of a size.
inline nlohmann::json sizes_as_written(const std::vector<std::int64_t>& sizes) {
    nlohmann::json out = nlohmann::json::array();
    for (const std::int64_t size : sizes) out.push_back({{"as_int", size}});
    return out;
}

/// The archive of PyTorch 2.6 in the layout of torch/export/pt2_archive/_package.py of PyTorch 2.9:
/// raw storages with a table of their contents.
inline EntryTexts newer_layout(const std::string& name) {
    const MappedFile file(fixture(name));
    const pt2::Package package = pt2::read_package(file.bytes());
    constexpr std::array types = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13};
    EntryTexts out = {{"model/archive_format", "pt2"},
                      {"model/archive_version", "0"},
                      {"model/byteorder", "little"},
                      {"model/.data/version", "6\n"},
                      {"model/models/model.json", entry_texts(file.bytes()).at(kProgramEntry)}};
    for (const auto& [kind, file_name, tensors] :
         {std::tuple{"weights", "weight_", &package.weights},
          std::tuple{"constants", "tensor_", &package.constants}}) {
        nlohmann::json config = nlohmann::json::object();
        for (const auto& [tensor_name, tensor] : *tensors) {
            const std::string path = file_name + std::to_string(tensor.storage);
            const auto bytes = package.storages[tensor.storage];
            out[std::string("model/data/") + kind + "/" + path] = {
                reinterpret_cast<const char*>(bytes.data()), bytes.size()};
            config[tensor_name] = {{"path_name", path},
                                   {"is_param", true},
                                   {"use_pickle", false},
                                   {"tensor_meta",
                                    {{"dtype", types[static_cast<std::size_t>(tensor.type)]},
                                     {"sizes", sizes_as_written(tensor.sizes)},
                                     {"requires_grad", false},
                                     {"device", {{"type", "cpu"}}},
                                     {"strides", sizes_as_written(tensor.strides)},
                                     {"storage_offset", {{"as_int", tensor.offset}}},
                                     {"layout", 7}}}};
        }
        out[std::string("model/data/") + kind + "/model_" + kind + "_config.json"] =
            nlohmann::json({{"config", config}}).dump();
    }
    return out;
}

}  // namespace assay
