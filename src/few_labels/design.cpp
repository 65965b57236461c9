#include "few_labels/design.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/record_file.h"
#include "core/refuse.h"

namespace assay {

using few_labels::Design;

template <>
inline constexpr auto description<Design> = describe<Design>({
    field<&Design::stores>({.help = "Stores of the classifiers"}),
    field<&Design::store_ids>({.help = "Their ids"}),
    field<&Design::purpose>({.help = "What must be precise", .name = "for"}),
    field<&Design::seed>({.help = "Of the random order"}),
    field<&Design::images>({.help = "Of the pool"}),
    field<&Design::strata>({.help = "Images of each stratum"}),
    field<&Design::drawn>({.help = "Images drawn in all, after each round"}),
    field<&Design::times>({.help = "Of the rounds"}),
    field<&Design::looks>({.help = "Labels when results were shown, without --peek and --stop-at"}),
    field<&Design::planned>({.help = "The first --peek"}),
    field<&Design::founders>({.help = "Classifiers by which the strata were cut"}),
    field<&Design::joined>({.help = "Classifiers in all, after each time that some joined"}),
    field<&Design::join_times>({.help = "Of these times"}),
    field<&Design::settled>({.help = "Images whose answers were known before"}),
    field<&Design::settled_hash>({.help = "Of settled.csv"}),
});

namespace few_labels {
namespace {

constexpr RecordSchema first_schema{"assay.estimate_study/1"};
constexpr RecordSchema design_schema{"assay.estimate_study/2"};

/// Studies of the first version have fewer fields.
void complete_first_version(nlohmann::json& study) {
    if (!study.is_object() || study.value("schema", nlohmann::json()) != first_schema.name) return;
    study["schema"] = design_schema.name;
    study["looks"] = nlohmann::json::array();
    study["planned"] = 0;
    study["founders"] = study.contains("stores") ? study["stores"].size() : 0;
    study["joined"] = nlohmann::json::array();
    study["join_times"] = nlohmann::json::array();
    study["settled"] = 0;
    study["settled_hash"] = "";
}

}  // namespace

std::filesystem::path design_file(const std::filesystem::path& study) {
    return study / "estimate.json";
}

std::filesystem::path questions_file(const std::filesystem::path& study, std::size_t round) {
    return study / fmt::format("questions-{}.csv", round);
}

std::filesystem::path added_questions_file(const std::filesystem::path& study, std::size_t time) {
    return study / fmt::format("questions-added-{}.csv", time);
}

std::filesystem::path sample_file(const std::filesystem::path& study) {
    return study / "sample.csv";
}

bool is_study(const std::filesystem::path& folder) {
    return std::filesystem::exists(design_file(folder));
}

std::optional<Design> read_design(const std::filesystem::path& study) {
    const std::filesystem::path file = design_file(study);
    if (!is_study(study)) return std::nullopt;
    constexpr std::uint64_t most = 1 << 24;
    nlohmann::json read = with_note(fmt::format("reading {}", file.string()),
                                    [&] { return parse_json(read_text(file, most), 8); });
    complete_first_version(read);
    Design design;
    if (!read_record(read, design_schema, design))
        refuse(fmt::format("{}: it is no study of `assay estimate` that this version reads ({})",
                           file.string(), design_schema.name));
    const bool sound =
        !design.stores.empty() && design.stores.size() == design.store_ids.size() &&
        !design.drawn.empty() && design.drawn.size() == design.times.size() &&
        std::ranges::is_sorted(design.drawn) && design.drawn.front() >= 4 &&
        design.drawn.back() <= design.images && !design.strata.empty() &&
        design.strata.size() <= 10 && design.founders > 0 &&
        design.joined.size() == design.join_times.size() && std::ranges::is_sorted(design.joined) &&
        (design.joined.empty() || design.founders <= design.joined.front()) &&
        design.stores.size() == (design.joined.empty() ? design.founders : design.joined.back());
    if (!sound)
        refuse(
            fmt::format("{}: its numbers contradict each other; begin a new study with `assay "
                        "estimate select`",
                        file.string()));
    return design;
}

void write_design(const std::filesystem::path& study, const Design& design) {
    write_file_atomically(design_file(study), record_of(design_schema, design).dump(2) + "\n");
}

std::vector<PredictionStore> open_stores(const Design& design) {
    return open_stores(design, design.stores.size());
}

std::vector<PredictionStore> open_stores(const Design& design, std::size_t number) {
    std::vector<PredictionStore> out;
    for (std::size_t i = 0; i < number; ++i) {
        out.push_back(PredictionStore::open(design.stores[i]));
        if (out.back().spec().id != design.store_ids[i])
            refuse(
                fmt::format("{}: it holds other predictions than when the sample was drawn; "
                            "begin a new study",
                            design.stores[i].string()));
    }
    return out;
}

}  // namespace few_labels
}  // namespace assay
