#!/usr/bin/env python3
"""Files for other tools (event files, JSON lines, JUnit's XML), and the recipes of examples/ci, which run as on their hosts.

   tools.py PROGRAM SOURCE

These readers follow the descriptions of the formats, and share no code with the program."""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)


def check(holds, what):
    if not holds:
        sys.exit(f"tools: {what}")


def assay(*words, status=0, **environment):
    done = subprocess.run([program, *words], capture_output=True, text=True, env={**os.environ, **environment})
    check(done.returncode == status, f"assay {' '.join(words)}: status {done.returncode}, not {status}: {done.stderr}")
    return done.stdout


# `released` is correct on 30 of 40 images, and `candidate` on these and 4 more. A third model has a name with special characters of XML, trackers and terminals.
def write_predictions(folder):
    folder.mkdir()
    (folder / "val.csv").write_text("path,label\n" + "".join(f"p{i}.png,{i % 2}\n" for i in range(40)))
    for name, right in (("released", 30), ("candidate", 34)):
        rows = "".join(f"p{i}.png,{3 if (i % 2 == 0) == (i < right) else 0},1.5\n" for i in range(40))
        (folder / f"{name}.csv").write_text("path,c0,c1\n" + rows)


write_predictions(pathlib.Path("predictions"))
for model, name in (("released", "released"), ("candidate", "candidate"), ("candidate", "no<&>\"\u202e name")):
    assay("import", f"predictions/{model}.csv", "--items", "predictions/val.csv", "--dataset-name", "val", "--name", name,
          "--kind", "logits", "--out", "runs", "-q")


# A TFRecord is a u64 length, the masked CRC-32C of the length, the data, and the masked CRC-32C of the data.
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    while data:
        length, = struct.unpack("<Q", data[:8])
        check(struct.unpack("<I", data[8:12])[0] == masked(data[:8]), "the checksum of a record's length")
        body = data[12:12 + length]
        check(len(body) == length and struct.unpack("<I", data[12 + length:16 + length])[0] == masked(body),
              "the checksum of a record")
        yield body
        data = data[16 + length:]


def fields(message):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        else:
            size = {1: 8, 5: 4}.get(kind) or varint()
            value = message[at:at + size]
            at += size
            if kind == 1:
                value, = struct.unpack("<d", value)
            if kind == 5:
                value, = struct.unpack("<f", value)
        yield key >> 3, value


def scalars_in(data):
    version, event = [dict(fields(record)) for record in records(data)]
    check(version[3] == b"brain.Event:2", "the version of the file")
    values = {}
    for field, value in fields(event[5]):
        check(field == 1, "a summary holds values alone")
        parts = dict(fields(value))
        check(parts[1].decode() not in values, f"the tag {parts[1]} appears twice")
        values[parts[1].decode()] = parts[2]
    return version[1], event[1], event[2], values


def parsed_by_protobuf(data):
    """Reads the file again with the distribution's protobuf, if it is installed."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        print("tools: SKIPPED: python3-protobuf is not installed: event files are read by this test's own reader alone")
        return None
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="t", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, members in (("Value", [("tag", 1, kinds.TYPE_STRING), ("simple_value", 2, kinds.TYPE_FLOAT)]),
                          ("Summary", [("value", 1, "t.Value")]),
                          ("Event", [("wall_time", 1, kinds.TYPE_DOUBLE), ("step", 2, kinds.TYPE_INT64),
                                     ("file_version", 3, kinds.TYPE_STRING), ("summary", 5, "t.Summary")])):
        message = file.message_type.add(name=name)
        for field, number, kind in members:
            added = message.field.add(name=field, number=number, label=kinds.LABEL_OPTIONAL)
            if isinstance(kind, str):
                added.type, added.type_name = kinds.TYPE_MESSAGE, "." + kind
                if field == "value":
                    added.label = kinds.LABEL_REPEATED
            else:
                added.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    event = pool.FindMessageTypeByName("t.Event")
    make = message_factory.GetMessageClass if hasattr(message_factory, "GetMessageClass") else \
        message_factory.MessageFactory(pool).GetPrototype
    read = [make(event).FromString(record) for record in records(data)]
    check(read[0].file_version == "brain.Event:2", "protobuf reads the version")
    return read[1].step, {value.tag: value.simple_value for value in read[1].summary.value}


def test_logs():
    gates = ["--gate", "top1 >= 0.8", "--metrics", "top1,aurc,ece:bins=5"]
    runs = [assay("score", "runs", "--log", "one.jsonl", "--log", "tensorboard:events", "--log-step", "300", *gates, status=1,
                  SOURCE_DATE_EPOCH="1700000000") for _ in range(2)]
    check(runs[0] == runs[1], "a log changes the report")
    files = list(pathlib.Path("events").iterdir())
    check(len(files) == 1, f"the same events twice are one file, not {files}")
    check(re.fullmatch(r"events\.out\.tfevents\.1700000000\.assay\.[0-9a-f]{16}", files[0].name), files[0].name)
    written, time, step, scalars = scalars_in(files[0].read_bytes())
    check((written, time, step) == (1700000000, 1700000000, 300), f"time and step: {written}, {time}, {step}")
    also = parsed_by_protobuf(files[0].read_bytes())
    check(also is None or also == (300, scalars), "protobuf reads the same")

    lines = [json.loads(line) for line in open("one.jsonl")]
    names = [line["name"] for line in lines]
    check(len(set(names)) == len(names), "a name appears twice")
    for name in names:  # These are MLflow's rules: mlflow.utils.validation
        check(re.fullmatch(r"[/\w.\- ]{1,250}", name, re.ASCII) and os.path.normpath(name) == name, f"the name {name}")
        check(not any(other.startswith(name + "/") for other in names), f"{name} would be a file and a folder")
    values = {line["name"]: line["value"] for line in lines}
    check({line["step"] for line in lines} == {300}, "the step")
    check(set(values) == set(scalars), "both logs have the same names")
    for name, value in values.items():
        check(math.isclose(value, scalars[name], rel_tol=1e-7, abs_tol=1e-30), f"{name}: {value} and {scalars[name]}")
    # The accuracies are 30 and 34 of 40. The name of the third model only has characters that trackers accept.
    check(values["val/released/top1"] == 0.75 and values["val/candidate/top1"] == 0.85, f"top1: {values}")
    check(values["val/candidate/top1_n"] == 40 and values["val/no_name/top1"] == 0.85, "n and names")
    check(values["val/candidate/top1_low"] < 0.85 < values["val/candidate/top1_high"], "the interval")
    check("val/candidate/ece_bins_5" in values, "parameters are parts of names")

    # An undefined value has a line with the reason, and no number.
    assay("score", "runs/val/released", "--metrics", "top1,shape_bias", "--log", "two.jsonl", "--log", "tensorboard:other")
    undefined = [line for line in map(json.loads, open("two.jsonl")) if "undefined" in line]
    check([line["name"] for line in undefined] == ["val/released/shape_bias"], f"undefined: {undefined}")
    check(undefined[0]["undefined"] and "value" not in undefined[0], "the reason")
    _, time, step, scalars = scalars_in(next(pathlib.Path("other").iterdir()).read_bytes())
    check("val/released/shape_bias" not in scalars and time > 1700000000 and step == 0, "the undefined in event files")

    assay("compare", "runs/val/released", "runs/val/candidate", "--metrics", "top1", "--log", "pair.jsonl")
    pair = {line["name"]: line["value"] for line in map(json.loads, open("pair.jsonl"))}
    check(math.isclose(pair["val/candidate_against_released/top1_delta"], 0.1), f"the difference: {pair}")


def test_junit():
    gates = ["low(top1) >= 0.5", "top1 >= 0.8", "shape_bias >= 0"]
    words = [word for gate in gates for word in ("--gate", gate)]
    assay("score", "runs", *words, "--junit", "junit.xml", status=1)
    root = xml.etree.ElementTree.parse("junit.xml").getroot()
    # The schema that Jenkins publishes (junit-10.xsd), as elements, their attributes, and required attributes.
    allowed = {"testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
               "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"},
                             {"name", "tests", "failures", "errors"}, {"testcase"}),
               "testcase": ({"name", "time", "classname"}, {"name"}, {"failure"}),
               "failure": ({"type", "message"}, set(), set())}
    for element in root.iter():
        attributes, needed, children = allowed[element.tag]
        check(needed <= set(element.attrib) <= attributes, f"attributes of {element.tag}: {element.attrib}")
        check({child.tag for child in element} <= children, f"children of {element.tag}")
    suites = list(root)
    tests = list(suites[0])
    check(root.tag == "testsuites" and [suite.get("name") for suite in suites] == ["val"], "a suite for each data set")
    check(len(tests) == 9 and root.get("tests") == suites[0].get("tests") == "9", "a test for each gate and model")
    failed = {(test.get("classname"), test.get("name")): test[0] for test in tests if len(test)}
    check(root.get("failures") == suites[0].get("failures") == str(len(failed)) == "4", f"failures: {failed.keys()}")
    broken = failed["val.released", "top1 >= 0.8"]
    for word in ("found: 0.75\n", "bound: 0.8\n", "interval: 0.5", "level 0.95, wilson", "n: 40\n", "top1.first_index"):
        check(word in broken.text, f"`{word}` in {broken.text}")
    check(failed["val.released", "shape_bias >= 0"].get("type") == "undefined", "an undefined value breaks its gate")
    names = {test.get("classname") for test in tests}
    check("val.no<&>\"\\u202e name" in names, f"names as they are shown: {names}")


def yaml():
    try:
        import yaml as module
    except ImportError:
        print("tools: SKIPPED: python3-yaml is not installed: examples/ci is not run")
        return None
    return module


def shell(script, where, **environment):
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=where, text=True,
                          capture_output=True, env={**os.environ, **environment})


def checkout(folder):
    """A repository with predictions. The folder .assay is a repository of Assay whose tools are already built."""
    folder.mkdir()
    write_predictions(folder / "predictions")
    tools, built = folder / ".assay/tools", folder / ".assay/build/program/bin"
    for made in (tools, built):
        made.mkdir(parents=True)
    for tool in ("install-dependencies", "build"):
        (tools / tool).write_text(f'#!/bin/sh\necho "{tool} $*" >> called\n')
        (tools / tool).chmod(0o755)
        check((source / "tools" / tool).exists(), f"tools/{tool} is there")
    (built / "assay").symlink_to(program)
    return folder


def test_github(module):
    folder = checkout(pathlib.Path("github").absolute())
    action = module.safe_load((source / "examples/ci/github/action.yml").read_text())
    workflow = module.safe_load((source / "examples/ci/github/workflow.yml").read_text())
    path = os.environ["PATH"]
    used = None
    for step in workflow["jobs"]["gates"]["steps"]:
        if "run" in step:
            done = shell(step["run"], folder, PATH=path, GITHUB_PATH="path")
            check(done.returncode == 0, f"{step['name']}: {done.stderr}")
            if (folder / "path").exists():
                path = (folder / "path").read_text().strip() + ":" + os.environ["PATH"]
        elif step["uses"] == "./.assay/examples/ci/github":
            used = step["with"]
    check((folder / "called").read_text() == "install-dependencies --program\nbuild program -DASSAY_TORCH=OFF\n", "what is built")

    def run_action(given):
        inputs = {name: given.get(name, facts.get("default")) for name, facts in action["inputs"].items()}
        check(set(given) <= set(inputs) and None not in inputs.values(), f"inputs: {inputs}")
        step, upload = action["runs"]["steps"]
        check(step["shell"] == "bash" and "${{" not in step["run"], "inputs reach the script by its environment alone")
        environment = {name: inputs[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text)[1]] for name, text in step["env"].items()}
        check(upload["if"] == "always()" and upload["with"]["path"] == "${{ inputs.junit }}", "outcomes are kept")
        (folder / "summary").write_text("")
        done = shell(step["run"], folder, PATH=path, GITHUB_STEP_SUMMARY="summary", **environment)
        return done, (folder / "summary").read_text()

    done, summary = run_action(used)
    check(done.returncode == 0 and summary.startswith("**✅ 2 gates passed**\n"), f"{done.stderr}{summary}")
    check((folder / "assay-junit.xml").exists(), "JUnit's XML")
    done, summary = run_action({**used, "gates": "top1 >= 0.1\n\nlow(top1.delta) >= 0.5\n", "log": "log.jsonl",
                                "junit": "other.xml"})
    check(done.returncode == 1 and summary.startswith("**❌ 1 of 2 gates failed**\n"), f"{done.stderr}{summary}")
    rows = [line for line in summary.splitlines() if line.startswith("| ❌") or line.startswith("| ✅")]
    check(len(rows) == 2 and "low(top1.delta)" in rows[0], f"broken ones come first: {rows}")
    check((folder / "other.xml").exists() and (folder / "log.jsonl").exists(), "further files")
    done, summary = run_action({**used, "gates": "top1 >= 75"})
    check(done.returncode == 2 and "did you mean 75%" in done.stderr and summary == "", "bad input")


def test_gitlab(module):
    folder = checkout(pathlib.Path("gitlab").absolute())
    recipe = module.safe_load((source / "examples/ci/gitlab.yml").read_text())
    job = {**recipe[".assay"], **recipe["assay-gates"]}
    check(recipe["assay-gates"]["extends"] == ".assay" and job["artifacts"]["when"] == "always", "the job")
    stubs = folder / "stubs"
    stubs.mkdir()
    for tool in ("apt-get", "git"):
        (stubs / tool).write_text(f'#!/bin/sh\necho "{tool} $*" >> called\n')
        (stubs / tool).chmod(0o755)
    script = "\n".join(job["before_script"] + job["script"])
    done = shell(script, folder, PATH=f"{stubs}:{os.environ['PATH']}", **job["variables"])
    check(done.returncode == 0, done.stderr)
    check("install-dependencies --program\nbuild program -DASSAY_TORCH=OFF\n" in (folder / "called").read_text(), "what is built")
    for file in [job["artifacts"]["reports"]["junit"], *job["artifacts"]["paths"]]:
        check((folder / file).stat().st_size > 0, f"{file} is written")
    done = shell(script.replace("-0.005", "0.9"), folder, PATH=f"{stubs}:{os.environ['PATH']}", **job["variables"])
    check(done.returncode == 1, f"a broken gate ends the job: {done.returncode}: {done.stderr}")
    check("<failure" in (folder / job["artifacts"]["reports"]["junit"]).read_text(), "and is told")


def test_torch():
    """The advice of `assay import x.pt` equals the text in docs/tools.md. The test runs it if the distribution's PyTorch is
    installed."""
    pathlib.Path("logits.pt").write_bytes(b"PK")
    done = subprocess.run([program, "import", "logits.pt", "--dataset-name", "val"], capture_output=True, text=True)
    advice = re.search(r"To convert it: (.*); then rerun the command with logits.npz", done.stderr)
    check(done.returncode == 2 and advice, f"the advice: {done.stderr}")
    check(advice[1] in (source / "docs/tools.md").read_text(), "docs/tools.md shows another line than the advice")
    make = """
import torch
x = torch.tensor([[5., 0, 1], [0, 1, 2]])
for i, saved in enumerate([x, x.requires_grad_(), x.detach().bfloat16(), x.detach().double(), [x[:1], x[1:]], list(x.detach()),
                           (x, torch.tensor([0, 2])), {"logits": [x[:1], x[1:]], "targets": [0, 2]}, {"preds": x.detach().numpy()}]):
    torch.save(saved, f"{i}.pt")
print(i + 1)
"""
    made = subprocess.run(["python3", "-c", make], capture_output=True, text=True)
    if made.returncode != 0:
        print("tools: SKIPPED: PyTorch is not installed for python3: the advice for .pt files is not run")
        return
    for i in range(int(made.stdout)):
        os.replace(f"{i}.pt", "logits.pt")
        done = subprocess.run(["bash", "-c", advice[1]], capture_output=True, text=True)
        check(done.returncode == 0, f"the advice on the {i}th file: {done.stderr}")
        assay("import", "logits.npz", "--dataset-name", "val", "--name", f"net{i}", "--kind", "logits", "--out", f"saved{i}", "-q")
        rows = assay("export", f"saved{i}/val/net{i}", "--csv").splitlines()
        check([row.split(",")[6] for row in rows[1:]] == ["0", "2"], f"the {i}th file: {rows}")


test_logs()
test_junit()
test_torch()
if module := yaml():
    test_github(module)
    test_gitlab(module)
print("tools: other tools read what is written for them")
