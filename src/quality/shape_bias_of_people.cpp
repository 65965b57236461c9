#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/describe_result.h"
#include "core/refuse.h"
#include "core/result_table.h"
#include "core/text.h"
#include "evaluate/people_answers.h"
#include "quality/cues.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

/// Returns "bird3-clock2" for "0001_s5n_s01_0_bird_00_bird3-clock2.png".
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
                fmt::format("image `{}`: its name does not contain its shape and its texture, as "
                            "in cat2-clock1.png",
                            shortened(answer.image)));
        }
        if (shape != answer.category) {
            refuse(fmt::format("image `{}` has the shape `{}`, but its category is `{}`",
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
            "{} a person's answer to the same image: the first counts",
            repeated == 1 ? "1 answer repeats" : fmt::format("{} answers repeat", repeated)));
    }
    return result;
}

ResultType result_type(ResultOf<PeopleShapeBias>) {
    static constexpr auto rows = describe_result<PeopleShapeBias>(
        {.name = "PeopleShapeBias",
         .help = "The shape bias of a person, or of all",
         .columns = "person=who,shape_bias*,shape,texture,answers"},
        {
            part<&PeopleShapeBias::person>({.help = "Empty for all people together"}),
            part<&PeopleShapeBias::value>(
                {.help = "The interval uses clusters of shape images and of texture images",
                 .name = "shape_bias"}),
            part<&PeopleShapeBias::wilson>({.help = "The same interval, with independent answers"}),
            part<&PeopleShapeBias::shape>({.help = "Number of answers that name the shape"}),
            part<&PeopleShapeBias::texture>({.help = "Number of answers that name the texture"}),
            part<&PeopleShapeBias::answers>(
                {.help = "Answers, except to images whose two cues are one class"}),
            part({.name = "who", .only_csv = true},
                 [](const PeopleShapeBias& one) {
                     return one.person.empty() ? std::string("all") : one.person;
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<PeopleShapeBiasResult>) {
    static constexpr auto rows = describe_result<PeopleShapeBiasResult>(
        {.name = "PeopleShapeBiases",
         .help = "The shape bias of people, from their answers to cue-conflict images",
         .schema = "assay.people_shape_bias/1"},
        {
            part<&PeopleShapeBiasResult::level>({.help = "Of the intervals"}),
            part<&PeopleShapeBiasResult::all>({}),
            part<&PeopleShapeBiasResult::people>({.help = "By name"}),
            part<&PeopleShapeBiasResult::warnings>({}),
        });
    return rows;
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
    report.records = result_table<PeopleShapeBias>();
    const auto add = [&](const PeopleShapeBias& one, std::string name) {
        table.add(
            {std::move(name), one.value, Count{one.shape}, Count{one.texture}, Count{one.answers}});
        add_row(report.records, one);
    };
    add(result.all, "all");
    table.rule();
    for (const PeopleShapeBias& one : result.people) add(one, one.person);
    table.notes.emplace_back(
        "Proportion of shape among the answers that name the shape or the texture. Intervals: "
        "clusters of shape images and of texture images, for these people.");
    report.sections = {{.title = "", .blocks = {std::move(table)}, .sections = {}}};
    report.result = json_of(result);
    return report;
}

}  // namespace assay::quality
