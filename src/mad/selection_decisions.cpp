#include "mad/selection_decisions.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"

namespace assay::mad {

SelectionDecisions::SelectionDecisions(Competition& competition, const SelectOptions& options)
    : competition_(competition),
      reason_(options.reason),
      old_k_(competition.settings().rule.k),
      old_root_(competition.image_root()),
      excluded_(read_exclusions(competition)) {
    const std::uint32_t k =
        options.k ? settings_with_k(competition.settings(), *options.k, competition.folder()).rule.k
                  : old_k_;
    const std::filesystem::path root =
        options.images.empty() ? old_root_ : image_root_from(options.images);
    if (!options.exclude.empty()) {
        for (Exclusion& one : read_exclusion_file(competition, options.exclude, reason_))
            if (excluded_.emplace(one.image, one.reason).second) fresh_.push_back(std::move(one));
    }
    show(k, root);
}

SelectionDecisions::~SelectionDecisions() {
    if (!kept_) show(old_k_, old_root_);
}

void SelectionDecisions::show(std::uint32_t k, const std::filesystem::path& root) {
    Competition::Impl& impl = competition_.impl();
    impl.settings.rule.k = k;
    impl.image_root = root;
    if (impl.dataset) impl.dataset->root = root;
}

bool SelectionDecisions::change_anything() const {
    return competition_.settings().rule.k != old_k_ || competition_.image_root() != old_root_ ||
           !fresh_.empty();
}

void SelectionDecisions::write() {
    Database& database = competition_.impl().database;
    const std::string file = database.path().string();
    if (setting_of(read_settings(database), "k", file) != fmt::to_string(old_k_))
        throw Error(
            ErrorCode::busy,
            fmt::format("{}: another process has changed k in the meantime; rerun the command",
                        file));
    if (const std::uint32_t k = competition_.settings().rule.k; k != old_k_)
        write_setting(database, "k", fmt::to_string(k), reason_);
    if (competition_.image_root() != old_root_)
        write_setting(database, "image_root", competition_.image_root().string(), reason_);
    write_exclusions(competition_, fresh_);
}

}  // namespace assay::mad
