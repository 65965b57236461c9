#include "mad/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "assay/mad/competition.h"
#include "assay/store/row_reader.h"
#include "containers/npy.h"
#include "core/file.h"
#include "core/file_stream.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay::mad {
namespace {

constexpr std::uint64_t rows_at_once = 1 << 20;

/// A hash of the files of the images [begin, end) in a store; 0 unless all files are known.
std::uint64_t files_of(const RowReader& reader, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t shard_rows = reader.store().spec().shard_rows;
    Hasher hasher;
    for (std::uint64_t row = begin; row < end; ++row) {
        const PredictionStore::Shard* const shard = reader.shard(row / shard_rows);
        if (shard == nullptr) return 0;
        const std::span<const ImageFile> images = shard->images();
        const std::uint64_t at = row - shard->first_row;
        if (at >= images.size() || !images[at].known()) return 0;
        const std::array<std::uint64_t, 2> file = {images[at].bytes, images[at].hash};
        hasher.add(std::as_bytes(std::span(file)));
    }
    const std::string digest = hasher.digest();
    std::uint64_t value = 0;
    const std::size_t colon = digest.find(':') + 1;
    std::from_chars(digest.data() + colon, digest.data() + colon + 16, value, 16);
    return value == 0 ? 1 : value;
}

/// A column file that is hashed while it is written.
class HashedColumn {
public:
    HashedColumn(const std::filesystem::path& path, NumberType type, std::uint64_t rows)
        : stream_(path) {
        const std::array<std::uint64_t, 1> shape = {rows};
        const std::string header = npy_header(name_of(type), shape);
        write(std::as_bytes(std::span(header)));
    }
    void write(std::span<const std::byte> bytes) {
        stream_.write(bytes);
        hasher_.add(bytes);
    }
    std::string commit() {
        stream_.commit();
        return hasher_.digest();
    }

private:
    FileStream stream_;
    Hasher hasher_;
};

MappedFile mapped_column(const std::filesystem::path& path, NumberType type, std::uint64_t rows,
                         const std::byte*& values) {
    MappedFile file(path);
    with_note(fmt::format("reading {}", path.string()), [&] {
        const NpyView view = parse_npy(file.bytes());
        if (view.type() != type || view.shape != std::vector<std::uint64_t>{rows}) {
            refuse(fmt::format("{}: it holds {} of shape {}; expected {} of shape ({},)",
                               path.string(), name_of(view.type()), view.shape_text(),
                               name_of(type), rows));
        }
        values = view.values.data.data();
        if (reinterpret_cast<std::uintptr_t>(values) % size_of(type) != 0)
            refuse(fmt::format("{}: its numbers do not begin at a multiple of their size",
                               path.string()));
    });
    return file;
}

}  // namespace

std::filesystem::path labels_file(const std::filesystem::path& folder, std::string_view name) {
    return folder / "predictions" / (std::string(name) + ".labels.npy");
}

std::filesystem::path confidences_file(const std::filesystem::path& folder, std::string_view name) {
    return folder / "predictions" / (std::string(name) + ".confidences.npy");
}

WrittenPredictions write_predictions(const std::filesystem::path& folder,
                                     const PredictionStore& store,
                                     const std::vector<std::int32_t>& places,
                                     const std::vector<bool>& taken,
                                     std::uint8_t (*level_of)(double), int threads,
                                     const ProgressCallback& progress) {
    const std::string where = store.folder().string();
    const RowReader reader(store, std::nullopt, places);
    if (!store.complete())
        refuse(fmt::format("{}: {} of its {} shards are missing; rerun its `assay predict` first",
                           where, store.missing_shards(), store.shards()));
    if (!reader.has_probabilities())
        refuse(
            fmt::format("{}: it has labels without confidences, but images are selected among "
                        "confident predictions; predict again with --storage top5",
                        where));
    const std::string& name = store.spec().model_name;
    const std::uint64_t rows = store.rows();
    HashedColumn labels_out(labels_file(folder, name), NumberType::u2, rows);
    HashedColumn confidences_out(confidences_file(folder, name), NumberType::u1, rows);

    WrittenPredictions written;
    written.by_confidence.assign(confidence_levels + 1, 0);
    written.image_blocks.assign((rows + image_block_rows - 1) / image_block_rows, 0);
    std::vector<std::uint16_t> labels;
    std::vector<std::uint8_t> confidences;
    for (std::uint64_t begin = 0; begin < rows; begin += rows_at_once) {
        throw_if_stopped();
        const std::uint64_t count = std::min(rows_at_once, rows - begin);
        labels.assign(count, no_label);
        confidences.assign(count, 0);
        parallel_blocks((count + image_block_rows - 1) / image_block_rows, threads,
                        [&](std::size_t block) {
                            const std::uint64_t first = block * image_block_rows;
                            const std::uint64_t end = std::min(count, first + image_block_rows);
                            std::vector<RankedClass> best;
                            for (std::uint64_t i = first; i < end; ++i) {
                                if (!taken.empty() && !taken[begin + i]) continue;
                                if (reader.top(begin + i, 1, best) != RowStatus::ok || best.empty())
                                    continue;
                                labels[i] = static_cast<std::uint16_t>(best[0].cls);
                                confidences[i] = level_of(best[0].probability);
                            }
                            written.image_blocks[(begin + first) / image_block_rows] =
                                files_of(reader, begin + first, begin + end);
                        });
        for (std::uint64_t i = 0; i < count; ++i) {
            if (labels[i] == no_label) continue;
            ++written.scored;
            ++written.by_confidence[confidences[i]];
        }
        labels_out.write(std::as_bytes(std::span(labels)));
        confidences_out.write(std::as_bytes(std::span(confidences)));
        if (progress) progress({.step = name, .done = begin + count, .total = rows});
    }
    if (written.scored == 0) refuse(fmt::format("{}: no image has scores", where));
    written.labels_hash = labels_out.commit();
    written.confidences_hash = confidences_out.commit();
    return written;
}

struct StoredPredictions::Impl {
    std::filesystem::path labels_path, confidences_path;
    MappedFile labels, confidences;
    Predictions view;
};

StoredPredictions::StoredPredictions(const std::filesystem::path& folder, std::string_view name,
                                     std::uint64_t images)
    : impl_(std::make_unique<Impl>()) {
    impl_->labels_path = labels_file(folder, name);
    impl_->confidences_path = confidences_file(folder, name);
    const std::byte* values = nullptr;
    impl_->labels = mapped_column(impl_->labels_path, NumberType::u2, images, values);
    impl_->view.labels = {reinterpret_cast<const std::uint16_t*>(values), images};
    impl_->confidences = mapped_column(impl_->confidences_path, NumberType::u1, images, values);
    impl_->view.confidences = {reinterpret_cast<const std::uint8_t*>(values), images};
}

StoredPredictions::~StoredPredictions() = default;
StoredPredictions::StoredPredictions(StoredPredictions&&) noexcept = default;

const Predictions& StoredPredictions::predictions() const noexcept {
    return impl_->view;
}

void StoredPredictions::check(const CompetitionClassifier& recorded) const {
    const auto same = [](const std::filesystem::path& path, const MappedFile& file,
                         const std::string& hash) {
        if (hash_bytes(file.bytes()) != hash)
            refuse(
                fmt::format("{}: its bytes differ from the recorded ones; restore it, or start the "
                            "competition again",
                            path.string()));
    };
    same(impl_->labels_path, impl_->labels, recorded.labels_hash);
    same(impl_->confidences_path, impl_->confidences, recorded.confidences_hash);
}

}  // namespace assay::mad
