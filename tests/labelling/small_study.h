// A small competition with its server, and people who answer.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../mad/small_competition.h"
#include "assay/labelling/service.h"

namespace assay::labelling {

class SmallStudy {
public:
    /// Each pair of three classifiers has `k` images.
    explicit SmallStudy(std::size_t k = 6, ServiceOptions options = {}, double gold = 0)
        : competition_(3, 45, settings(gold)) {
        competition_.select(k);
        mad::QuestionOptions asked;
        if (gold > 0) asked.gold = gold_file();
        mad::ask_questions(*competition_, asked);
        options.clock = [this] { return now; };
        options_ = options;
    }

    Service open() { return Service(competition_->folder(), options_); }
    mad::questions_test::SmallCompetition& competition() { return competition_; }
    /// The answers that count, read through a second connection.
    std::int64_t answers() { return competition_.count("answer WHERE counts = 1"); }

    double now = 1000;  ///< time of the service's clock

private:
    static mad::CompetitionSettings settings(double gold) {
        auto settings = mad::questions_test::SmallCompetition::usual_settings();
        settings.gold = gold;
        return settings;
    }
    /// For each image, the labels that it shows and the labels that it does not show.
    std::filesystem::path gold_file() {
        std::string text;
        CsvWriter csv(text);
        csv.row({"image", "label", "answer"});
        for (std::size_t i = 0; i < 45; ++i) {
            const auto shown = mad::questions_test::SmallCompetition::shown(i);
            csv.row({competition_.id(i), competition_->classes().id(shown), "yes"});
            csv.row({competition_.id(i), competition_->classes().id((shown + 1) % 5), "no"});
        }
        return competition_.write("gold.csv", text);
    }

    mad::questions_test::SmallCompetition competition_;
    ServiceOptions options_;
};

/// A page that holds screens and answers the first one.
class Page {
public:
    Page(Service& service, std::string_view name)
        : service_(&service), person_(service.add_person(name).id) {}

    /// Requests as many screens as the page may hold.
    Work fetch(const std::vector<GivenScreen>& given = {}) {
        std::vector<std::string> holding;
        for (const Screen& screen : screens_) holding.push_back(screen.token);
        Work work = service_->work(person_, given, holding, 16);
        for (const Screen& screen : work.screens) screens_.push_back(screen);
        return work;
    }
    GivenScreen say(const Screen& screen, Answer answer) {
        GivenScreen given{screen.token, fmt::format("{}-{:08}", person_, ++keys_), {}};
        for (const Cell& cell : screen.cells) given.answers.push_back({cell.question, answer});
        return given;
    }
    /// Answers the first screen of the page, and requests more.
    Work answer(Answer answer) {
        const Screen first = screens_.front();
        screens_.erase(screens_.begin());
        return fetch({say(first, answer)});
    }
    const std::vector<Screen>& screens() const { return screens_; }
    void forget() { screens_.clear(); }
    void at(Service& service) { service_ = &service; }
    std::int64_t person() const { return person_; }

private:
    Service* service_;
    std::int64_t person_;
    std::vector<Screen> screens_;
    int keys_ = 0;
};

}  // namespace assay::labelling
