#include "store/begun_store.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "assay/error.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "store/layout.h"
#include "store/parts.h"
#include "store/same_data.h"

namespace assay::store {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
    return text;
}

void refuse_differences(const fs::path& folder, const StoreSpec& recorded,
                        const StoreSpec& wanted) {
    const std::vector<std::string> found = differences(recorded, wanted);
    if (found.empty()) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("the store `{}` was begun differently: {}. Use another --out or a new "
                            "name for the model (--name), or the first options to resume it",
                            folder.string(), joined(found)));
}

}  // namespace

void refuse_former_order(const fs::path& store, const DatasetRecord& there, const Dataset& dataset,
                         const fs::path& folder) {
    if (same_classes(there.classes, dataset.classes).order != SameClasses::Order::moved ||
        any_manifest(store))
        return;
    refuse(
        fmt::format("`assay relabel` changed the order of the classes of the data set `{}` in "
                    "`{}`: {}; pass that list with --classes FILE, or use another --out",
                    there.name, folder.string(),
                    classes_difference(there.classes, dataset.classes, there_and_now)));
}

void agree_with_store(const fs::path& store, StoreSpec& wanted) {
    const std::optional<Manifest> there = any_manifest(store);
    if (!there) return;
    const StorePart& found = there->spec.part;
    if (found.of != wanted.part.of) {
        const std::string how =
            found.of == 0
                ? std::string("in one piece: predict all of it, or use another --out")
                : fmt::format(
                      "in {} parts: {}", found.of,
                      wanted.part.of == 0
                          ? fmt::format("run the missing parts, then `assay join {}`",
                                        shell_word(store.string()))
                          : fmt::format("predict one of them (`assay predict --part I/{}`), or use "
                                        "another --out",
                                        found.of));
        throw Error(ErrorCode::bad_input,
                    fmt::format("the store `{}` was begun {}", store.string(), how));
    }
    if (wanted.part.of == 0) return;  // begin_or_resume() checks this
    // This also includes a store whose join was interrupted, so that a damaged shard can be
    // computed again.
    refuse_differences(store, there->spec, wanted);
    wanted.decoder = there->spec.decoder;  // store/former_decoder.h checked that the pixels are the
                                           // same here
    if (wanted.batch_size == 0) wanted.batch_size = there->spec.batch_size;
    if (wanted.shard_rows == 0) wanted.shard_rows = there->spec.shard_rows;
}

Manifest begin_or_resume(const fs::path& folder, const StoreSpec& wanted) {
    const fs::path path = manifest_path(folder);
    if (is_there(path)) {
        Manifest recorded = read_manifest(path);
        refuse_differences(folder, recorded.spec, wanted);
        return recorded;
    }
    if (!is_empty_folder(shards_folder(folder))) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("`{}` holds shards but no manifest.json that describes them; use another "
                        "--out or a new name for the model (--name), or remove the folder",
                        folder.string()));
    }
    Manifest begun{wanted, false, {}};
    if (begun.spec.shard_rows == 0) begun.spec.shard_rows = shard_rows_for(wanted);
    check_spec(begun.spec);
    begun.spec.id = store_id(begun.spec);
    write_file_atomically(path, manifest_text(begun));
    return begun;
}

std::string id_of_begun(const fs::path& store, const DatasetRecord& there) {
    const std::optional<Manifest> begun = any_manifest(store);
    return begun && was_called(there, begun->spec.dataset_id) ? begun->spec.dataset_id : there.id;
}

}  // namespace assay::store
