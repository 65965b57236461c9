#include "evaluate/inspect/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "assay/report.h"
#include "core/text.h"
#include "evaluate/inspect/unusual_images.h"
#include "image/file_facts.h"

namespace assay {
namespace inspect {

std::string listed_names(const std::vector<std::string>& names, std::uint64_t all) {
    return fmt::format("{}{}", fmt::join(names, ", "), all > names.size() ? ", ..." : "");
}

std::string counted(std::uint64_t n, std::string_view noun, std::string_view plural) {
    return fmt::format("{} {}", count_text(n), n == 1 ? noun : plural);
}

}  // namespace inspect

namespace {

using inspect::counted;
using inspect::InspectFinding;
using inspect::listed_names;
using Grade = InspectFinding::Grade;

std::string labelled(const InspectedImage& image) {
    return fmt::format(
        "{} [{}]", image.id,
        image.labels.empty() ? "no label" : fmt::format("{}", fmt::join(image.labels, "; ")));
}

/// Formats ", 3 bits"; "" for equal hashes.
std::string and_bits(int bits) {
    if (bits == 0) return "";
    return fmt::format(", {}", how_many(static_cast<std::uint64_t>(bits), "bit"));
}

struct Lines {
    std::vector<InspectFinding> all;

    void add(Grade grade, std::string text) { all.push_back({grade, std::move(text), {}}); }
    void example(std::string line) { all.back().examples.push_back(std::move(line)); }
    void more(std::uint64_t count, std::size_t shown) {
        if (count > shown && shown > 0)
            example(fmt::format("and {} more", count_text(count - shown)));
    }
};

void add_unreadable(Lines& lines, const InspectResult& r) {
    if (r.unreadable == 0) {
        return lines.add(Grade::sound, r.store.empty() ? "every image can be decoded"
                                                       : "every image that was read was decoded");
    }
    lines.add(Grade::fault, fmt::format("{} of {} images cannot be read", count_text(r.unreadable),
                                        count_text(r.images)));
    for (const UnreadableImage& image : r.unreadable_examples)
        lines.example(fmt::format("{}: {}", image.id, image.why));
    lines.more(r.unreadable, r.unreadable_examples.size());
}

void add_groups(Lines& lines, const Duplicates& found, std::string_view between) {
    for (const DuplicateGroup& group : found.examples) {
        std::string text;
        for (const InspectedImage& image : group.members)
            text += fmt::format("{}{}", text.empty() ? "" : fmt::format(" {} ", between),
                                labelled(image));
        if (group.images > group.members.size())
            text += fmt::format(" and {} more", count_text(group.images - group.members.size()));
        lines.example(text + and_bits(group.bits));
    }
    lines.more(found.groups, found.examples.size());
}

std::string of_other_labels(const Duplicates& found) {
    if (found.groups_of_other_labels == 0) return "";
    return fmt::format(", {} with different labels", count_text(found.groups_of_other_labels));
}

std::string same_files_text(const Duplicates& same) {
    return fmt::format(
        "{} more than once ({} images){}",
        same.groups == 1 ? "1 file appears" : count_text(same.groups) + " files appear",
        count_text(same.images), of_other_labels(same));
}

void add_duplicates(Lines& lines, const InspectResult& r) {
    const Duplicates& same = r.same_files;
    if (same.groups == 0) {
        lines.add(Grade::sound, "no file appears twice");
    } else {
        lines.add(same.groups_of_other_labels > 0 ? Grade::fault : Grade::doubt,
                  same_files_text(same));
        add_groups(lines, same, "=");
    }
    if (!r.store.empty()) return;
    const Duplicates& near = r.near_duplicates;
    const std::string rule = fmt::format("at most {} of 64 bits differ", r.near);
    if (near.groups == 0)
        return lines.add(Grade::sound, fmt::format("no two images look alike ({})", rule));
    lines.add(Grade::doubt, fmt::format("{} of similar images ({} images{}; {})",
                                        counted(near.groups, "group", "groups"),
                                        count_text(near.images), of_other_labels(near), rule));
    add_groups(lines, near, "~");
}

void add_unusual(Lines& lines, const InspectResult& r) {
    if (r.unusual.empty()) return;
    const bool none = std::ranges::all_of(
        r.unusual, [](const UnusualImages& unusual) { return unusual.images == 0; });
    if (none)
        return lines.add(Grade::sound,
                         "no image is dark, nearly white, blurred, long and narrow, of an unusual "
                         "size, or has little information");
    for (const UnusualImages& unusual : r.unusual) {
        if (unusual.images == 0) continue;
        const inspect::UnusualWords& words = inspect::words_for(unusual.kind);
        lines.add(Grade::note, fmt::format("{} {} ({})", counted(unusual.images, "image", "images"),
                                           unusual.images == 1 ? words.one : words.many,
                                           inspect::rule_text(unusual)));
        for (const UnusualImage& example : unusual.examples)
            lines.example(fmt::format("{}: {}", labelled(example.image),
                                      inspect::value_text(unusual.kind, example.value)));
        lines.more(unusual.images, unusual.examples.size());
    }
}

void add_against(Lines& lines, const InspectResult& r) {
    if (!r.against) return;
    const InspectedAgainst& against = *r.against;
    const auto examples = [&](const std::vector<SharedImage>& shared, std::uint64_t all,
                              std::string_view between) {
        for (const SharedImage& pair : shared) {
            lines.example(fmt::format("{} {} {}{}", labelled(pair.image), between,
                                      labelled(pair.other), and_bits(pair.bits)));
        }
        lines.more(all, shared.size());
    };
    const auto found = [&](std::uint64_t count, Grade grade, std::string_view what) {
        lines.add(count > 0 ? grade : Grade::sound,
                  fmt::format("{} of {} images {} {} ({} images{})", count_text(count),
                              count_text(r.images), what, against.name, count_text(against.images),
                              against.unreadable > 0 ? fmt::format(", {} cannot be read",
                                                                   count_text(against.unreadable))
                                                     : ""));
    };
    found(against.same, Grade::fault, "are the same file as one of");
    examples(against.same_examples, against.same, "=");
    found(against.near, Grade::doubt, "are other files, and look like one of");
    examples(against.near_examples, against.near, "~");
}

void add_labels(Lines& lines, const InspectResult& r) {
    const InspectedLabels& labels = r.labels;
    if (labels.images_without == r.images) {
        lines.add(Grade::note, "no image has a label");
    } else if (labels.images_without > 0) {
        lines.add(Grade::doubt,
                  fmt::format("{} of {} images have no label: {}",
                              count_text(labels.images_without), count_text(r.images),
                              listed_names(labels.first_without, labels.images_without)));
    } else {
        lines.add(Grade::sound, "every image has a label");
    }
    if (labels.images_with_several > 0)
        lines.add(Grade::note, fmt::format("{} images have several labels",
                                           count_text(labels.images_with_several)));
    if (labels.classes_without_images > 0 && labels.images_without < r.images) {
        lines.add(Grade::note,
                  fmt::format("{} of {} classes have no image: {}",
                              count_text(labels.classes_without_images), count_text(labels.classes),
                              listed_names(labels.without_images, labels.classes_without_images)));
    }
}

/// "as given: 12 of 1,000 correct (1.2 %)", with the first classes.
std::string order_text(const ClassOrder& order, std::uint64_t images) {
    std::string text = order.name;
    if (!order.first.empty()) text += fmt::format(" ({}, ...)", fmt::join(order.first, ", "));
    if (order.correct)
        text += fmt::format(
            ": {} of {} correct ({:.1f} %)", count_text(*order.correct), count_text(images),
            100.0 * static_cast<double>(*order.correct) / static_cast<double>(images));
    if (order.p) text += fmt::format(", p = {:.2g}", *order.p);
    return text;
}

void add_tested_orders(Lines& lines, const ClassOrders& found) {
    using Verdict = ClassOrders::Verdict;
    const bool compared = found.images > 0;
    const Grade grade = found.verdict == Verdict::given     ? Grade::sound
                        : found.verdict != Verdict::unclear ? Grade::fault
                        : compared                          ? Grade::doubt
                                                            : Grade::note;
    std::string text = found.text;
    if (found.chance_p)
        text +=
            fmt::format("; the given order against shuffled labels: p = {:.3g}", *found.chance_p);
    lines.add(grade, std::move(text));
    if (!compared) return;
    constexpr std::size_t shown = 4;
    const std::size_t others = found.orders.size() - 1;
    for (std::size_t i = 0; i <= std::min(shown, others); ++i)
        lines.example(order_text(found.orders[i], found.images));
    lines.more(others, std::min(shown, others));
    if (others > 0)
        lines.example(
            fmt::format("p: better than the given order (exact McNemar test, Holm-adjusted "
                        "for {} tried)",
                        how_many(others, "order")));
    if (!found.advice.empty()) lines.example(found.advice);
}

void add_orders(Lines& lines, const InspectResult& r) {
    if (!r.class_orders) return;
    const ClassOrders& found = *r.class_orders;
    if (!r.store.empty()) return add_tested_orders(lines, found);
    if (found.orders.size() == 1)
        return lines.add(Grade::sound, "the names of the classes suggest no other order");
    lines.add(Grade::note,
              "the names of the classes suggest several orders: check which one your "
              "classifier has");
    for (const ClassOrder& order : found.orders) lines.example(order_text(order, 0));
    lines.example(found.text + ": type `assay check -m MODEL -d DATA`");
}

}  // namespace

std::vector<InspectFinding> inspect::findings_of(const InspectResult& r) {
    Lines lines;
    if (r.images_known) {
        add_unreadable(lines, r);
        add_duplicates(lines, r);
        add_unusual(lines, r);
    } else {
        lines.add(Grade::note,
                  "nothing is known about the images: this store has no record of them");
    }
    add_against(lines, r);
    add_labels(lines, r);
    add_orders(lines, r);
    return std::move(lines.all);
}

std::string_view inspect::mark_of(InspectFinding::Grade grade) {
    switch (grade) {
        case Grade::fault:
            return "✗";
        case Grade::doubt:
            return "!";
        case Grade::note:
            return "·";
        case Grade::sound:
            break;
    }
    return "✓";
}

std::vector<std::string> notes_on_images(const InspectResult& r) {
    std::vector<std::string> notes;
    for (const ImageKind& kind : r.kinds) {
        if (!is_left_aside(kind.id)) continue;
        notes.push_back(fmt::format("{} of {}: {}; the first is {}", count_text(kind.images),
                                    counted(r.images, "image", "images"), kind.title, kind.first));
    }
    if (r.same_files.groups == 0) return notes;
    std::string text = same_files_text(r.same_files);
    if (!r.same_files.examples.empty()) {
        const std::vector<InspectedImage>& members = r.same_files.examples.front().members;
        text += fmt::format("; the first is {} = {}", labelled(members[0]), labelled(members[1]));
    }
    notes.push_back(std::move(text));
    return notes;
}

}  // namespace assay
