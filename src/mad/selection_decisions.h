// What a round of selection was told to change: k, the folder of images, exclusions. Checked before
// anything is looked for, and written together with what was found: a round that fails changes
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

/// With another k. Throws usage: fewer than now, or too many.
CompetitionSettings settings_with_k(const CompetitionSettings& settings, std::uint32_t k,
                                    const std::filesystem::path& folder);
/// Absolute. Throws bad_input: no folder.
std::filesystem::path image_root_from(const std::filesystem::path& root);

class SelectionDecisions {
public:
    /// The open competition has the new k and folder from here on, its file not yet. Throws what
    /// Competition::set_k(), set_image_root() and read_exclusion_file() throw.
    SelectionDecisions(Competition& competition, const SelectOptions& options);
    /// Unless all was written, the open competition is as it was before.
    ~SelectionDecisions();
    SelectionDecisions(const SelectionDecisions&) = delete;
    SelectionDecisions& operator=(const SelectionDecisions&) = delete;

    /// Reasons by image, of those that were excluded before and the new ones.
    const std::map<std::uint64_t, std::string>& excluded() const { return excluded_; }
    bool change_anything() const;
    /// Once, inside a transaction of the caller, who then says kept(). Throws busy: another process
    /// has changed k since.
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
