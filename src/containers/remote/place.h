// The address of the request for an object, and the credentials.
#pragma once

#include <string>
#include <string_view>

namespace assay::remote {

struct Place {
    std::string url;  ///< http or https
    /// For S3: libcurl's signature scheme ("aws:amz:REGION:s3"), and "KEY:SECRET"; "" means
    /// unsigned.
    std::string signature, credentials;
    std::string session_token;
    std::string bearer_token;
    bool s3 = false;
};

/// Throws bad_input for another scheme, a password or a query. The message contains no secrets.
void check_url(std::string_view url);

/// Resolves "http://", "https://" or "s3://bucket/key". For S3, the settings of the AWS tools give
/// credentials, region and end point, in the orders below. Credentials: AWS_ACCESS_KEY_ID,
/// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else the profile AWS_PROFILE of ~/.aws/credentials.
/// Region: AWS_REGION, AWS_DEFAULT_REGION, else ~/.aws/config. End point: AWS_ENDPOINT_URL_S3,
/// AWS_ENDPOINT_URL. ASSAY_S3_ANONYMOUS=1 makes unsigned requests. Requests to Hugging Face's host
/// include HF_TOKEN. Throws bad_input: as check_url(); no key, no credentials.
Place place_of(std::string_view url);

}  // namespace assay::remote
