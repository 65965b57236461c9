// A pool of three classifiers with known true classes, for the tests of studies.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "../evaluate/saved_scores.h"
#include "assay/few_labels/estimate.h"
#include "containers/csv.h"
#include "core/file.h"
#include "few_labels/design.h"

namespace assay::few_labels {

inline constexpr std::size_t images = 900;

/// Three classifiers on one pool, two of which are similar.
inline void save_pool(const Scratch& folder, std::size_t rows = images) {
    for (const auto& [name, seed, skill] :
         {std::tuple{"a", 1, 2.5}, std::tuple{"b", 2, 2.0}, std::tuple{"c", 3, 0.5}}) {
        Made made = made_up(rows, 5, static_cast<std::uint64_t>(seed), skill);
        for (std::size_t i = 0; i < rows; ++i) made.group.push_back(i % 3 == 0 ? "left" : "right");
        save(folder, made, name, StorageFormat::full_f32, rows > images ? 3000 : 100);
    }
}

inline DrawOptions options_of(const Scratch& folder, std::uint64_t draw) {
    DrawOptions out;
    out.stores = {folder / "runs"};
    out.draw = draw;
    return out;
}

inline std::vector<std::string> drawn_items(const std::filesystem::path& study) {
    const std::string text = read_text(sample_file(study));
    CsvReader csv(text, "sample.csv");
    std::vector<std::string> out;
    while (csv.next()) out.emplace_back(csv[csv.column({"item"})]);
    return out;
}

/// The true class of an image of save_pool().
inline std::int32_t truth_of(std::string_view item, std::size_t rows = images) {
    return static_cast<std::int32_t>(std::stoul(std::string(item.substr(4))) * 5 / rows);
}

inline void write_labels(const std::filesystem::path& file, const std::vector<std::string>& items) {
    std::ofstream out(file);
    out << "item,label\n";
    for (const std::string& item : items) out << item << ",c" << truth_of(item) << "\n";
}

inline double true_accuracy(const Scratch& folder, const char* model) {
    const auto store = PredictionStore::open(folder / "runs/val" / model);
    const RowReader reader(store);
    std::vector<RankedClass> best;
    double hits = 0;
    for (std::size_t i = 0; i < images; ++i) {
        reader.top(i, 1, best);
        hits += best[0].cls == truth_of(store.dataset().ids[i]) ? 1 : 0;
    }
    return hits / static_cast<double>(images);
}

}  // namespace assay::few_labels
