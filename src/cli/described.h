// Options of a command from a described struct (assay/describe.h).
#pragma once

#include <CLI/App.hpp>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "assay/describe.h"

namespace assay::cli {

/// `scratch` is another object of the struct, for trying values.
void add_field_options(CLI::App& app, void* object, std::shared_ptr<void> scratch,
                       std::span<const Field> fields, const std::string& group,
                       std::initializer_list<std::string_view> without);
void copy_given_fields(const CLI::App& app, const void* from, void* to,
                       std::span<const Field> fields);

/// Adds an option for each field except those of the parts `without`. The object's values are the
/// defaults. Parsing throws CLI::ParseError with the errors of set_texts().
template <Described S>
void add_options(CLI::App& app, S& object, const std::string& group = "Options",
                 std::initializer_list<std::string_view> without = {}) {
    add_field_options(app, &object, std::make_shared<S>(object), description<S>, group, without);
}

/// Returns the option of one field.
template <auto member, Described S>
void add_option(CLI::App& app, S& object) {
    add_field_options(app, &object, std::make_shared<S>(object), row_of<member>(), "Options", {});
}

/// The option's name for a field, such as "--bins".
template <auto member>
std::string option_of() {
    return "--" + row_of<member>()[0].option();
}

/// The fields whose options were given. These override a file.
template <Described S>
void copy_given(const CLI::App& app, const S& from, S& to) {
    copy_given_fields(app, &from, &to, description<S>);
}

}  // namespace assay::cli
