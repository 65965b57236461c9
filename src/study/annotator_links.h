// Who may answer, and by which link: FOLDER/people.sqlite, which only its owner can read.
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
/// Nothing where it is missing, or nobody has a link yet. Throws bad_input: damaged, another
/// program's, a newer version; io: it may not be read.
std::optional<Database> open_people_to_read(const std::filesystem::path& folder);

class People {
public:
    /// Made where it is missing. Throws bad_input: damaged, another program's, a newer version; io.
    explicit People(const std::filesystem::path& folder);

    /// By id, which are 1, 2, ...
    const std::vector<Person>& all() const noexcept { return people_; }
    /// Throws usage: unknown.
    const Person& of(std::int64_t id) const;
    const Person* named(std::string_view name) const;
    std::optional<std::int64_t> whose(std::string_view token, bool* revoked) const;
    /// Throws usage: no name that can be shown.
    const Person& add(std::string_view name);
    const Person& new_link(std::int64_t id);
    void revoke(std::int64_t id, bool revoked);
    /// Person and screen: what people held when that was kept last.
    std::vector<std::pair<std::int64_t, std::string>> held() const;
    /// What these people hold now, so that a server that is killed knows it when it is back. It is
    /// not synced: where the machine itself fails, some questions are asked once too often.
    void keep_held(const std::map<std::int64_t, std::vector<std::string>>& screens);
    /// Of this folder and no other: what browsers keep is kept for it.
    const std::string& study() const noexcept { return study_; }
    bool paused() const noexcept { return paused_; }
    void pause(bool paused);
    /// What is changed from here on is kept by commit(), or by nothing: abandon() reads it anew.
    void begin() { together_ = true; }
    void commit();
    void abandon();

private:
    /// Before anything is written.
    void writing();

    Person& at(std::int64_t id);
    void read();

    Database database_;
    bool together_ = false;                   ///< between begin() and commit()
    std::optional<Transaction> transaction_;  ///< from the first change on
    std::vector<Person> people_;
    std::string study_;
    bool paused_ = false;
};

}  // namespace assay::study
