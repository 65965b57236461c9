// The data that `assay list` prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/evaluate/listing.h"
#include "assay/metric/metric.h"
#include "assay/model/model_spec.h"
#include "assay/robustness/corruption.h"

namespace assay {

struct ListedClassMap {
    std::string name;
    ClassMap map;
};

struct ListedFormat {
    std::string_view what, files, contents;
};

/// The known facts about a store that can be read.
struct StoreFacts {
    std::string model, dataset;
    std::uint64_t rows = 0, classes = 0;
    std::string kind, storage;
    std::uint64_t shards = 0, missing_shards = 0;
};
struct ListedStore {
    std::filesystem::path folder;
    std::optional<StoreFacts> facts;
    std::string damaged;  ///< reason for missing information

    std::string state() const;
};

/// Schema `assay.list/1`: the requested topics.
struct Listed {
    std::optional<std::span<const MetricFacts>> metrics;
    std::optional<std::span<const Corruption>> corruptions;
    std::optional<std::span<const Preset>> presets;
    std::optional<std::vector<ListedClassMap>> maps;
    std::optional<std::span<const ListedFormat>> formats;
    std::optional<std::span<const EnvironmentVariable>> environment;
    std::optional<std::vector<ListedStore>> stores;
};

}  // namespace assay
