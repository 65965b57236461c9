// Reads COCO's instances from the parser's events, because files have hundreds of megabytes, mostly
// outlines that are not needed.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "assay/error.h"
#include "core/json_events.h"
#include "core/text.h"
#include "patchml/box_readers.h"

namespace assay {
namespace {

using Json = nlohmann::json;

struct Annotation {
    std::optional<std::int64_t> image, category;
    std::array<double, 4> box{};  ///< x, y, width, height
    std::uint32_t numbers = 0;    ///< count of numbers in the bbox
    std::uint32_t place = 0;
    bool crowd = false;
    bool not_numbers = false;  ///< true if the bbox also has other values
};

/// A value in a list that should be an object.
struct Damaged {
    std::string_view what;  ///< "image", "annotation", "category"
    std::uint32_t place;
    std::string value;
};

/// The content of the file before ids are resolved, because annotations may precede their images.
struct Content {
    struct Image {
        std::string name;
        ImageSize size;
        bool has_annotation = false;
    };
    std::unordered_map<std::int64_t, Image> images;
    std::unordered_map<std::int64_t, std::string> categories;
    std::vector<Annotation> annotations;
    std::vector<Damaged> damaged;
    bool has_annotations = false;
};

/// A damaged entry, or one without an image or a box, takes more memory than its text. A file with
/// so many of them is no COCO file.
constexpr std::size_t max_incomplete = 1'000'000;

class CocoEvents : public JsonEvents {
public:
    explicit CocoEvents(Content& out) : out_(out) {}

    bool null() override { return no_number("null"); }
    bool boolean(bool value) override {
        if (depth_ == 3 && in_list_ && field_ == "iscrowd") annotation_.crowd = value;
        return no_number(value ? "true" : "false");
    }
    bool number_integer(number_integer_t value) override { return whole(value); }
    bool number_unsigned(number_unsigned_t value) override {
        constexpr auto most =
            static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
        return value <= most ? whole(static_cast<std::int64_t>(value))
                             : number(static_cast<double>(value));
    }
    bool number_float(number_float_t value, const string_t&) override { return number(value); }
    bool string(string_t& text) override {
        if (depth_ == 3 && section_ == Section::images && field_ == "file_name") name_ = text;
        if (depth_ == 3 && section_ == Section::categories && field_ == "name") name_ = text;
        return no_number(text);
    }
    bool start_object(std::size_t) override {
        if (depth_ == 2 && in_list_) {
            id_.reset();
            name_.reset();
            size_ = {};
            annotation_ = {};
            ++place_;
        }
        return open();
    }
    bool key(string_t& text) override {
        if (depth_ == 1) {
            section_ = text == "images"        ? Section::images
                       : text == "annotations" ? Section::annotations
                       : text == "categories"  ? Section::categories
                                               : Section::other;
        } else if (depth_ == 3) {
            field_ = text;
        }
        return true;
    }
    bool end_object() override {
        --depth_;
        if (depth_ == 2 && in_list_) end_item();
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0)
            throw Error(ErrorCode::bad_input, "it is a list, but COCO instances are an object");
        if (depth_ == 2 && in_list_) {
            throw Error(ErrorCode::bad_input,
                        "a list instead of an image, an annotation or a category");
        }
        if (depth_ == 1) {
            in_list_ = section_ != Section::other;
            place_ = 0;
            out_.has_annotations = out_.has_annotations || section_ == Section::annotations;
        }
        if (depth_ == 3) in_box_ = in_list_ && section_ == Section::annotations && field_ == "bbox";
        return open();
    }
    bool end_array() override {
        --depth_;
        if (depth_ == 1) in_list_ = false;
        if (depth_ == 3) in_box_ = false;
        return true;
    }

private:
    enum class Section { other, images, annotations, categories };

    std::string_view item_word() const {
        return section_ == Section::images        ? "image"
               : section_ == Section::annotations ? "annotation"
                                                  : "category";
    }

    void count_incomplete() {
        if (++incomplete_ <= max_incomplete) return;
        throw Error(ErrorCode::bad_input,
                    fmt::format("more than {} entries that are not objects, or annotations without "
                                "image_id or bbox: these are not COCO instances",
                                max_incomplete));
    }

    /// A value that is neither a number nor a list nor an object.
    bool no_number(std::string_view value) {
        damaged(value);
        annotation_.not_numbers = annotation_.not_numbers || (depth_ == 4 && in_box_);
        return true;
    }

    /// One side alone is not enough.
    ImageSize known_size() const {
        return size_.width > 0 && size_.height > 0 ? size_ : ImageSize{};
    }

    /// A value where an image, an annotation or a category is required. It is counted, so that the
    /// positions of the others stay correct.
    void damaged(std::string_view value) {
        if (depth_ != 2 || !in_list_) return;
        count_incomplete();
        out_.damaged.push_back({item_word(), ++place_, shortened(value)});
    }

    bool open() {
        annotation_.not_numbers = annotation_.not_numbers || (depth_ == 4 && in_box_);
        ++depth_;
        return true;
    }
    bool whole(std::int64_t value) {
        if (depth_ == 3 && in_list_) {
            if (field_ == "id") id_ = value;
            if (field_ == "image_id") annotation_.image = value;
            if (field_ == "category_id") annotation_.category = value;
            const bool side = value > 0 && value <= std::numeric_limits<std::int32_t>::max();
            if (field_ == "width" && side) size_.width = static_cast<std::int32_t>(value);
            if (field_ == "height" && side) size_.height = static_cast<std::int32_t>(value);
        }
        return number(static_cast<double>(value));
    }
    bool number(double value) {
        if (depth_ == 2 && in_list_) damaged(fmt::format("{}", value));
        if (depth_ == 4 && in_box_) {
            if (annotation_.numbers < 4) annotation_.box[annotation_.numbers] = value;
            if (annotation_.numbers < 5) ++annotation_.numbers;
        } else if (depth_ == 3 && in_list_ && field_ == "iscrowd") {
            annotation_.crowd = value != 0;
        }
        return true;
    }
    void end_item() {
        if (section_ == Section::annotations) {
            annotation_.place = place_;
            if (!annotation_.image || annotation_.numbers != 4) count_incomplete();
            out_.annotations.push_back(annotation_);
            return;
        }
        const bool image = section_ == Section::images;
        if (!id_ || !name_) {
            throw Error(ErrorCode::bad_input, fmt::format("{} {} has no {}", item_word(), place_,
                                                          !id_    ? "whole number as its id"
                                                          : image ? "file_name"
                                                                  : "name"));
        }
        const bool fresh =
            image ? out_.images.try_emplace(*id_, Content::Image{std::move(*name_), known_size()})
                        .second
                  : out_.categories.try_emplace(*id_, std::move(*name_)).second;
        if (!fresh) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} id {} appears twice", item_word(), *id_));
        }
    }

    Content& out_;
    Section section_ = Section::other;
    std::string field_;
    int depth_ = 0;
    bool in_list_ = false, in_box_ = false;
    std::uint32_t place_ = 0;
    std::size_t incomplete_ = 0;
    std::optional<std::int64_t> id_;
    std::optional<std::string> name_;
    ImageSize size_;
    Annotation annotation_;
};

void add(const Annotation& a, Content& content, BoxListBuilder& out) {
    const auto reject = [&](BoxFault fault, std::string_view cls, std::string detail) {
        out.reject(fault, "annotation", a.place, cls, std::move(detail));
    };
    const auto image = a.image ? content.images.find(*a.image) : content.images.end();
    if (image == content.images.end()) {
        out.image("");
        return reject(BoxFault::missing_image, "",
                      a.image ? fmt::format("image_id {} is not in the list of images", *a.image)
                              : "no image_id");
    }
    image->second.has_annotation = true;
    out.image(image->second.name, "", image->second.size);
    const auto category =
        a.category ? content.categories.find(*a.category) : content.categories.end();
    if (category == content.categories.end()) {
        return reject(
            BoxFault::unknown_class, "",
            a.category ? fmt::format("category_id {} is not in the list of categories", *a.category)
                       : "no category_id");
    }
    if (a.not_numbers) {
        return reject(BoxFault::bad_number, category->second,
                      "its bbox holds something that is not a number");
    }
    if (a.numbers != 4) {
        return reject(BoxFault::bad_number, category->second,
                      fmt::format("its bbox has {} numbers, not 4",
                                  a.numbers > 4 ? "more than 4" : std::to_string(a.numbers)));
    }
    if (a.crowd) return reject(BoxFault::crowd, category->second, "iscrowd");
    out.row(category->second, a.place,
            {a.box[0], a.box[1], a.box[0] + a.box[2], a.box[1] + a.box[3]});
}

}  // namespace

void parse_coco(std::string_view text, BoxListBuilder& out) {
    Content content;
    CocoEvents events(content);
    read_json_events(text, max_annotation_depth, events);
    if (!content.has_annotations) {
        throw Error(ErrorCode::bad_input, "no list `annotations`: these are not COCO instances");
    }
    for (const Damaged& entry : content.damaged) {
        out.image("");
        out.reject(BoxFault::damaged_annotation, entry.what, entry.place, "",
                   fmt::format("`{}` is not an object", entry.value));
    }
    for (const Annotation& annotation : content.annotations) add(annotation, content, out);
    for (const auto& [id, image] : content.images)
        out.list().without_boxes += !image.has_annotation;
}

}  // namespace assay
