#include "model/pt2/package.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "assay/error.h"
#include "containers/zip.h"
#include "core/json_reader.h"
#include "core/refuse.h"
#include "core/text.h"
#include "model/pt2/entries.h"
#include "model/pt2/json.h"
#include "model/pt2/pickle.h"

namespace assay::pt2 {
namespace {

using nlohmann::json;
using Bytes = std::span<const std::byte>;

constexpr std::uint64_t kLargestProgram = 512ULL << 20;
constexpr std::uint64_t kLargestPickle = 64ULL << 20;
/// The limit for compressed entries, which are unpacked into memory. torch.export writes none.
constexpr std::uint64_t kLargestUnpacked = 8ULL << 30;

std::string_view as_text(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The entries of a zip file by name. Compressed ones are unpacked into the package.
class Entries {
public:
    Entries(Bytes bytes, Package& package) : zip_(bytes), size_(bytes.size()), package_(package) {
        for (const ZipEntry& entry : zip_.entries()) by_name_.emplace(entry.name, &entry);
    }

    const std::vector<ZipEntry>& all() const { return zip_.entries(); }
    bool has(const std::string& name) const { return by_name_.contains(name); }

    Bytes read(const std::string& name, std::uint64_t limit = kLargestUnpacked) const {
        const auto found = by_name_.find(name);
        if (found == by_name_.end())
            refuse(fmt::format("the archive has no entry `{}`", shortened(name)));
        const ZipEntry& entry = *found->second;
        read_.insert(entry.name);
        if (entry.size > limit) {
            refuse(fmt::format("entry `{}` has {} bytes; the limit is {}", shortened(name),
                               entry.size, limit));
        }
        if (entry.stored) return zip_.view(entry);
        std::uint64_t held = entry.size;
        for (const auto& other : package_.unpacked) held += other.size();
        if (held > kLargestUnpacked) {
            refuse(fmt::format("the compressed entries hold more than {} bytes; store them",
                               kLargestUnpacked));
        }
        package_.unpacked.push_back(zip_.read(entry, limit));
        return package_.unpacked.back();
    }

    /// Throws bad_input if an unread entry is damaged, because the file then differs from the
    /// export.
    void check_others() const {
        check_zip_overlap(zip_.entries(), size_);
        for (const ZipEntry& entry : zip_.entries()) {
            if (!read_.contains(entry.name)) zip_.unpack(entry, [](Bytes) {});
        }
    }

private:
    ZipArchive zip_;
    std::uint64_t size_;  ///< size of the archive
    mutable std::unordered_set<std::string_view> read_;
    std::unordered_map<std::string_view, const ZipEntry*> by_name_;
    Package& package_;
};

void check_byte_order(const Entries& entries, const std::string& name) {
    if (!entries.has(name)) return;
    const std::string_view order = trimmed(as_text(entries.read(name)));
    if (order != "little") {
        refuse(fmt::format("entry `{}`: byte order \"{}\"; only little is supported", name,
                           shortened(order)));
    }
}

/// Entries may overlap in a hostile file, which could then contain many storages of its whole size.
std::size_t add_storage(Package& package, Bytes bytes) {
    std::uint64_t held = package.file_bytes;
    for (const auto& other : package.unpacked) held += other.size();
    if (bytes.size() > held - package.storage_bytes)
        refuse("the storages are together larger than the file: entries overlap");
    package.storage_bytes += bytes.size();
    package.storages.push_back(bytes);
    return package.storages.size() - 1;
}

/// A torch.save file: a zip with data.pkl and the storages that it refers to.
void read_saved(Bytes bytes, const std::string& what, Package& package,
                std::map<std::string, StoredTensor>& tensors) {
    // Exporters write nothing if there are no tensors.
    if (bytes.empty()) return;
    const Entries entries(bytes, package);
    std::string root;
    for (const ZipEntry& entry : entries.all()) {
        const std::size_t slash = entry.name.find('/');
        if (slash != std::string::npos && entry.name.substr(slash) == "/data.pkl")
            root = entry.name.substr(0, slash + 1);
    }
    if (root.empty()) refuse("no table of tensors (data.pkl) in it");
    check_byte_order(entries, root + "byteorder");
    std::unordered_map<std::string, std::size_t> storages;
    for (auto& [name, pickled] :
         read_tensor_pickle(entries.read(root + "data.pkl", kLargestPickle))) {
        const auto [at, is_new] = storages.emplace(pickled.storage, 0);
        if (is_new)
            at->second = add_storage(package, entries.read(root + "data/" + pickled.storage));
        StoredTensor tensor = pickled.tensor;
        tensor.storage = at->second;
        const std::size_t size = package.storages[at->second].size();
        const std::string where = fmt::format("{}: `{}`", what, shortened(name));
        if (pickled.storage_numbers >= 0 &&
            static_cast<std::uint64_t>(pickled.storage_numbers) > size / bytes_of(tensor.type)) {
            refuse(fmt::format("{}: its storage `{}` has {} bytes instead of {} numbers", where,
                               shortened(pickled.storage), size, pickled.storage_numbers));
        }
        check_tensor(tensor, size, where);
        tensors.emplace(name, std::move(tensor));
    }
}

/// Fixed sizes have the form {"as_int": 3}.
std::vector<std::int64_t> known_sizes(const JsonReader& list) {
    std::vector<std::int64_t> sizes;
    for (const JsonReader& size : list.entries()) sizes.push_back(size["as_int"].integer());
    return sizes;
}

/// The table of the newer layout: JSON that maps names to entries of raw numbers.
void read_config(const Entries& entries, const std::string& folder, const std::string& config,
                 Package& package, std::map<std::string, StoredTensor>& tensors) {
    const json table = parse_export_json(as_text(entries.read(config, kLargestProgram)));
    const JsonReader list = JsonReader(table, {.whole = "the table of tensors"})["config"];
    std::unordered_map<std::string, std::size_t> storages;
    for (const auto& entry : list.object().items()) {
        const std::string& name = entry.key();
        const JsonReader payload = list[name];
        const std::string& path = payload["path_name"].text();
        const bool pickled = payload["use_pickle"].truth();
        const auto meta = payload.find("tensor_meta");
        if (pickled || !meta) {
            package.unreadable[name] = "an object that only Python or a C++ class can read";
            continue;
        }
        const std::string where = fmt::format("`{}`", shortened(name));
        StoredTensor tensor;
        tensor.type = number_type_of((*meta)["dtype"].integer(), where);
        if ((*meta)["layout"].integer() != 7)
            refuse(where + ": a tensor that is not strided (sparse)");
        tensor.sizes = known_sizes((*meta)["sizes"]);
        tensor.strides = known_sizes((*meta)["strides"]);
        tensor.offset = (*meta)["storage_offset"]["as_int"].integer();
        const auto [at, is_new] = storages.emplace(path, 0);
        if (is_new) at->second = add_storage(package, entries.read(folder + path));
        tensor.storage = at->second;
        check_tensor(tensor, package.storages[at->second].size(), where);
        tensors.emplace(name, std::move(tensor));
    }
}

/// The weights or constants of a model in the newer layout, whose file has had three names.
void read_payloads(const Entries& entries, const std::string& folder, const std::string& model,
                   const std::string& kind, Package& package,
                   std::map<std::string, StoredTensor>& tensors) {
    const std::string saved = folder + model + ".pt";
    if (entries.has(saved)) {
        with_note(fmt::format("reading its entry {}", saved),
                  [&] { read_saved(entries.read(saved), saved, package, tensors); });
        return;
    }
    const bool weights = kind == "weights";
    const std::string config = folder + model + "_" + kind + "_config.json";
    const std::string older =
        folder + model + (weights ? "_model_param_config.json" : "_model_constants_config.json");
    if (!entries.has(config) && !entries.has(older)) {
        if (weights) refuse(fmt::format("the archive has no entry `{}`", shortened(config, 100)));
        return;
    }
    const std::string& table = entries.has(config) ? config : older;
    with_note(fmt::format("reading its entry {}", shortened(table, 100)),
              [&] { read_config(entries, folder, table, package, tensors); });
}

void read_program(const Entries& entries, const std::string& name, Package& package) {
    with_note(fmt::format("reading its entry {}", shortened(name, 100)), [&] {
        package.program = parse_program(as_text(entries.read(name, kLargestProgram)));
    });
}

void read_newer(const Entries& entries, const std::string& root, Package& package) {
    check_byte_order(entries, root + "byteorder");
    const std::string version_entry = root + "archive_version";
    const std::string_view version =
        entries.has(version_entry) ? trimmed(as_text(entries.read(version_entry))) : "0";
    if (version != "0")
        refuse(fmt::format("an archive of version {}; only version 0 is supported",
                           shortened(version)));
    const std::string folder = root + "models/";
    constexpr std::string_view ending = ".json";
    std::vector<std::string> models;
    bool compiled = false;
    for (const ZipEntry& entry : entries.all()) {
        if (entry.name.starts_with(folder) && entry.name.ends_with(ending))
            models.push_back(entry.name.substr(folder.size(),
                                               entry.name.size() - folder.size() - ending.size()));
        compiled = compiled || entry.name.starts_with(root + "data/aotinductor/");
    }
    if (models.empty()) {
        refuse(compiled ? "the package holds code that AOTInductor compiled for one kind of "
                          "machine, and no graph; save the exported program itself "
                          "(torch.export.save)"
                        : "the archive holds no model (models/*.json)");
    }
    if (models.size() > 1) {
        refuse(fmt::format("the archive holds {} models ({}); one is supported", models.size(),
                           shortened(fmt::format("{}", fmt::join(models, ", ")), 200)));
    }
    read_program(entries, folder + models[0] + ".json", package);
    read_payloads(entries, root + "data/weights/", models[0], "weights", package, package.weights);
    read_payloads(entries, root + "data/constants/", models[0], "constants", package,
                  package.constants);
}

void read_older(const Entries& entries, const std::string& program, Package& package) {
    read_program(entries, program, package);
    const auto read = [&](const std::string& name, std::map<std::string, StoredTensor>& tensors) {
        with_note(fmt::format("reading its entry {}", name),
                  [&] { read_saved(entries.read(name), name, package, tensors); });
    };
    read("serialized_state_dict.pt", package.weights);
    read("serialized_constants.pt", package.constants);
}

/// The common top-level folder, if `file` is in one.
std::optional<std::string> root_of(const Entries& entries, std::string_view file) {
    for (const ZipEntry& entry : entries.all()) {
        const std::size_t slash = entry.name.find('/');
        if (slash != std::string::npos && std::string_view(entry.name).substr(slash + 1) == file)
            return entry.name.substr(0, slash + 1);
    }
    return std::nullopt;
}

}  // namespace

Package read_package(std::span<const std::byte> bytes) {
    Package package;
    package.file_bytes = bytes.size();
    const Entries entries(bytes, package);
    const std::string program(kOlderProgram);
    if (entries.has(program)) {
        read_older(entries, program, package);
    } else if (const auto root = root_of(entries, kNewerMark)) {
        const std::string_view format =
            trimmed(as_text(entries.read(*root + std::string(kNewerMark))));
        if (format != "pt2")
            refuse(fmt::format("an archive of the format \"{}\"; only pt2 is supported",
                               shortened(format)));
        read_newer(entries, *root, package);
    } else if (root_of(entries, "constants.pkl")) {
        refuse("the archive is a TorchScript model; name it .pt");
    } else if (root_of(entries, "data.pkl")) {
        refuse(
            "the archive holds weights only (torch.save); name its network (--arch "
            "timm:resnet50), or export the model with "
            "torch.export.save(torch.export.export(model, (images,)), path)");
    } else {
        refuse("the zip file is not an archive of torch.export");
    }
    entries.check_others();
    return package;
}

void check_checksums(std::span<const std::byte> archive) {
    try {
        check_zip_entries(archive);
    } catch (const Error& error) {
        throw Error(error.code(), error.message() + "; copy or export the file again");
    }
}

}  // namespace assay::pt2
