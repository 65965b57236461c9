// Where an object at a URL is asked for, and with which rights.
#pragma once

#include <string>
#include <string_view>

namespace assay::remote {

struct Place {
    std::string url;  ///< http or https
    /// Of S3: what libcurl signs with ("aws:amz:REGION:s3"), and "KEY:SECRET"; "": unsigned.
    std::string signature, credentials;
    std::string session_token;
    std::string bearer_token;
    bool s3 = false;
};

/// Throws bad_input: another scheme, a password or a query. Only its message is without them.
void check_url(std::string_view url);

/// "http://", "https://" or "s3://bucket/key". Of S3, credentials, region and end point are those
/// of the AWS tools: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, else the profile
/// AWS_PROFILE of ~/.aws/credentials; AWS_REGION, AWS_DEFAULT_REGION, else ~/.aws/config;
/// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL. ASSAY_S3_ANONYMOUS=1 asks without any. Hugging Face's
/// host is given HF_TOKEN. Throws bad_input: as check_url(); no key, no credentials.
Place place_of(std::string_view url);

}  // namespace assay::remote
