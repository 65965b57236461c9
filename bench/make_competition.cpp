// Starts a made-up competition for benchmarks: bench_make_competition FOLDER IMAGES CLASSIFIERS
//
// Predictions as in mad_bench.cpp: 80 % correct, errors any other class. The competition starts
// with stores of a few images. Then its predictions and its list of images are replaced by
// longer ones. This takes seconds; stores of as many rows would take many minutes. Only
// selecting works: `assay mad add` would not find the other images.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/mad/competition.h"
#include "assay/store/prediction_store.h"
#include "containers/npy.h"
#include "core/file_stream.h"
#include "core/hash.h"
#include "core/random.h"
#include "mad/competition_rows.h"
#include "mad/predictions.h"

namespace {

using namespace assay;
using namespace assay::mad;

constexpr std::uint64_t few_images = 64;

void write_few(const std::filesystem::path& runs, std::uint64_t number) {
    Dataset dataset;
    dataset.name = "made-up";
    dataset.classes = imagenet_classes();
    for (std::uint64_t i = 0; i < few_images; ++i) {
        dataset.ids.append(fmt::format("crawl/{:09}.jpg", i));
        dataset.labels.append({});
    }
    StoreSpec spec;
    spec.rows = few_images;
    spec.classes = static_cast<std::uint32_t>(dataset.classes.size());
    spec.dataset_name = dataset.name;
    spec.model_name = fmt::format("net{:02}", number);
    spec.kind = ScoreKind::probabilities;
    spec.storage = StorageFormat::label;
    spec.ids_hash = dataset.ids_fingerprint();
    spec.model_hash = fmt::format("xxh128:{:032x}", number);
    spec.provenance_json = "{}";
    StoreWriter writer = StoreWriter::open(runs, spec, dataset);
    const std::vector<TopEntry> entries(few_images, TopEntry{0, 1});
    const std::vector<RowState> states(few_images, RowState::ok);
    writer.write_entries(0, entries, states, {}, "");
    writer.finish();
}

template <class T>
void write_column(const std::filesystem::path& path, NumberType type, const std::vector<T>& all) {
    const std::uint64_t shape[] = {all.size()};
    const std::string header = npy_header(name_of(type), shape);
    FileStream file(path);
    file.write(std::as_bytes(std::span(header)));
    file.write(std::as_bytes(std::span(all)));
    file.commit();
}

void write_predictions_of(Competition& competition, const CompetitionClassifier& one,
                          std::uint64_t images) {
    RandomStream truths(1, "bench truths"), random(1, "bench predictions", one.number);
    std::vector<std::uint16_t> labels(images);
    std::vector<std::uint8_t> confidences(images);
    std::uint64_t confident = 0;
    for (std::uint64_t i = 0; i < images; ++i) {
        const auto truth = static_cast<std::uint16_t>(truths.below(1000));
        const std::uint32_t draw = random.next_u32(), second = random.next_u32();
        const bool correct = (draw & 0xFFFF) < 52'429;
        labels[i] = correct ? truth : static_cast<std::uint16_t>((draw >> 16) % 1000);
        // 60 % of the correct predictions and 20 % of the others are confident.
        const bool high = (second & 0xFF) < (correct ? 154U : 51U);
        confidences[i] =
            static_cast<std::uint8_t>(high ? 160 + (second >> 8) % 41 : (second >> 8) % 160);
        confident += confidences[i] >= one.threshold ? 1 : 0;
    }
    const std::filesystem::path folder = competition.folder();
    write_column(labels_file(folder, one.name), NumberType::u2, labels);
    write_column(confidences_file(folder, one.name), NumberType::u1, confidences);
    competition.impl()
        .database
        .prepare(
            "UPDATE classifier SET labels_hash = ?, confidences_hash = ?, scored = ?, "
            "confident = ? WHERE number = ?")
        .bind(hash_file(labels_file(folder, one.name)))
        .bind(hash_file(confidences_file(folder, one.name)))
        .bind(static_cast<std::int64_t>(images))
        .bind(static_cast<std::int64_t>(confident))
        .bind(std::int64_t{one.number})
        .run();
}

void write_items(Competition& competition, std::uint64_t images) {
    const std::filesystem::path file = competition.folder() / "items.csv";
    FileStream out(file);
    std::string text = "id,path,labels\n";
    for (std::uint64_t i = 0; i < images; ++i) {
        fmt::format_to(std::back_inserter(text), "crawl/{:09}.jpg,,\n", i);
        if (text.size() < 1 << 20 && i + 1 < images) continue;
        out.write(std::as_bytes(std::span(text)));
        text.clear();
    }
    out.commit();
    Database& database = competition.impl().database;
    write_setting(database, "items_hash", hash_file(file), "");
    write_setting(database, "images", fmt::to_string(images), "");
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) {
        std::fputs("bench_make_competition FOLDER IMAGES CLASSIFIERS\n", stderr);
        return 2;
    }
    try {
        const std::filesystem::path folder = words[1];
        const std::uint64_t images = std::strtoull(words[2], nullptr, 10);
        for (std::uint64_t c = 0; c < std::strtoull(words[3], nullptr, 10); ++c)
            write_few(folder / "runs", c);
        InitOptions options;
        options.stores = {(folder / "runs").string()};
        Competition competition = Competition::create(folder / "mad", options);
        for (const CompetitionClassifier& one : competition.classifiers())
            write_predictions_of(competition, one, images);
        write_items(competition, images);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
