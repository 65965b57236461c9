#include "evaluate/export_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "containers/csv.h"
#include "core/json_text.h"

namespace assay {
namespace {

class CsvLine final : public LineFields {
public:
    explicit CsvLine(std::string& out) : writer_(out) {}
    void text(const std::string&, std::string_view value) override { writer_.field(value); }
    void whole(const std::string&, std::int64_t value) override {
        writer_.field(fmt::format("{}", value));
    }
    void real(const std::string&, double value) override {
        writer_.field(fmt::format("{}", value));
    }
    void single(const std::string&, float value) override {
        writer_.field(fmt::format("{}", value));
    }
    void flag(const std::string&, bool value) override {
        // pandas reads these two as booleans.
        writer_.field(value ? "True" : "False");
    }
    void absent(const std::string&) override { writer_.field(""); }
    void end() override { writer_.end_row(); }

private:
    CsvWriter writer_;
};

/// The names of the columns: the first line of the csv.
class HeaderLine final : public LineFields {
public:
    explicit HeaderLine(std::string& out) : writer_(out) {}
    void text(const std::string& name, std::string_view) override { writer_.field(name); }
    void whole(const std::string& name, std::int64_t) override { writer_.field(name); }
    void real(const std::string& name, double) override { writer_.field(name); }
    void single(const std::string& name, float) override { writer_.field(name); }
    void flag(const std::string& name, bool) override { writer_.field(name); }
    void absent(const std::string& name) override { writer_.field(name); }
    void end() override { writer_.end_row(); }

private:
    CsvWriter writer_;
};

/// Keys stay in the order of the columns, which people prefer.
class JsonLine final : public LineFields {
public:
    explicit JsonLine(std::string& out) : out_(out) {}
    void text(const std::string& name, std::string_view value) override {
        add(name, json_line(std::string(value)));
    }
    void whole(const std::string& name, std::int64_t value) override {
        add(name, fmt::format("{}", value));
    }
    void real(const std::string& name, double value) override {
        // JSON has no infinity, which is the loss of a label with probability zero.
        add(name, std::isfinite(value) ? fmt::format("{}", value) : "null");
    }
    void single(const std::string& name, float value) override {
        add(name, fmt::format("{}", value));
    }
    void flag(const std::string& name, bool value) override { add(name, value ? "true" : "false"); }
    void absent(const std::string& name) override { add(name, "null"); }
    void end() override {
        out_ += "}\n";
        first_ = true;
    }

private:
    void add(const std::string& name, std::string_view value) {
        out_ += first_ ? "{" : ", ";
        first_ = false;
        out_ += fmt::format("\"{}\": {}", name, value);
    }
    std::string& out_;
    bool first_ = true;
};

}  // namespace

void LineFields::labels(std::span<const std::int32_t> labels,
                        const std::vector<std::string>& names) {
    if (labels.empty()) {
        absent("label");
        return absent("label_name");
    }
    if (labels.size() == 1) {
        whole("label", labels[0]);
        return text("label_name", names[0]);
    }
    std::string numbers, all;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        numbers += (i == 0 ? "" : " ") + std::to_string(labels[i]);
        all += (i == 0 ? "" : "; ") + names[i];
    }
    text("label", numbers);
    text("label_name", all);
}

std::unique_ptr<LineFields> csv_fields(std::string& out) {
    return std::make_unique<CsvLine>(out);
}
std::unique_ptr<LineFields> csv_names(std::string& out) {
    return std::make_unique<HeaderLine>(out);
}
std::unique_ptr<LineFields> json_fields(std::string& out) {
    return std::make_unique<JsonLine>(out);
}

}  // namespace assay
