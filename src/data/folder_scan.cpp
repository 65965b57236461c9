#include "data/folder_scan.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

/// The names in one folder, in one buffer, because a flat folder may have a million.
struct Entries {
    struct Entry {
        std::uint64_t begin;
        std::uint32_t size;  // size that includes the '/' of a folder
        bool folder;
    };
    std::string names;
    std::vector<Entry> entries;
    std::uint64_t others = 0;

    std::string_view name(const Entry& e) const {
        return std::string_view(names).substr(e.begin, e.size);
    }
};

bool may_be_table(std::string_view name) {
    const std::string extension = lower_extension(name);
    return extension == ".csv" || extension == ".tsv" || extension == ".txt" ||
           extension == ".json";
}

/// Folder names end with '/', so that sorting entries also sorts the paths below them.
Entries read_entries(const std::filesystem::path& folder, std::vector<std::string>* tables) {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
    if (!dir) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        throw Error(
            absent ? ErrorCode::bad_input : ErrorCode::io,
            fmt::format("cannot read the folder {}: {}", folder.string(), std::strerror(errno)));
    }
    Entries out;
    while (true) {
        errno = 0;
        const dirent* const entry = ::readdir(dir.get());
        if (entry == nullptr) {
            if (errno != 0)
                throw Error(ErrorCode::io, fmt::format("cannot read the folder {}: {}",
                                                       folder.string(), std::strerror(errno)));
            break;
        }
        const std::string_view name = entry->d_name;
        if (name.starts_with('.')) continue;
        bool regular = entry->d_type == DT_REG, is_folder = entry->d_type == DT_DIR;
        if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) {
            struct stat status {};
            const bool dangling = ::stat((folder / name).c_str(), &status) != 0;
            regular = dangling || S_ISREG(status.st_mode);
            is_folder = !dangling && S_ISDIR(status.st_mode);
        }
        if (!is_folder && !(regular && has_image_extension(name))) {
            ++out.others;
            if (tables != nullptr && may_be_table(name)) tables->emplace_back(name);
            continue;
        }
        out.entries.push_back({out.names.size(),
                               static_cast<std::uint32_t>(name.size() + (is_folder ? 1 : 0)),
                               is_folder});
        out.names += name;
        if (is_folder) out.names += '/';
    }
    std::sort(out.entries.begin(), out.entries.end(),
              [&](const auto& a, const auto& b) { return out.name(a) < out.name(b); });
    return out;
}

class Walk {
public:
    Walk(const std::filesystem::path& root, std::size_t limit, StringColumn& out,
         ScanCounts& counts)
        : root_(root), limit_(limit), out_(out), counts_(counts) {
        first_visit(root_);  // a link back to the root is not followed
    }

    /// `sub` is "" or ends in '/'.
    void read(const std::string& sub) {
        const Entries entries = read_entries(root_ / sub, nullptr);
        counts_.others += entries.others;
        for (const auto& entry : entries.entries) {
            if (limit_ != 0 && out_.size() >= limit_) return;
            std::string path = sub;
            path += entries.name(entry);
            if (!entry.folder) {
                out_.append(path);
            } else if (first_visit(root_ / path)) {
                read(path);
            } else {
                ++counts_.repeats;
            }
        }
    }

    bool first_visit(const std::filesystem::path& folder) {
        struct stat status {};
        return ::stat(folder.c_str(), &status) != 0 ||
               seen_.emplace(status.st_dev, status.st_ino).second;
    }

private:
    const std::filesystem::path& root_;
    std::size_t limit_;
    StringColumn& out_;
    ScanCounts& counts_;
    std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

FolderListing list_folder(const std::filesystem::path& folder) {
    FolderListing listing;
    const Entries entries = read_entries(folder, &listing.tables);
    listing.others = entries.others;
    std::sort(listing.tables.begin(), listing.tables.end());
    for (const auto& entry : entries.entries) {
        if (entry.folder) {
            listing.folders.emplace_back(entries.name(entry).substr(0, entry.size - 1));
        } else {
            ++listing.images;
        }
    }
    return listing;
}

void scan_images(const std::filesystem::path& root, const std::string& sub, std::size_t limit,
                 StringColumn& out, ScanCounts& counts) {
    Walk walk(root, limit, out, counts);
    if (!sub.empty()) walk.first_visit(root / sub);
    walk.read(sub.empty() ? "" : sub + "/");
}

bool holds_an_image(const std::filesystem::path& root, const std::string& sub) {
    StringColumn one;
    ScanCounts counts;
    scan_images(root, sub, 1, one, counts);
    return one.size() > 0;
}

}  // namespace assay
