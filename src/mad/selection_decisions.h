// The changes requested in a round of selection: k, the folder of images, exclusions. They are
// checked before the search, and written together with its results, so that a failed round changes
// nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/mad/selection_round.h"
#include "mad/exclusions.h"

namespace assay::mad {

/// The settings with another k. Throws usage if it is below the current k, or too large.
CompetitionSettings settings_with_k(const CompetitionSettings& settings, std::uint32_t k,
                                    const std::filesystem::path& folder);
/// The absolute path of the folder. Throws bad_input if it is no folder.
std::filesystem::path image_root_from(const std::filesystem::path& root);

class SelectionDecisions {
public:
    /// The open competition in memory has the new k and folder from here on, but its file does not
    /// yet. Throws as Competition::set_k(), set_image_root() and read_exclusion_file().
    SelectionDecisions(Competition& competition, const SelectOptions& options);
    /// Restores the open competition unless everything was written.
    ~SelectionDecisions();
    SelectionDecisions(const SelectionDecisions&) = delete;
    SelectionDecisions& operator=(const SelectionDecisions&) = delete;

    /// Reasons for earlier and new exclusions, by image.
    const std::map<std::uint64_t, std::string>& excluded() const { return excluded_; }
    bool change_anything() const;
    /// Writes the decisions. Call this once, inside a transaction, and then call kept(). Throws
    /// busy if another process has changed k since.
    void write();
    void kept() { kept_ = true; }
    bool are_kept() const { return kept_; }

private:
    void show(std::uint32_t k, const std::filesystem::path& root);

    Competition& competition_;
    std::string reason_;
    std::uint32_t old_k_;
    std::filesystem::path old_root_;
    std::vector<Exclusion> fresh_;
    std::map<std::uint64_t, std::string> excluded_;
    bool kept_ = false;
};

}  // namespace assay::mad
