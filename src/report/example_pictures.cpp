#include "report/example_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "assay/error.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/text.h"
#include "report/thumbnails.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t most_bytes_of_a_picture = std::uint64_t{16} << 20;

struct Picture {
    std::string path;
    bool difference = false;
};

const json* list_in(const json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? &*found : nullptr;
}

/// The images of one example. Empty if the entry has an unexpected form.
std::vector<Picture> pictures_of(const json& shown) {
    std::vector<Picture> out;
    if (!shown.is_object()) return out;
    for (const char* key : {"original", "attacked", "difference"}) {
        const auto found = shown.find(key);
        if (found == shown.end() || !found->is_string()) return {};
        out.push_back({found->get<std::string>(), std::string_view(key) == "difference"});
    }
    return out;
}

std::vector<Picture> wanted_pictures(const json& result, std::size_t most) {
    std::vector<Picture> wanted;
    std::set<std::string> known;
    const json* attacks = list_in(result, "attacks");
    if (attacks == nullptr) return wanted;
    bool more = true;
    for (std::size_t turn = 0; more; ++turn) {
        more = false;
        for (const json& attack : *attacks) {
            const json* shown = list_in(attack, "shown");
            if (shown == nullptr || turn >= shown->size()) continue;
            more = true;
            std::vector<Picture> fresh;
            for (Picture& picture : pictures_of((*shown)[turn]))
                if (!known.contains(picture.path)) fresh.push_back(std::move(picture));
            if (wanted.size() + fresh.size() > most) continue;
            for (Picture& picture : fresh)
                if (known.insert(picture.path).second) wanted.push_back(std::move(picture));
        }
    }
    return wanted;
}

/// Throws bad_input for a path that leads outside the folder.
fs::path file_below(const fs::path& folder, const std::string& path) {
    const fs::path whole = fs::weakly_canonical(folder);
    fs::path file = fs::weakly_canonical(whole / path);
    const fs::path relative = file.lexically_relative(whole);
    if (relative.empty() || *relative.begin() == ".." || relative == ".")
        throw Error(ErrorCode::bad_input, "it is outside the folder of its result");
    return file;
}

}  // namespace

std::vector<Thumbnail> example_pictures(const SavedResult& examples, std::size_t most, int side,
                                        int threads, Said& said) {
    const std::vector<Picture> wanted = wanted_pictures(examples.result, most);
    const fs::path folder = fs::absolute(examples.source).parent_path();
    std::vector<std::optional<Thumbnail>> made(wanted.size());
    parallel_blocks(wanted.size(), resolve_threads(threads), [&](std::size_t i) {
        throw_if_stopped();
        try {
            const auto bytes =
                read_file(file_below(folder, wanted[i].path), most_bytes_of_a_picture);
            const Image image = decode_image(bytes);
            made[i] =
                wanted[i].difference ? lossless_thumbnail_of(image) : thumbnail_of(image, side);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::io) throw;
        } catch (const fs::filesystem_error&) {  // a path that no file can have
        }
    });
    std::vector<Thumbnail> out;
    std::size_t unreadable = 0;
    std::string first;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!made[i]) {
            if (unreadable++ == 0) first = shortened(wanted[i].path);
            continue;
        }
        made[i]->dataset = examples.source;
        made[i]->id = wanted[i].path;
        out.push_back(std::move(*made[i]));
    }
    if (unreadable > 0)
        said.leave_out(fmt::format("{} of {} cannot be read: {}{}.",
                                   how_many(unreadable, "picture"), examples.source, first,
                                   unreadable > 1 ? ", ..." : ""));
    return out;
}

}  // namespace assay
