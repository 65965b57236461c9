// The rows of a competition's tables as structs, and functions to read and write them. SQL that
// several parts use is also here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/mad/pairs.h"
#include "core/database.h"
#include "study/asked_rows.h"
#include "study/decisions.h"
#include "study/setting_rows.h"

namespace assay::mad {

// The tables that a competition shares with every study.
using study::AnnotatorRow;
using study::AnswerRow;
using study::decide;
using study::DecisionKind;
using study::ImageRow;
using study::QuestionRow;
using study::read_annotators;
using study::read_answers;
using study::read_images;
using study::read_questions;
using study::read_settings;
using study::setting_of;
using study::write_setting;

struct Competition::Impl {
    std::filesystem::path folder;
    Database database;
    CompetitionSettings settings;
    ClassList classes;
    std::uint64_t images = 0;
    std::filesystem::path image_root;
    std::string items_hash;
    std::string distances_hash;  ///< "" means that they are computed
    std::vector<CompetitionClassifier> classifiers;
    std::string skipped;                 ///< the number of skipped stores as text, or ""
    std::optional<Hierarchy> hierarchy;  ///< read on first use
    std::optional<Dataset> dataset;      ///< likewise

    /// Reads settings and classifiers again, because another process may have changed them. Call
    /// this inside a transaction, before any decision.
    void refresh();

    Impl(std::filesystem::path where, Database open)
        : folder(std::move(where)), database(std::move(open)) {}
};

struct PairRow {
    std::int64_t id = 0;
    std::uint32_t first = 0, second = 0;  ///< numbers of classifiers
    std::uint64_t candidates = 0, disagreeing = 0;
    std::uint32_t k = 0;
};

/// Values are in the order of the words in the column selected.state.
enum class SelectedState : std::uint8_t { accepted, replaced, duplicate };
std::string_view name_of(SelectedState);

struct SelectedRow {
    std::int64_t pair = 0;
    std::int64_t image = 0;
    std::uint32_t place = 0, turn = 0;
    std::uint16_t first_label = 0, second_label = 0;
    std::uint32_t units = 0;
    std::uint8_t confidence = 0;
    SelectedState state = SelectedState::accepted;
    bool asked = false;
};

struct ControlRow {
    std::int64_t image = 0;
    std::uint32_t stratum = 0;
    std::uint64_t stratum_images = 0, stratum_sample = 0;
};

/// Pairs of active classifiers, by (first, second).
std::vector<PairRow> read_pairs(const Database& database);
/// The places of these pairs in all states, sorted by pair, then place, then image.
std::vector<SelectedRow> read_selected(const Database& database);
std::vector<ControlRow> read_control(const Database& database);

/// Adds missing rows for images of the data set.
void note_images(Competition& competition, const std::vector<std::uint64_t>& numbers);

}  // namespace assay::mad
