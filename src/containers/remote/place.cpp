#include "containers/remote/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "core/url.h"

namespace assay::remote {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string first_of(std::initializer_list<std::string> values) {
    for (const std::string& value : values)
        if (!value.empty()) return value;
    return {};
}

using Settings = std::map<std::string, std::string>;

/// Reads [section] of a file of the AWS tools. Empty if the file or section does not exist.
Settings section_of(const fs::path& file, std::string_view section) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
    Settings settings;
    if (file.empty() || !is_there(file)) return settings;
    const std::string text = read_text(file, most_bytes);
    bool inside = false;
    for_each_part(text, "\n", [&](std::string_view line) {
        if (line.starts_with('#') || line.starts_with(';')) return;
        if (line.starts_with('[')) {
            inside = trimmed(line.substr(1, line.find(']') - 1)) == section;
            return;
        }
        const std::size_t equals = line.find('=');
        if (inside && equals != std::string_view::npos)
            settings[std::string(trimmed(line.substr(0, equals)))] =
                trimmed(line.substr(equals + 1));
    });
    return settings;
}

struct AwsFiles {
    Settings credentials, config;
};

AwsFiles aws_files() {
    const std::string profile = first_of({variable("AWS_PROFILE"), "default"});
    const std::string home = variable("HOME");
    const auto file = [&](const char* name, const char* usual) -> fs::path {
        if (const std::string given = variable(name); !given.empty()) return given;
        return home.empty() ? fs::path() : fs::path(home) / ".aws" / usual;
    };
    const fs::path config = file("AWS_CONFIG_FILE", "config");
    return {section_of(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile),
            section_of(config, profile == "default" ? profile : "profile " + profile)};
}

std::string in(const Settings& settings, const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
}

/// Encodes all but RFC 3986's unreserved characters and '/', the form that S3 signs.
std::string encoded_key(std::string_view key) {
    std::string out;
    for (const char c : key) {
        const char small = lower(c);
        const bool plain = (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
                           std::string_view("-_.~/").find(c) != std::string_view::npos;
        if (plain) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

void sign(Place& place, const AwsFiles& files, const std::string& region) {
    if (const std::string off = variable("ASSAY_S3_ANONYMOUS"); !off.empty() && off != "0") return;
    std::string key = variable("AWS_ACCESS_KEY_ID"), secret = variable("AWS_SECRET_ACCESS_KEY");
    place.session_token = variable("AWS_SESSION_TOKEN");
    if (key.empty() || secret.empty()) {
        key = in(files.credentials, "aws_access_key_id");
        secret = in(files.credentials, "aws_secret_access_key");
        place.session_token = in(files.credentials, "aws_session_token");
    }
    if (key.empty() || secret.empty()) {
        refuse(fmt::format(
            "no credentials for S3: neither AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY nor "
            "the profile `{}` of ~/.aws/credentials has any. For roles and single sign-on: eval "
            "\"$(aws configure export-credentials --format env)\". For a public bucket: "
            "ASSAY_S3_ANONYMOUS=1",
            first_of({variable("AWS_PROFILE"), "default"})));
    }
    place.signature = fmt::format("aws:amz:{}:s3", region);
    place.credentials = key + ":" + secret;
}

Place s3_place(std::string_view url) {
    Place place;
    place.s3 = true;
    const std::string_view rest = url.substr(url.find("://") + 3);
    const std::size_t slash = rest.find('/');
    const std::string bucket(rest.substr(0, slash));
    if (slash == std::string_view::npos || bucket.empty() || slash + 1 == rest.size())
        refuse("an S3 object is named s3://BUCKET/KEY");
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    };
    if (!std::all_of(bucket.begin(), bucket.end(), fits))
        refuse(fmt::format("`{}` is not a valid bucket name", shortened(bucket)));
    const std::string key = encoded_key(rest.substr(slash + 1));
    const AwsFiles files = aws_files();
    const std::string region = first_of({variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"),
                                         in(files.config, "region"), "us-east-1"});
    std::string end_point = first_of({variable("AWS_ENDPOINT_URL_S3"), variable("AWS_ENDPOINT_URL"),
                                      in(files.config, "endpoint_url")});
    if (end_point.empty()) {
        // A certificate for *.s3.REGION does not cover a bucket with dots in its name.
        place.url = bucket.find('.') == std::string::npos
                        ? fmt::format("https://{}.s3.{}.amazonaws.com/{}", bucket, region, key)
                        : fmt::format("https://s3.{}.amazonaws.com/{}/{}", region, bucket, key);
    } else {
        if (!end_point.starts_with("http://") && !end_point.starts_with("https://"))
            refuse(
                fmt::format("AWS_ENDPOINT_URL is `{}`; an endpoint begins with https:// or http://",
                            shown_url(end_point)));
        while (end_point.ends_with('/')) end_point.pop_back();
        place.url = fmt::format("{}/{}/{}", end_point, bucket, key);
    }
    sign(place, files, region);
    return place;
}

std::string scheme_of(std::string_view url) {
    std::string scheme(url.substr(0, url.find("://")));
    std::transform(scheme.begin(), scheme.end(), scheme.begin(), lower);
    return scheme;
}

/// Encodes blanks and bytes beyond ASCII as HTTP requires. Encoded parts stay unchanged.
std::string encoded_url(std::string_view url) {
    std::string out;
    for (const char c : url) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7f ||
            std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos) {
            out += fmt::format("%{:02X}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

void check_url(std::string_view url) {
    const std::string shown = shown_url(url);
    const std::string scheme = scheme_of(url);
    if (scheme != "http" && scheme != "https" && scheme != "s3") {
        refuse(fmt::format("{}: {}:// is not supported; https://, http:// and s3:// are", shown,
                           shortened(scheme)));
    }
    if (url.find_first_of("?#") != std::string_view::npos) {
        refuse(
            fmt::format("{}: a URL with `?` or `#` is not a name for images. Assay signs s3:// "
                        "itself; put a password for a host into ~/.netrc",
                        shown));
    }
    if (shown != url) {
        refuse(fmt::format(
            "{}: a password in a URL would be kept in the store; put it into ~/.netrc", shown));
    }
}

Place place_of(std::string_view url) {
    check_url(url);
    if (scheme_of(url) == "s3") return s3_place(url);
    Place place;
    place.url = encoded_url(url);
    if (place.url.starts_with("https://huggingface.co/")) place.bearer_token = variable("HF_TOKEN");
    return place;
}

}  // namespace assay::remote
