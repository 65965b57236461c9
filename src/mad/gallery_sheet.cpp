#include "mad/gallery_sheet.h"

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "core/text.h"
#include "image/lettering.h"

namespace assay::mad {
namespace {

constexpr std::size_t sheet_pixels = 64'000'000;
constexpr int sheet_gap = 10, least_sheet_width = 640;
constexpr Ink sheet_ink = {40, 43, 56}, faint_ink = {115, 117, 132}, grey_ink = {176, 176, 176};
constexpr Ink yes_ink = {20, 120, 50}, no_ink = {178, 34, 34};

int scale_of(const SheetForm& form) {
    return form.side < 320 ? 1 : 2;
}
int line_height(const SheetForm& form) {
    return (letter_rows + 1) * scale_of(form);
}
int cell_width(const SheetForm& form) {
    return form.side + sheet_gap;
}
/// Number of text lines below an image.
int lines_below(const SheetForm& form) {
    if (form.plain) return 1;
    return form.named ? 5 : 3;
}
int cell_height(const SheetForm& form) {
    return form.side + lines_below(form) * line_height(form) + 2 * sheet_gap;
}
int head_height(std::size_t lines, const SheetForm& form) {
    return 2 * sheet_gap + static_cast<int>(lines) * (line_height(form) + 3);
}
std::size_t letters_across(int pixels, const SheetForm& form) {
    return static_cast<std::size_t>(std::max(0, pixels / (letter_columns * scale_of(form))));
}

struct Corner {
    int left, top;
};
Corner corner_of(std::size_t cell, std::size_t head_lines, const SheetForm& form) {
    return {.left = sheet_gap + static_cast<int>(cell % form.columns) * cell_width(form),
            .top = head_height(head_lines, form) +
                   static_cast<int>(cell / form.columns) * cell_height(form)};
}

/// Formats "A: tabby .93". Truncates a long name, but never its confidence.
void draw_label(Image& sheet, int left, int top, std::string_view prefix, const SheetLabel& label,
                const SheetForm& form) {
    const std::size_t room = letters_across(form.side, form);
    const std::size_t rest = prefix.size() + 1 + label.confidence.size();
    const std::string name = fitted(label.name, room > rest ? room - rest : 0);
    const Ink shade = label.mark == SheetMark::yes  ? yes_ink
                      : label.mark == SheetMark::no ? no_ink
                                                    : sheet_ink;
    draw_letters(sheet, left, top, fitted(std::string(prefix) + name, room), shade, scale_of(form));
    const int width = static_cast<int>(label.confidence.size()) * letter_columns * scale_of(form);
    draw_letters(sheet, left + form.side - width, top, label.confidence, shade, scale_of(form));
}

/// Draws the lines below an image.
void draw_lines(Image& sheet, int left, int top, const SheetCell& cell, const SheetForm& form) {
    const auto faint = [&](std::string_view text) {
        draw_letters(sheet, left, top, fitted(text, letters_across(form.side, form)), faint_ink,
                     scale_of(form));
        top += line_height(form);
    };
    for (const SheetLabel* label : {&cell.first, &cell.second}) {
        if (form.plain) break;
        if (form.named) faint(label->who);
        draw_label(sheet, left, top, form.named ? "" : (label == &cell.first ? "A: " : "B: "),
                   *label, form);
        top += line_height(form);
    }
    faint(cell.below);
}

Image grey_field(std::string_view reason, const SheetForm& form) {
    Image image;
    image.width = image.height = form.side;
    image.pixels.assign(std::size_t{4} * form.side * form.side, 255);
    fill_box(image, 0, 0, form.side, form.side, grey_ink);
    const std::size_t across = letters_across(form.side - 8, form);
    int top = 4;
    for (const std::string& line : folded_lines(reason, across)) {
        if (top + line_height(form) > form.side) break;
        draw_letters(image, 4, top, fitted(line, across), sheet_ink, scale_of(form));
        top += line_height(form);
    }
    return image;
}

/// The error's message without the path, because the sheet has no room for it.
std::string reason_of(const Error& error, const std::filesystem::path& path) {
    std::string text = error.message();
    const std::string name = path.string();
    for (const std::string& part : {"`" + name + "`: ", name + ": ", "`" + name + "` ", name}) {
        const std::size_t at = part.empty() ? std::string::npos : text.find(part);
        if (at != std::string::npos) text.erase(at, part.size());
    }
    return std::string(trimmed(text));
}

}  // namespace

std::size_t cells_of_a_sheet(const SheetForm& form) {
    const auto width = static_cast<std::size_t>(cell_width(form)) * form.columns + sheet_gap;
    const std::size_t row =
        std::max(width, static_cast<std::size_t>(least_sheet_width)) * cell_height(form);
    return std::max<std::size_t>(1, sheet_pixels / row) * form.columns;
}

Image cell_image(const SheetCell& cell, const SheetForm& form, std::string& reason) {
    try {
        const Image image = cell.data != nullptr ? load_image(*cell.data, cell.item)
                                                 : decode_image(read_file(cell.path));
        const int longer = std::max(image.width, image.height);
        const auto scaled = [&](int side) {
            const double exact = static_cast<double>(side) * form.side / longer;
            return std::max(1, static_cast<int>(std::lround(exact)));
        };
        return resize(image, Interpolation::bicubic,
                      {.width = scaled(image.width), .height = scaled(image.height)});
    } catch (const Error& error) {
        // An error that would also affect other images ends the work.
        if (error.code() != ErrorCode::bad_input) throw;
        reason = reason_of(error, cell.path);
        return grey_field(reason, form);
    }
}

Image empty_sheet(const std::vector<std::string>& head, std::span<const SheetCell> cells,
                  const SheetForm& form) {
    const std::size_t across =
        std::min<std::size_t>(form.columns, std::max(cells.size(), form.least_cells));
    const std::size_t down = (cells.size() + form.columns - 1) / form.columns;
    Image sheet;
    sheet.width =
        std::max(least_sheet_width, static_cast<int>(across) * cell_width(form) + sheet_gap);
    sheet.height = head_height(head.size(), form) + static_cast<int>(down) * cell_height(form);
    sheet.pixels.assign(std::size_t{4} * static_cast<std::size_t>(sheet.width) * sheet.height, 255);
    const std::size_t room = letters_across(sheet.width - 2 * sheet_gap, form);
    for (std::size_t i = 0; i < head.size(); ++i) {
        draw_letters(sheet, sheet_gap, sheet_gap + static_cast<int>(i) * (line_height(form) + 3),
                     fitted(head[i], room), sheet_ink, scale_of(form));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Corner corner = corner_of(i, head.size(), form);
        draw_lines(sheet, corner.left, corner.top + form.side + sheet_gap / 2, cells[i], form);
    }
    return sheet;
}

void put_cell(Image& sheet, const Image& image, std::size_t cell, std::size_t head_lines,
              const SheetForm& form) {
    const Corner corner = corner_of(cell, head_lines, form);
    paste_image(sheet, image, corner.left + (form.side - image.width) / 2,
                corner.top + (form.side - image.height) / 2);
}

Image stacked_sheets(const Image& upper, const Image& lower) {
    Image sheet;
    sheet.width = std::max(upper.width, lower.width);
    sheet.height = upper.height + lower.height;
    sheet.pixels.assign(std::size_t{4} * static_cast<std::size_t>(sheet.width) * sheet.height, 255);
    paste_image(sheet, upper, 0, 0);
    paste_image(sheet, lower, 0, upper.height);
    fill_box(sheet, sheet_gap, upper.height, sheet.width - 2 * sheet_gap, 1, faint_ink);
    return sheet;
}

}  // namespace assay::mad
