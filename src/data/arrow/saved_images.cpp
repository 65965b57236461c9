#include "data/arrow/saved_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/at_place.h"
#include "containers/parquet/huggingface_features.h"
#include "core/refuse.h"
#include "core/text.h"
#include "image/exif.h"

namespace assay::arrow {
namespace {

using Type = StreamField::Type;

/// The column of bytes that may be images, or null if there is none.
const StreamField* bytes_in(const StreamField& field) {
    if (field.type == Type::binary) return &field;
    if (field.type != Type::structure) return nullptr;
    const auto found = std::ranges::find(field.children, "bytes", &StreamField::name);
    return found != field.children.end() && found->type == Type::binary ? &*found : nullptr;
}

std::string columns_of(const StreamReader& stream) {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = 0; i < stream.fields().size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + shortened(stream.fields()[i].name);
    return stream.fields().size() > most ? text + ", ..." : text;
}

ImageField image_field_of(const StreamReader& stream, const std::string& wanted) {
    const std::vector<std::string> declared =
        parquet::parse_huggingface_features(stream.metadata("huggingface")).images;
    const auto is_declared = [&](const StreamField& field) {
        return std::ranges::find(declared, field.name) != declared.end();
    };
    std::vector<const StreamField*> possible;
    for (const StreamField& field : stream.fields()) {
        if (bytes_in(field) == nullptr) continue;
        const bool usual = field.name == "image" || field.name == "img";
        const bool taken = !wanted.empty()     ? field.name == wanted
                           : !declared.empty() ? is_declared(field)
                                               : usual;
        if (taken) possible.push_back(&field);
    }
    if (possible.size() != 1) {
        refuse(
            fmt::format("{} its columns can be the images; --image-column NAME chooses one. It "
                        "has {}",
                        possible.empty() ? "none of" : "several of", columns_of(stream)));
    }
    const StreamField& whole = *possible.front();
    const StreamField& bytes = *bytes_in(whole);
    // Checks this before a damaged row count creates that many ids.
    for (const StreamBatch& batch : stream.batches()) {
        const std::uint64_t offsets = batch.buffers.at(bytes.buffer + 1).size / bytes.width;
        if (batch.rows > 0 && batch.rows >= offsets)
            refuse("it is damaged: a column is shorter than its rows");
    }
    return {whole, bytes, whole.type == Type::structure || is_declared(whole)};
}

}  // namespace

SavedFile::SavedFile(std::filesystem::path path) : path_(std::move(path)) {
    at_place([&] { return path_.string(); },
             [&] {
                 source_ = std::make_shared<const SourceFile>(path_);
                 stream_ = StreamReader::open(*source_);
                 for (const StreamBatch& batch : stream_.batches())
                     if (batch.codec != StreamCodec::none)
                         refuse(
                             "its batches are compressed, which is not supported for images. To "
                             "unpack it: python3 -c \"import pyarrow as a; r = "
                             "a.ipc.open_stream('IN.arrow'); w = a.ipc.new_stream('OUT.arrow', "
                             "r.schema); [w.write(b) for b in r]; w.close()\"");
             });
    for (const StreamBatch& batch : stream_.batches())
        first_rows_.push_back(first_rows_.back() + batch.rows);
}

std::pair<const StreamBatch*, std::uint64_t> SavedFile::place_of(std::uint64_t row) const {
    if (row >= rows()) refuse(fmt::format("it has {} rows, but row {} is needed", rows(), row));
    const auto after = std::ranges::upper_bound(first_rows_, row);
    const auto batch = static_cast<std::size_t>(after - first_rows_.begin()) - 1;
    return {&stream_.batches()[batch], row - first_rows_[batch]};
}

ImageField image_field(const SavedFile& file, const std::string& wanted) {
    return at_place([&] { return file.path().string(); },
                    [&] { return image_field_of(file.stream(), wanted); });
}

void SavedImages::add(std::shared_ptr<const SavedFile> file, ImageField field) {
    const std::string name = file->path().filename().string();
    if (!files_.emplace(name, Named{std::move(file), std::move(field)}).second)
        refuse(fmt::format("two files are called {}", name));
}

std::vector<std::byte> SavedImages::read(std::string_view name, std::uint64_t limit) const {
    const std::size_t slash = name.rfind('/');
    const auto known = files_.find(name.substr(0, slash));
    std::uint64_t row = 0;
    if (slash == std::string_view::npos || known == files_.end() ||
        !parse_number(name.substr(slash + 1), row))
        refuse(fmt::format("no image is called `{}`: names are <file>/<row>", shortened(name)));
    const SavedFile& file = *known->second.file;
    const ImageField& field = known->second.field;
    return at_place(
        [&] { return fmt::format("{} row {}", file.path().string(), row); },
        [&] {
            const auto [batch, in_batch] = file.place_of(row);
            const ByteSource& source = file.source();
            if (!is_valid(source, *batch, field.whole, in_batch) ||
                !is_valid(source, *batch, field.bytes, in_batch))
                refuse("it holds no bytes of an image");
            const StreamBuffer place = bytes_of_row(source, *batch, field.bytes, in_batch);
            if (place.size > limit)
                refuse(fmt::format("the image has {} bytes; the limit is {}", place.size, limit));
            std::vector<std::byte> image(static_cast<std::size_t>(place.size));
            source.read(place.begin, image);
            if (!field.turn) return image;
            auto turned = turned_by_exif(image, limit);
            return turned ? std::move(*turned) : image;
        });
}

}  // namespace assay::arrow
