// The environment variables that Assay reads. A test compares this table with the sources.
#include <array>

#include "assay/evaluate/listing.h"

namespace assay {

std::span<const EnvironmentVariable> environment_variables() {
    static constexpr std::array variables = {
        EnvironmentVariable{
            "ASSAY_ERROR_FD", "a number",
            "the open descriptor for the error of a command, as JSON with its code"},
        EnvironmentVariable{
            "ASSAY_GRAPH", "fused, written",
            "`written`: compute the steps of .onnx and .pt2 graphs one by one, unfused"},
        EnvironmentVariable{
            "ASSAY_MPI", "auto, openmpi, mpich, a path, off",
            "the plug-in for processes that mpirun or srun started; off: each process works alone"},
        EnvironmentVariable{
            "ASSAY_PLUGIN_DIR", "a folder",
            "the only place where the plug-ins for LibTorch and MPI are looked for"},
        EnvironmentVariable{"ASSAY_PLUGIN_SECONDS", "1 to 86400",
                            "seconds for the trial of a --plugin function, and for each call of "
                            "one in Python (60)"},
        EnvironmentVariable{"ASSAY_PYTHON", "a path", "the interpreter for models in Python"},
        EnvironmentVariable{"ASSAY_SIMD", "none",
                            "compute without vector instructions: slower, same results"},
        EnvironmentVariable{"ASSAY_S3_ANONYMOUS", "1",
                            "read s3:// without credentials: public buckets"},
        EnvironmentVariable{"AWS_ACCESS_KEY_ID", "a key", "with AWS_SECRET_ACCESS_KEY: for s3://"},
        EnvironmentVariable{"AWS_SECRET_ACCESS_KEY", "a secret", "see AWS_ACCESS_KEY_ID"},
        EnvironmentVariable{"AWS_SESSION_TOKEN", "a token",
                            "the session token of temporary credentials"},
        EnvironmentVariable{"AWS_PROFILE", "a name",
                            "the profile in the AWS tools' files (default)"},
        EnvironmentVariable{"AWS_SHARED_CREDENTIALS_FILE", "a file",
                            "instead of ~/.aws/credentials"},
        EnvironmentVariable{"AWS_CONFIG_FILE", "a file", "instead of ~/.aws/config"},
        EnvironmentVariable{"AWS_REGION", "a region", "of s3:// (us-east-1)"},
        EnvironmentVariable{"AWS_DEFAULT_REGION", "a region", "used if AWS_REGION is not set"},
        EnvironmentVariable{"AWS_ENDPOINT_URL_S3", "a URL", "a server that speaks S3: MinIO, Ceph"},
        EnvironmentVariable{"AWS_ENDPOINT_URL", "a URL", "used if AWS_ENDPOINT_URL_S3 is not set"},
        EnvironmentVariable{"HF_TOKEN", "a token", "for https://huggingface.co alone"},
        EnvironmentVariable{"HOME", "a folder", "the folder of .netrc, .aws and your plug-ins"},
        EnvironmentVariable{"NO_COLOR", "anything", "no colours on a terminal"},
        EnvironmentVariable{"SOURCE_DATE_EPOCH", "seconds",
                            "the date that `assay manual` writes on its pages"},
        EnvironmentVariable{"CXX", "a command", "the compiler of `assay torch --build`"},
        EnvironmentVariable{
            "Torch_DIR", "a folder",
            "the LibTorch of `assay torch --build`: its root, or share/cmake/Torch in it"},
        EnvironmentVariable{"VIRTUAL_ENV", "a folder",
                            "its bin/python runs models in Python if ASSAY_PYTHON is not set"},
        EnvironmentVariable{"CONDA_PREFIX", "a folder", "likewise, without VIRTUAL_ENV"},
        EnvironmentVariable{"XDG_DATA_HOME", "a folder",
                            "the folder of assay/plugins, with your plug-ins (~/.local/share)"},
        EnvironmentVariable{"TERM", "dumb", "no colours on a terminal"},
        EnvironmentVariable{"USER", "a name",
                            "the annotator of `assay serve` if none is named and none has a link"},
    };
    return variables;
}

}  // namespace assay
