#include "serve/pages.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/hash.h"
#include "core/text.h"

// src/serve/CMakeLists.txt embeds the files of web/built between two symbols.
#define ASSAY_EMBEDDED(begin, end, name)                                 \
    extern "C" __attribute__((visibility("hidden"))) const char begin[]; \
    extern "C" __attribute__((visibility("hidden"))) const char end[];
#include "serve_files.inc"
#undef ASSAY_EMBEDDED

namespace assay::serve {
namespace {

std::string_view type_of_file(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".json", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
    };
    for (const auto& [ending, type] : types)
        if (name.ends_with(ending)) return type;
    return "application/octet-stream";
}

struct EmbeddedFile {
    std::string_view name;
    std::string_view bytes;
};

const std::vector<EmbeddedFile>& embedded_files() {
    static const std::vector<EmbeddedFile> files = {
#define ASSAY_EMBEDDED(begin, end, name) {name, {begin, end}},
#include "serve_files.inc"
#undef ASSAY_EMBEDDED
    };
    return files;
}

constexpr std::string_view strings_name = "strings/en.json";

/// index.html is served at /, and organiser.html at /organiser.
std::string path_of(std::string_view name) {
    if (name == "index.html") return "/";
    if (name.ends_with(".html")) return "/" + std::string(without_extension(name));
    return "/" + std::string(name);
}

struct PageTable {
    PageTable() {
        texts.reserve(2 * embedded_files().size());
        for (const EmbeddedFile& file : embedded_files()) {
            if (file.name == strings_name) continue;
            const std::string& path = texts.emplace_back(path_of(file.name));
            const std::string hash = hash_text(file.bytes);
            const std::string& etag =
                texts.emplace_back("\"" + hash.substr(hash.find(':') + 1) + "\"");
            all.push_back({path, type_of_file(file.name), file.bytes, etag});
        }
    }
    std::vector<std::string> texts;
    std::vector<Page> all;
};

}  // namespace

std::span<const Page> pages() {
    static const PageTable table;
    return table.all;
}

const Page* page_at(std::string_view path) {
    for (const Page& page : pages())
        if (page.path == path) return &page;
    return nullptr;
}

std::string_view english_strings() {
    for (const EmbeddedFile& file : embedded_files())
        if (file.name == strings_name) return file.bytes;
    return "{}";
}

HttpResponse response_of(const Page& page, std::string_view if_none_match) {
    HttpResponse response;
    // Unchanged pages require a request but no content, and the pages of a newer program appear
    // immediately.
    response.fields = {{"ETag", std::string(page.etag)}, {"Cache-Control", "no-cache"}};
    if (if_none_match.find(page.etag) != std::string_view::npos) {
        response.status = 304;
        return response;
    }
    response.type = page.type;
    response.body = HttpBody::constant(page.bytes);
    return response;
}

}  // namespace assay::serve
