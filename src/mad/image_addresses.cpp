#include "mad/image_addresses.h"

#include <algorithm>

#include "core/text.h"
#include "mad/competition_items.h"

namespace assay::mad {
namespace {

/// Longer texts are no paths, and searching their ends would take time in the square of their
/// length.
constexpr std::size_t longest_address = 8192;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// "%20" becomes a blank.
std::string from_address(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            plain += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// Label Studio's name for an uploaded file, without the mark: blanks become "_", and all
/// characters except letters, digits, "-", "_" and "." are removed.
std::string upload_name(std::string_view name) {
    std::string kept;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                           static_cast<unsigned char>(c) >= 0x80;
        if (plain) kept += c;
        if (c == ' ') kept += '_';
    }
    return kept;
}

/// Returns "name.jpg" for an upload: ".../data/upload/3/1a2b3c4d-name.jpg"; "" for other addresses.
std::string_view uploaded_name(std::string_view address) {
    if (address.find("/data/upload/") == std::string_view::npos) return {};
    constexpr std::size_t digits = 8;
    const std::string_view name = base_name(address);
    if (name.size() <= digits + 1 || name[digits] != '-') return {};
    const bool marked =
        std::all_of(name.begin(), name.begin() + digits, [](char c) { return hex_digit(c) >= 0; });
    return marked ? name.substr(digits + 1) : std::string_view();
}

}  // namespace

bool is_address(std::string_view text) {
    return text.find("://") != std::string_view::npos || text.starts_with("/data/") ||
           text.find("?d=") != std::string_view::npos;
}

ImageAddresses::ImageAddresses(const Competition& competition,
                               const std::map<std::int64_t, ImageRow>& rows)
    : competition_(competition) {
    for (const auto& [number, row] : rows) {
        for (const std::string& name : {row.id, row.path}) {
            std::vector<ImageRow>& alike = alike_[upload_name(base_name(name))];
            // The data set's own images are looked up again in items.csv.
            if (number < 0) alike.push_back(row);
        }
    }
}

void ImageAddresses::note_name(std::string_view name, const ImageRow& row) {
    if (const auto found = alike_.find(upload_name(base_name(name))); found != alike_.end())
        found->second.push_back(row);
}

void ImageAddresses::look_through() {
    visit_items(competition_,
                [&](std::uint64_t number, std::string_view id, std::string_view path) {
                    const ImageRow row{.number = static_cast<std::int64_t>(number),
                                       .id = std::string(id),
                                       .path = std::string(path)};
                    note_name(id, row);
                    if (path != id) note_name(path, row);
                });
    complete_ = true;
}

void ImageAddresses::add_ends(std::string_view address, const std::vector<ImageRow>& known,
                              ByNumber& meant) const {
    for (std::string_view rest = address;;) {
        for (const ImageRow& row : known)
            if (row.id == rest || row.path == rest) meant[row.number] = row;
        const std::size_t end = rest.find_first_of("/=");
        // If the whole text is an id, it means that image, even if its end matches another one.
        if (end == std::string_view::npos || (rest.size() == address.size() && !meant.empty()))
            return;
        rest.remove_prefix(end + 1);
    }
}

std::vector<ImageRow> ImageAddresses::meant_by(std::string_view address) {
    if (address.size() > longest_address) return {};
    if (!complete_) look_through();
    ByNumber meant;
    const std::string plain = from_address(address);
    for (const std::string_view text : {address, std::string_view(plain)}) {
        std::vector<ImageRow> known;
        for (std::string_view name = base_name(text);;) {
            if (const auto found = alike_.find(upload_name(name)); found != alike_.end())
                known.insert(known.end(), found->second.begin(), found->second.end());
            const std::size_t end = name.find('=');
            if (end == std::string_view::npos) break;
            name.remove_prefix(end + 1);
        }
        add_ends(text, known, meant);
    }
    if (const std::string_view name = uploaded_name(plain); meant.empty() && !name.empty()) {
        if (const auto found = alike_.find(upload_name(name)); found != alike_.end())
            for (const ImageRow& row : found->second) meant[row.number] = row;
    }
    std::vector<ImageRow> rows;
    for (const auto& [number, row] : meant) rows.push_back(row);
    return rows;
}

}  // namespace assay::mad
