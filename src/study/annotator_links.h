// The people who may answer, and their links: FOLDER/people.sqlite, which only its owner can read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/study/person.h"
#include "core/database.h"

namespace assay::study {

std::filesystem::path people_file(const std::filesystem::path& folder);
/// Returns nothing if it is missing, or if there are no links yet. Throws bad_input for a damaged
/// file, another program's file or a newer version, and io if it cannot be read.
std::optional<Database> open_people_to_read(const std::filesystem::path& folder);

class People {
public:
    /// Creates a missing file. Throws io, and bad_input for a damaged, foreign or newer file.
    explicit People(const std::filesystem::path& folder);

    /// People are in the order of their ids, 1, 2, ...
    const std::vector<Person>& all() const noexcept { return people_; }
    /// Throws usage for an unknown person.
    const Person& of(std::int64_t id) const;
    const Person* named(std::string_view name) const;
    std::optional<std::int64_t> whose(std::string_view token, bool* revoked) const;
    /// Throws usage if the name cannot be shown.
    const Person& add(std::string_view name);
    const Person& new_link(std::int64_t id);
    void revoke(std::int64_t id, bool revoked);
    /// The screens that people held when this was last stored, by person.
    std::vector<std::pair<std::int64_t, std::string>> held() const;
    /// Stores the screens that these people hold, for a server that restarts after a kill. This is
    /// not synced. If the machine fails, some questions are asked again.
    void keep_held(const std::map<std::int64_t, std::vector<std::string>>& screens);
    /// A text that is unique to this folder, so that browsers keep its data separate.
    const std::string& study() const noexcept { return study_; }
    bool paused() const noexcept { return paused_; }
    void pause(bool paused);
    /// Later changes are stored by commit(). abandon() discards them and reads the file
    /// again.
    void begin() { together_ = true; }
    void commit();
    void abandon();

private:
    /// Called before each change.
    void writing();

    Person& at(std::int64_t id);
    void read();

    Database database_;
    bool together_ = false;                   ///< true between begin() and commit()
    std::optional<Transaction> transaction_;  ///< exists from the first change on
    std::vector<Person> people_;
    std::string study_;
    bool paused_ = false;
};

}  // namespace assay::study
