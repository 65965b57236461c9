// What Assay reads of its environment. A test holds this table against the sources.
#include <array>

#include "assay/evaluate/listing.h"

namespace assay {

std::span<const EnvironmentVariable> environment_variables() {
    static constexpr std::array variables = {
        EnvironmentVariable{
            "ASSAY_GRAPH", "fused, written",
            "written: compute the steps of .onnx and .pt2 graphs one by one (fused)"},
        EnvironmentVariable{
            "ASSAY_MPI", "auto, openmpi, mpich, a path, off",
            "the plug-in by which processes that mpirun or srun started work together; off: each "
            "works by itself"},
        EnvironmentVariable{
            "ASSAY_PLUGIN_DIR", "a folder",
            "the only place where the plug-ins for LibTorch and MPI are looked for"},
        EnvironmentVariable{"ASSAY_PLUGIN_SECONDS", "1 to 86400",
                            "how long the try of a function of --plugin may take, and each call of "
                            "one in Python (60)"},
        EnvironmentVariable{"ASSAY_PYTHON", "a path", "the Python that runs models in Python"},
        EnvironmentVariable{"ASSAY_SIMD", "none",
                            "compute without vector instructions: the same bits, more slowly"},
        EnvironmentVariable{"ASSAY_S3_ANONYMOUS", "1",
                            "read s3:// without credentials: public buckets"},
        EnvironmentVariable{"AWS_ACCESS_KEY_ID", "a key", "with AWS_SECRET_ACCESS_KEY: for s3://"},
        EnvironmentVariable{"AWS_SECRET_ACCESS_KEY", "a secret", "see AWS_ACCESS_KEY_ID"},
        EnvironmentVariable{"AWS_SESSION_TOKEN", "a token", "of credentials that end"},
        EnvironmentVariable{"AWS_PROFILE", "a name",
                            "the part of the AWS tools' files that counts (default)"},
        EnvironmentVariable{"AWS_SHARED_CREDENTIALS_FILE", "a file",
                            "in place of ~/.aws/credentials"},
        EnvironmentVariable{"AWS_CONFIG_FILE", "a file", "in place of ~/.aws/config"},
        EnvironmentVariable{"AWS_REGION", "a region", "of s3:// (us-east-1)"},
        EnvironmentVariable{"AWS_DEFAULT_REGION", "a region", "where AWS_REGION is not set"},
        EnvironmentVariable{"AWS_ENDPOINT_URL_S3", "a URL", "a server that speaks S3: MinIO, Ceph"},
        EnvironmentVariable{"AWS_ENDPOINT_URL", "a URL", "where AWS_ENDPOINT_URL_S3 is not set"},
        EnvironmentVariable{"HF_TOKEN", "a token", "for https://huggingface.co alone"},
        EnvironmentVariable{"HOME", "a folder", "where .netrc, .aws and your plug-ins are"},
        EnvironmentVariable{"NO_COLOR", "anything", "no colours on a terminal"},
        EnvironmentVariable{"SOURCE_DATE_EPOCH", "seconds",
                            "the day that `assay manual` writes on its pages"},
        EnvironmentVariable{"CXX", "a command", "the compiler of `assay torch --build`"},
        EnvironmentVariable{
            "Torch_DIR", "a folder",
            "the LibTorch of `assay torch --build`: its root, or share/cmake/Torch in it"},
        EnvironmentVariable{"VIRTUAL_ENV", "a folder",
                            "whose bin/python runs models in Python, without ASSAY_PYTHON"},
        EnvironmentVariable{"CONDA_PREFIX", "a folder", "likewise, without VIRTUAL_ENV"},
        EnvironmentVariable{"XDG_DATA_HOME", "a folder",
                            "where your plug-ins are, in assay/plugins (~/.local/share)"},
        EnvironmentVariable{"TERM", "dumb", "no colours on a terminal"},
        EnvironmentVariable{"USER", "a name",
                            "whom `assay serve` asks where nobody is named and nobody has a link"},
    };
    return variables;
}

}  // namespace assay
