#include "data/arrays/numpy_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "containers/source_file.h"
#include "containers/zip_member_source.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::arrays {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_npy_header = (std::size_t{1} << 20) + 12;
/// limit for the headers that are made for HDF5 arrays
constexpr std::size_t longest_hdf5_header = 512;
constexpr std::string_view shapes_read = "N x H x W, N x H x W x 3 and N x 3 x H x W are supported";

bool is_count_of_channels(std::uint64_t n) {
    return n == 1 || n == 3;
}

[[noreturn]] void refuse_type(NumberType type, const std::string& shape) {
    if (is_float(type)) {
        refuse(
            fmt::format("its images {} are {}, whose range is not known; only uint8 is supported. "
                        "Write it again as (255 * x).round().astype('uint8') if x is 0 to 1, as "
                        "x.round().astype('uint8') if x is 0 to 255",
                        shape, name_of(type)));
    }
    refuse(
        fmt::format("its images {} are {}; only uint8 is supported: write it again as "
                    "x.astype('uint8') if x is 0 to 255",
                    shape, name_of(type)));
}

/// Decides the meaning of three or four dimensions.
PixelArray pixel_layout(const std::vector<std::uint64_t>& shape, const std::string& text) {
    PixelArray pixels;
    if (shape.size() == 3) {
        // One image with three or four channels has the same shape.
        if (shape[2] <= 4)
            refuse(fmt::format("its shape {} may be one image; {}: write it again as x[None]", text,
                               shapes_read));
        pixels = {.count = shape[0], .height = shape[1], .width = shape[2]};
        pixels.set_interleaved();
        return pixels;
    }
    if (shape.size() != 4) refuse(fmt::format("its shape is {}; {}", text, shapes_read));
    const bool first = is_count_of_channels(shape[1]), last = is_count_of_channels(shape[3]);
    if (first && last) {
        refuse(fmt::format(
            "its shape {} may have the channels first or last. Write it again without an axis of "
            "one channel: x[..., 0] or x[:, 0]",
            text));
    }
    if (last) {
        pixels = {.count = shape[0], .height = shape[1], .width = shape[2], .channels = shape[3]};
        pixels.set_interleaved();
    } else if (first) {
        pixels = {.count = shape[0], .height = shape[2], .width = shape[3], .channels = shape[1]};
        pixels.set_planar();
    } else if (shape[3] == 4 || shape[1] == 4) {
        refuse(
            fmt::format("its images {} have 4 channels; only 1 or 3 are supported: write it again "
                        "without the last one ({}) if that is alpha",
                        text, shape[3] == 4 ? "x[..., :3]" : "x[:, :3]"));
    } else {
        refuse(fmt::format("its shape is {}; {}", text, shapes_read));
    }
    return pixels;
}

}  // namespace

NumpyArray NumpyArray::of_file(const fs::path& file) {
    NumpyArray array;
    array.name_ = file.filename().string();
    array.source_ = std::make_shared<const SourceFile>(file);
    std::vector<std::byte> begin(static_cast<std::size_t>(
        std::min<std::uint64_t>(array.source_->size(), longest_npy_header)));
    array.source_->read(0, begin);
    array.take_header(begin);
    return array;
}

NumpyArray NumpyArray::of_entry(std::shared_ptr<const ByteSource> archive, ZipEntry entry) {
    NumpyArray array;
    array.name_ = without_extension(entry.name);
    array.source_ = std::move(archive);
    array.in_archive_ = true;
    array.entry_ = std::move(entry);
    try {
        array.take_header(zip_member_beginning(array.source_, array.entry_, longest_npy_header));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        array.problem_ = error.message();
    }
    return array;
}

NumpyArray NumpyArray::of_hdf5(Hdf5Array hdf5) {
    NumpyArray array;
    array.name_ = std::move(hdf5.name);
    array.problem_ = std::move(hdf5.problem);
    array.source_ = std::move(hdf5.npy);
    if (array.source_ == nullptr) return array;
    std::vector<std::byte> begin(static_cast<std::size_t>(
        std::min<std::uint64_t>(array.source_->size(), longest_hdf5_header)));
    array.source_->read(0, begin);
    array.take_header(begin);
    return array;
}

void NumpyArray::take_header(const std::vector<std::byte>& bytes) {
    header_ = array_header(bytes);
    if (header_.begin == 0) refuse("it ends within its header");
}

bool NumpyArray::may_be_images() const {
    return !holds_texts() && !may_be_labels() && (shape().size() == 3 || shape().size() == 4);
}

bool NumpyArray::may_be_labels() const {
    return !shape().empty() && std::all_of(shape().begin() + 1, shape().end(),
                                           [](std::uint64_t axis) { return axis == 1; });
}

std::string NumpyArray::described() const {
    if (!problem_.empty()) return fmt::format("{} (not read: {})", name_, problem_);
    return fmt::format("{} {} {}", name_, header_.view.shape_text(),
                       holds_texts() ? "texts" : name_of(header_.view.type()));
}

std::shared_ptr<const ByteSource> NumpyArray::open() const {
    if (!problem_.empty()) refuse(problem_);
    // Compares the size before unpacking anything.
    const std::uint64_t there = in_archive_ ? entry_.size : source_->size();
    const std::uint64_t needed = header_.elements() * header_.element_bytes();
    if (there - header_.begin != needed || there < header_.begin) {
        refuse(fmt::format("the array `{}` of shape {} takes {} bytes; it has {}", shortened(name_),
                           header_.view.shape_text(), needed,
                           there - std::min<std::uint64_t>(header_.begin, there)));
    }
    return in_archive_ ? open_zip_member(source_, entry_) : source_;
}

PixelArray NumpyArray::images() const {
    if (!problem_.empty()) refuse(problem_);
    const std::string text = header_.view.shape_text();
    PixelArray pixels = pixel_layout(shape(), text);
    if (header_.view.type() != NumberType::u1) refuse_type(header_.view.type(), text);
    if (header_.view.fortran) {
        refuse(
            fmt::format("its images {} are in Fortran order, so no image is contiguous: write it "
                        "again with numpy.save(file, numpy.ascontiguousarray(x))",
                        text));
    }
    pixels.check();
    pixels.bytes = open();
    pixels.begin = header_.begin;
    return pixels;
}

std::vector<std::byte> NumpyArray::whole() const {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    const std::shared_ptr<const ByteSource> source = open();
    if (source->size() > most)
        refuse(fmt::format("the array `{}` has {} bytes; the limit for labels is {}",
                           shortened(name_), source->size(), most));
    std::vector<std::byte> npy(static_cast<std::size_t>(source->size()));
    source->read(0, npy);
    return npy;
}

std::vector<std::string> NumpyArray::texts() const {
    return texts_of(whole());
}

ArrayLabels NumpyArray::labels(std::uint64_t images) const {
    if (!problem_.empty()) refuse(problem_);
    if (!may_be_labels()) {
        refuse(
            fmt::format("the labels `{}` have the shape {}; only N or N x 1 is supported, one "
                        "class per image{}",
                        shortened(name_), header_.view.shape_text(),
                        shape().size() == 2 ? ": for one-hot rows, use y.argmax(1)" : ""));
    }
    ArrayLabels labels;
    labels.from = fmt::format("`{}`", name_);
    check_label_count(labels.from, shape()[0], images);
    const std::vector<std::byte> npy = whole();
    if (holds_texts()) {
        labels.texts = texts_of(npy);
        return labels;
    }
    const NpyView view = parse_npy(npy);
    labels.numbers.reserve(static_cast<std::size_t>(view.count()));
    for (std::uint64_t i = 0; i < view.count(); ++i)
        labels.numbers.push_back(view.values.integer(i));
    return labels;
}

}  // namespace assay::arrays
