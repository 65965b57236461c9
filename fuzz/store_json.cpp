// Reads any text as manifest.json, a shard's record or dataset.json. An accepted text is the same
// when printed and read again. Half of the texts get the missing checksum.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "assay/error.h"
#include "core/hash.h"
#include "store/dataset_files.h"
#include "store/manifest.h"
#include "store/record.h"

namespace {

/// Stores with an id name it in their files. Older stores have no id.
assay::StoreSpec some_spec(const char* id) {
    assay::StoreSpec spec;
    spec.dataset_name = "val";
    spec.model_name = "net";
    spec.rows = 25;
    spec.classes = 7;
    spec.storage = assay::StorageFormat::top_k;
    spec.top_k = 3;
    spec.shard_rows = 10;
    spec.id = id;
    return spec;
}

/// Adds the checksum after the last field of the text.
std::string closed(std::string_view text) {
    std::string body(text.substr(0, text.rfind("\n}")));
    body += ",\n ";
    return body + "\"xxh128\": \"" + assay::hash_text(body) + "\"\n}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay::store;
    if (size == 0) return 0;
    const std::string_view given(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string text = data[0] < 128 ? closed(given) : std::string(given);
    try {
        if (data[0] % 3 == 0) {
            const std::string once = manifest_text(parse_manifest(text));
            if (manifest_text(parse_manifest(once)) != once) std::abort();
        } else if (data[0] % 3 == 1) {
            const assay::StoreSpec spec = some_spec(data[0] < 128 ? "store" : "");
            const std::string once = record_text(parse_record(text, spec, 2), spec);
            if (record_text(parse_record(once, spec, 2), spec) != once) std::abort();
        } else {
            const std::string once = dataset_text(parse_dataset_record(text));
            if (dataset_text(parse_dataset_record(once)) != once) std::abort();
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
