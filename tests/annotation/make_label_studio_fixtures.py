"""Writes fixtures/label_studio/several.*: the export of label-studio-sdk's converter for a project with <Choices
choice="multiple">.

a: ann says cat and dog, bob cat, cleo cat and emu. b: ann emu; bob dog and emu. c: bob cat.
"""
import json
import pathlib
import shutil
import tempfile

from label_studio_sdk.converter import Converter

out = pathlib.Path(__file__).parent / "fixtures" / "label_studio"
config = """<View><Image name="image" value="$image"/>
<Choices name="animal" toName="image" choice="multiple"><Choice value="cat"/><Choice value="dog"/><Choice value="emu"/></Choices></View>"""
SAID = {"a.png": [(1, ["cat", "dog"]), (2, ["cat"]), (3, ["cat", "emu"])], "b.png": [(1, ["emu"]), (2, ["dog", "emu"])], "c.png": [(2, ["cat"])]}

tasks, annotation = [], 0
for number, (image, said) in enumerate(SAID.items(), 1):
    annotations = []
    for user, choices in said:
        annotation += 1
        annotations.append({
            "id": annotation, "completed_by": user, "was_cancelled": False, "task": number, "created_at": "2026-11-02T10:00:00Z",
            "updated_at": "2026-11-02T10:00:00Z", "lead_time": 2.0,
            "result": [{"id": f"r{annotation}", "type": "choices", "from_name": "animal", "to_name": "image", "value": {"choices": choices}}]})
    tasks.append({"id": number, "data": {"image": f"/data/upload/1/1a2b3c4d-{image}"}, "annotations": annotations, "predictions": []})

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "tasks.json").write_text(json.dumps(tasks))
    for format, made, name in [("JSON", "result.json", "several.json"), ("JSON_MIN", "result.json", "several.min.json"),
                               ("CSV", "result.csv", "several.csv"), ("TSV", "result.csv", "several.tsv")]:
        into = folder / format
        Converter(config, str(into), download_resources=False).convert(str(folder / "tasks.json"), str(into), format, is_dir=False)
        found = into / made
        if not found.exists():
            found = next(into.rglob("*.*"))
        shutil.copy(found, out / name)
