#include "core/json_instances.h"

ASSAY_JSON_INSTANCES(template)
