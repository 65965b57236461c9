"""Votes in files of Datumaro (tests/annotation/make_datumaro_fixtures.py), and these files with a field that is missing,
duplicated or moved."""
import json
import pathlib
import subprocess
import unittest

from common import PROGRAM, InFolder

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "annotation/fixtures/datumaro"


def reversed_keys(value):
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(v) for v in value] if isinstance(value, list) else value


def without(value, name):
    if isinstance(value, dict):
        return {key: without(v, name) for key, v in value.items() if key != name}
    return [without(v, name) for v in value] if isinstance(value, list) else value


class Votes(InFolder):
    def read(self, name, text):
        file = self.folder / name
        file.write_text(text)
        done = subprocess.run(
            [PROGRAM, "labels", "aggregate", file, "--label-sets", "-", "--to", "csv"], capture_output=True, text=True, cwd=self.folder
        )
        return done.returncode, done.stdout, done.stderr

    def test_datumaro(self):
        own = json.loads((FIXTURES / "datumaro.json").read_text())
        expected = "path,labels\nimg_0,cat\nimg_1,\nimg_2,dog\n"
        for changed in (own, reversed_keys(own)):
            status, sets, said = self.read("d.json", json.dumps(changed))
            self.assertEqual((status, sets), (0, expected), said)
        status, _, said = self.read("d.json", json.dumps(without(own, "categories")))
        self.assertEqual(status, 2, said)
        for name in ("label_id", "label", "labels", "id"):
            status, sets, said = self.read("d.json", json.dumps(without(own, name)))
            with self.subTest(missing=name):
                self.assertIn(status, (2, 3), sets)
                self.assertTrue(name in said or "no votes to combine" in said, said)
                self.assertFalse(any(line.endswith((",cat", ",dog")) for line in sets.splitlines()), sets)
        text = json.dumps(own)
        for name in ("label_id", "annotations", "categories"):
            at = text.index(f'"{name}": ')
            status, sets, said = self.read("d.json", f'{text[:at]}"{name}": 0, {text[at:]}')
            self.assertEqual((status, sets), (2, ""), said)
        # Without names of annotators, all answers count as those of one person, who then has answered twice.
        status, sets, said = self.read("d.json", json.dumps(without(own, "annotator")))
        self.assertIn("annotator: the file", said)

    def test_cvat(self):
        text = (FIXTURES / "cvat.xml").read_text()
        expected = "path,labels\nimg_0.jpg,cat\nimg_1.jpg,\nimg_2.jpg,dog\n"
        for changed in (text, text.replace('id="1" name="img_1.jpg"', 'name="img_1.jpg" id="1"')):
            status, sets, said = self.read("c.xml", changed)
            self.assertEqual((status, sets), (0, expected), said)
        for name, changed in (("name", text.replace(' name="img_1.jpg"', "")), ("label", text.replace('<tag label="dog">', "<tag>"))):
            status, sets, said = self.read("c.xml", changed)
            with self.subTest(missing=name):
                self.assertIn(status, (2, 3), sets)
                self.assertIn(name, said)
        status, _, said = self.read("c.xml", text.replace('name="img_1.jpg"', 'name="img_1.jpg" name="img_2.jpg"'))
        self.assertEqual(status, 2)
        self.assertIn("the attribute `name` appears twice", said)


if __name__ == "__main__":
    unittest.main()
