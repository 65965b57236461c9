// Reads the text of a file of boxes to rows of a BoxList, with one function per format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assay/patchml/boxes.h"

namespace assay {

/// Appends to a list, and numbers the class texts.
class BoxListBuilder {
public:
    explicit BoxListBuilder(BoxList& list) : list_(list) {}

    /// Sets the file of the following rows.
    void source(std::string_view name);
    /// Sets the image of the following rows. Repeating a name continues the same image.
    void image(std::string_view name, std::string_view alternative = "", ImageSize size = {});
    struct Marks {
        bool difficult = false, truncated = false;
    };
    void row(std::string_view cls, std::uint32_t place, const std::array<double, 4>& corners,
             Marks marks);
    void row(std::string_view cls, std::uint32_t place, const std::array<double, 4>& corners) {
        row(cls, place, corners, {});
    }
    /// Records a row that cannot be used. `what` and `place` name it: "object", "line" or
    /// "annotation", and its number.
    void reject(BoxFault fault, std::string_view what, std::uint32_t place, std::string_view cls,
                std::string detail);
    BoxList& list() { return list_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    BoxList& list_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> classes_;
};

/// The unit of `place`: "object", "line" or "annotation".
std::string_view place_word(BoxFormat format);

/// The number in `text`, which may have blanks around it; empty for any other text. Accepts NaN and
/// infinities, because the pool checks values.
std::optional<double> parse_corner(std::string_view text);

inline constexpr std::size_t max_xml_bytes = std::size_t{1} << 20;
inline constexpr int max_annotation_depth = 64;

/// These throw bad_input without the file's name if no part of the text can be used. `alternative`
/// is the path of the XML file below the annotations' folder, without its extension.
void parse_voc(std::string_view text, std::string_view alternative, BoxListBuilder& out);
void parse_solution(std::string_view text, const std::string& source, BoxListBuilder& out);
void parse_box_csv(std::string_view text, const std::string& source, BoxListBuilder& out);
void parse_coco(std::string_view text, BoxListBuilder& out);
/// True for a table with a column PredictionString.
bool is_solution(std::string_view text, const std::string& source);

}  // namespace assay
