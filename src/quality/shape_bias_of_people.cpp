#include "assay/quality/people.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/refuse.h"
#include "core/text.h"
#include "evaluate/people_answers.h"
#include "quality/cues.h"

namespace assay::quality {
namespace {

using nlohmann::json;

/// "bird3-clock2" of "0001_s5n_s01_0_bird_00_bird3-clock2.png".
std::string_view conflict_in(std::string_view image) {
    const std::string_view stem = without_extension(base_name(image));
    return stem.substr(stem.rfind('_') + 1);  // npos + 1 is 0
}

PeopleShapeBias bias_of_people(std::string person, const std::vector<CueDecision>& decisions,
                               double level) {
    const ShapeBias bias = shape_bias_of(decisions, level);
    return {.person = std::move(person),
            .value = bias.value,
            .wilson = bias.wilson,
            .shape = bias.shape,
            .texture = bias.texture,
            .answers = bias.decisions};
}

json json_of(const PeopleShapeBias& one) {
    return {{"person", one.person},          {"shape_bias", to_json(one.value)},
            {"wilson", to_json(one.wilson)}, {"shape", one.shape},
            {"texture", one.texture},        {"answers", one.answers}};
}

}  // namespace

PeopleShapeBiasResult shape_bias_of_people(const std::vector<std::filesystem::path>& answers,
                                           double level) {
    std::map<std::string, std::vector<CueDecision>> people;
    std::vector<CueDecision> all;
    std::set<std::pair<std::string, std::string>> seen;
    Numbering shapes, textures, images;
    std::uint64_t repeated = 0;
    for (const PeoplesAnswer& answer : read_peoples_answers(answers)) {
        const std::string_view conflict = conflict_in(answer.image);
        const CueImages made = cue_images_of(conflict);
        const std::string_view shape = without_digits(made.shape);
        const std::string_view texture = without_digits(made.texture);
        if (shape.empty() || texture.empty()) {
            refuse(
                fmt::format("image `{}`: its name does not tell its shape and its texture, as "
                            "cat2-clock1.png does",
                            shortened(answer.image)));
        }
        if (shape != answer.category) {
            refuse(fmt::format("image `{}` has the shape `{}`, and its category is `{}`",
                               shortened(answer.image), shortened(shape),
                               shortened(answer.category)));
        }
        if (!seen.emplace(answer.person, conflict).second) {
            ++repeated;
            continue;
        }
        std::vector<CueDecision>& own = people[answer.person];
        if (shape == texture) continue;
        own.push_back({.shape_image = shapes.of(made.shape),
                       .texture_image = textures.of(made.texture),
                       .image = images.of(conflict),
                       .shape = answer.given && answer.response == shape,
                       .texture = answer.given && answer.response == texture});
        all.push_back(own.back());
    }
    PeopleShapeBiasResult result;
    result.level = level;
    result.all = bias_of_people("", all, level);
    for (const auto& [person, decisions] : people)
        result.people.push_back(bias_of_people(person, decisions, level));
    if (repeated > 0) {
        result.warnings.push_back(fmt::format(
            "{} one of the same person to the same image: the first counts",
            repeated == 1 ? "1 answer repeats" : fmt::format("{} answers repeat", repeated)));
    }
    return result;
}

Report report_of(const PeopleShapeBiasResult& result) {
    Table table;
    table.title = "Shape bias of people";
    table.columns = {{.name = "person", .numbers = false},
                     {.name = "shape bias %", .show = Column::Show::value_and_interval},
                     {.name = "shape"},
                     {.name = "texture"},
                     {.name = "answers"}};
    Report report;
    report.title = "Shape bias of people";
    report.warnings = result.warnings;
    report.records.columns = {{.name = "person", .numbers = false},
                              {.name = "shape_bias", .show = Column::Show::every_part},
                              {.name = "shape"},
                              {.name = "texture"},
                              {.name = "answers"}};
    json people = json::array();
    const auto add = [&](const PeopleShapeBias& one, std::string name) {
        table.add({name, one.value, Count{one.shape}, Count{one.texture}, Count{one.answers}});
        report.records.add(
            {std::move(name), one.value, Count{one.shape}, Count{one.texture}, Count{one.answers}});
    };
    add(result.all, "all");
    table.rule();
    for (const PeopleShapeBias& one : result.people) {
        add(one, one.person);
        people.push_back(json_of(one));
    }
    table.notes.emplace_back(
        "Of the answers that name the shape or the texture, those that name the shape. Intervals: "
        "clusters of shape images and of texture images; the people are these people.");
    report.sections = {{.title = "", .blocks = {std::move(table)}, .sections = {}}};
    report.result = {{"schema", "assay.people_shape_bias/1"},
                     {"level", result.level},
                     {"all", json_of(result.all)},
                     {"people", std::move(people)},
                     {"warnings", result.warnings}};
    return report;
}

}  // namespace assay::quality
