#include "store/side_record.h"

#include <fmt/format.h>

#include "core/file.h"
#include "core/json_reader.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "store/fields.h"
#include "store/layout.h"

namespace assay::store {

void write_side_record(const PredictionStore& store, const SideRecord& record,
                       nlohmann::json value) {
    value["schema"] = record.schema;
    value["schema_version"] = schema_version;
    value["store"] = store.spec().id;
    write_file_atomically(store.folder() / record.file, dump_with_checksum(value));
}

std::optional<nlohmann::json> read_side_record(const PredictionStore& store,
                                               const SideRecord& record) {
    if (store.is_in_memory()) return std::nullopt;
    const fs::path file = store.folder() / record.file;
    if (!is_there(file)) return std::nullopt;
    return with_note(fmt::format("reading `{}`", file.string()), [&]() -> nlohmann::json {
        nlohmann::json value = parse_object(read_text(file, max_json_bytes), record.schema).value;
        const JsonReader fields(value);
        const std::string& of = fields["store"].text();
        if (of != store.spec().id)
            refuse(
                fmt::format("it is of the store {:.60}, and this is {:.60}: the command that "
                            "made the store writes it again",
                            of, store.spec().id));
        return value;
    });
}

}  // namespace assay::store
