#include "replication/joint/label_strata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"

namespace assay::replication {
namespace {

/// The fewest images of a stratum for which the intervals were tested.
constexpr std::size_t least_images = 75;

/// The images of one stratum in one set, and each classifier's hits among them.
struct StratumCounts {
    std::size_t images = 0, selected_by_all = 0, selected_by_none = 0;
    std::vector<std::size_t> hits;

    bool enough() const {
        return images >= least_images && selected_by_all < images && selected_by_none < images &&
               std::ranges::all_of(hits, [&](std::size_t h) { return h > 0 && h < images; });
    }
};

/// Entries are by number of labels. The pooled numbers are at the end.
std::vector<StratumCounts> count_strata(const Study& study, const StudySet& set,
                                        std::uint32_t pool_above) {
    StratumCounts none;
    none.hits.assign(study.models(), 0);
    std::vector<StratumCounts> counts(std::size_t{pool_above} + 2, none);
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (set.labels[i] == StudySet::unlabelled) continue;
        StratumCounts& to = counts[std::min(set.labels[i], pool_above + 1)];
        ++to.images;
        to.selected_by_all += set.selected[i] == set.annotators[i] ? 1 : 0;
        to.selected_by_none += set.selected[i] == 0 ? 1 : 0;
        const std::uint8_t* hit = set.hits.data() + i * study.row_bytes;
        for (std::size_t m = 0; m < study.models(); ++m) to.hits[m] += hit[m];
    }
    return counts;
}

std::string stratum_name(std::size_t labels, std::uint32_t pool_above) {
    return labels > pool_above ? fmt::format("{} and more", labels) : std::to_string(labels);
}

std::string images_with(std::size_t labels, std::uint32_t pool_above) {
    if (labels == 0) return "images without a valid label";
    return fmt::format("images with {} valid label{}", stratum_name(labels, pool_above),
                       labels == 1 && labels <= pool_above ? "" : "s");
}

using BothSets = std::array<std::vector<StratumCounts>, 2>;
BothSets count_both(const Study& study, std::uint32_t pool_above) {
    return {count_strata(study, study.first, pool_above),
            count_strata(study, study.second, pool_above)};
}

/// Describes problems with strata from 1 label on. "" if there are none.
std::string fault_of(const Study& study, const BothSets& counts, std::uint32_t pool_above) {
    constexpr std::array names = {"original", "replication"};
    for (std::size_t labels = 1; labels < counts[0].size(); ++labels) {
        if (counts[0][labels].images + counts[1][labels].images == 0) continue;
        for (std::size_t set = 0; set < 2; ++set) {
            const StratumCounts& of = counts[set][labels];
            if (of.images < least_images) {
                return fmt::format("the {} has {} {}, and at least {} are needed", names[set],
                                   of.images, images_with(labels, pool_above), least_images);
            }
            if (of.selected_by_all == of.images || of.selected_by_none == of.images)
                return fmt::format(
                    "the {} {} of the {} were all selected by {} of their annotators", of.images,
                    images_with(labels, pool_above), names[set],
                    of.selected_by_none == of.images ? "none" : "all");
            for (std::size_t m = 0; m < of.hits.size(); ++m) {
                if (of.hits[m] == 0 || of.hits[m] == of.images)
                    return fmt::format("`{}` classifies {} of the {} {} of the {} correctly",
                                       shortened(study.classifiers[m]),
                                       of.hits[m] == 0 ? "none" : "all", of.images,
                                       images_with(labels, pool_above), names[set]);
            }
        }
    }
    return "";
}

/// The largest number without problems; 0 if there is none.
std::uint32_t pooling_that_does(const Study& study, std::uint32_t pool_above) {
    while (--pool_above >= 1) {
        if (fault_of(study, count_both(study, pool_above), pool_above).empty()) return pool_above;
    }
    return 0;
}

}  // namespace

LabelStrata label_strata(const Study& study, std::uint32_t pool_above) {
    LabelStrata out;
    const BothSets counts = count_both(study, pool_above);
    out.undefined = fault_of(study, counts, pool_above);
    if (!out.undefined.empty()) {
        const std::uint32_t other = pool_above > 1 ? pooling_that_does(study, pool_above) : 0;
        if (other > 0) out.undefined += fmt::format("; `--pool-above {}` joins them", other);
        return out;
    }
    std::vector<std::uint32_t> place(counts[0].size(), UINT32_MAX);
    const bool without_labels = counts[0][0].enough() && counts[1][0].enough();
    for (std::size_t labels = without_labels ? 0 : 1; labels < place.size(); ++labels) {
        if (counts[0][labels].images == 0) continue;
        place[labels] = static_cast<std::uint32_t>(out.names.size());
        out.names.push_back(stratum_name(labels, pool_above));
    }
    if (out.names.empty()) {
        out.undefined = "no image of the study has a valid label";
        return out;
    }
    out.study.classifiers = study.classifiers;
    out.study.classes = study.classes;
    out.study.row_bytes = study.row_bytes;
    const auto keep = [&](const StudySet& from, StudySet& to, std::vector<std::uint32_t>& strata,
                          const char* name, std::size_t without) {
        std::size_t unnamed = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (from.labels[i] == StudySet::unlabelled) {
                ++unnamed;
                continue;
            }
            const std::uint32_t stratum = place[std::min(from.labels[i], pool_above + 1)];
            if (stratum == UINT32_MAX) continue;
            to.append(from, i, study.row_bytes);
            strata.push_back(stratum);
        }
        if (unnamed > 0)
            out.warnings.push_back(fmt::format(
                "labels and selection: {} of {} images of the {} are in no file of labels and are "
                "skipped",
                unnamed, from.size(), name));
        if (!without_labels && without > 0)
            out.warnings.push_back(fmt::format(
                "labels and selection: {} images of the {} without a valid label are skipped",
                without, name));
    };
    if (out.names.size() == 1)
        out.warnings.push_back(fmt::format(
            "labels and selection: the number of valid labels is {} for all images, so it explains "
            "nothing",
            out.names[0]));
    keep(study.first, out.study.first, out.first, "original", counts[0][0].images);
    keep(study.second, out.study.second, out.second, "replication", counts[1][0].images);
    return out;
}

}  // namespace assay::replication
