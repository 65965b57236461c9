"""Simulated crowds that say which class an image shows, on which the aggregation of votes is measured.

A world is a row of WORLDS: a name, a description, and a function from a random generator to a Crowd. Crowd number i of a world is
drawn with the seed [crc32(name), i], so that every aggregator sees the same crowds. `tuning(i)` draws crowds of other sizes and
habits, with other seeds. The strength of the prior was chosen only on those.

    python3 bench/crowd_worlds.py            # lists the worlds
    python3 bench/crowd_worlds.py FOLDER 2   # writes the first 2 crowds of each world as csv
"""

from __future__ import annotations

import pathlib
import sys
import zlib
from dataclasses import dataclass
from typing import Callable

import numpy as np


@dataclass
class Crowd:
    """Answers have an image, an annotator and a class; no pair of image and annotator repeats. Truth is a class per image."""

    truth: np.ndarray
    image: np.ndarray
    annotator: np.ndarray
    said: np.ndarray
    classes: int
    people: int


def one_coin(accuracy: np.ndarray, classes: int) -> np.ndarray:
    """Confusion matrices (annotator, truth, answer) of people whose errors are equally likely for every other class."""
    people = len(accuracy)
    wrong = (1 - accuracy) / max(1, classes - 1)
    out = np.repeat(wrong, classes * classes).reshape(people, classes, classes)
    out[:, np.arange(classes), np.arange(classes)] = accuracy[:, None]
    return out


def draw(rng, proportions, confusion, images, answers) -> Crowd:
    """`answers` is the smallest and largest number per image. The annotators are drawn for each image with equal probability."""
    people, classes = confusion.shape[:2]
    truth = rng.choice(classes, images, p=proportions)
    number = rng.integers(answers[0], min(answers[1], people) + 1, images)
    who = rng.random((images, people)).argsort(axis=1)
    image = np.repeat(np.arange(images), number)
    annotator = np.concatenate([who[i, :n] for i, n in enumerate(number)])
    rows = confusion[annotator, truth[image]].cumsum(axis=1)
    said = (rng.random(len(image))[:, None] > rows[:, :-1]).sum(axis=1)
    return Crowd(truth, image, annotator, said, classes, people)


def even(classes: int) -> np.ndarray:
    return np.full(classes, 1 / classes)


def plain(rng):
    return draw(rng, even(2), one_coin(rng.uniform(0.6, 0.95, 10), 2), 500, (5, 5))


def spammers(rng):
    accuracy = np.concatenate([rng.uniform(0.7, 0.95, 8), np.full(4, 0.5)])
    return draw(rng, even(2), one_coin(accuracy, 2), 500, (5, 5))


def adversaries(rng):
    accuracy = np.concatenate([rng.uniform(0.7, 0.95, 9), np.full(3, 0.2)])
    return draw(rng, even(2), one_coin(accuracy, 2), 500, (5, 5))


def one_to_three(rng):
    return draw(rng, even(2), one_coin(rng.uniform(0.6, 0.9, 20), 2), 200, (1, 3))


def rare_class(rng):
    return draw(rng, np.array([0.95, 0.05]), one_coin(rng.uniform(0.75, 0.95, 12), 2), 500, (3, 3))


def five_biased(rng):
    """Each person confuses each class with one other class in up to half of the cases. Which class it is differs between people."""
    confusion = one_coin(np.full(8, 0.9), 5)
    for person in confusion:
        for k in range(5):
            towards = (k + 1 + rng.integers(4)) % 5
            share = rng.uniform(0, 0.5)
            person[k] *= 1 - share
            person[k, towards] += share
    return draw(rng, even(5), confusion, 500, (4, 4))


def one_image(rng):
    return draw(rng, even(3), one_coin(np.full(5, 0.75), 3), 1, (5, 5))


def few_images(rng):
    return draw(rng, even(4), one_coin(rng.uniform(0.5, 0.95, 6), 4), 12, (3, 3))


def passers_by(rng):
    """300 people, each with about three answers."""
    return draw(rng, even(4), one_coin(rng.uniform(0.45, 0.95, 300), 4), 300, (3, 3))


def rare_classes(rng):
    proportions = 1 / np.arange(1, 11) ** 1.5
    return draw(rng, proportions / proportions.sum(), one_coin(rng.uniform(0.6, 0.9, 15), 10), 600, (3, 3))


def shared_bias(rng):
    """Everybody answers 2 for class 3 in 35 to 55 % of the cases."""
    confusion = one_coin(rng.uniform(0.75, 0.95, 12), 5)
    for person in confusion:
        share = rng.uniform(0.35, 0.55)
        person[3] *= 1 - share
        person[3, 2] += share
    return draw(rng, even(5), confusion, 500, (5, 5))


def one_favorite(rng):
    """A third of the people always click class 0."""
    confusion = one_coin(rng.uniform(0.7, 0.95, 12), 4)
    confusion[:4] = 0.05 / 3
    confusion[:4, :, 0] = 0.95
    return draw(rng, even(4), confusion, 400, (5, 5))


def one_at_random(rng):
    accuracy = np.concatenate([rng.uniform(0.75, 0.95, 3), [0.25]])
    return draw(rng, even(4), one_coin(accuracy, 4), 300, (4, 4))


def mostly_random(rng):
    """Six of nine annotators answer at random."""
    accuracy = np.concatenate([rng.uniform(0.85, 0.97, 3), np.full(6, 0.2)])
    return draw(rng, even(5), one_coin(accuracy, 5), 400, (5, 5))


def together(rng):
    """Three of eight annotators copy the answers of the first of them. All are equally accurate."""
    crowd = draw(rng, even(4), one_coin(np.full(8, 0.75), 4), 400, (8, 8))
    table = np.empty((400, 8), dtype=int)
    table[crowd.image, crowd.annotator] = crowd.said
    copied = rng.random((400, 2)) < 0.9
    for copy in (1, 2):
        table[:, copy] = np.where(copied[:, copy - 1], table[:, 0], table[:, copy])
    crowd.said = table[crowd.image, crowd.annotator]
    return crowd


def thousand_classes(rng):
    """2,000 images of 1,000 classes, and 40 people. Most errors are among five neighbours of a class."""
    people, images, classes = 40, 2000, 1000
    accuracy = rng.uniform(0.6, 0.9, people)
    truth = rng.integers(0, classes, images)
    number = rng.integers(2, 4, images)
    image = np.repeat(np.arange(images), number)
    who = rng.random((images, people)).argsort(axis=1)
    annotator = np.concatenate([who[i, :n] for i, n in enumerate(number)])
    base = truth[image] - truth[image] % 5
    near = base + (truth[image] - base + 1 + rng.integers(0, 4, len(image))) % 5
    wrong = np.where(rng.random(len(image)) < 0.8, near, rng.integers(0, classes, len(image)))
    said = np.where(rng.random(len(image)) < accuracy[annotator], truth[image], wrong)
    return Crowd(truth, image, annotator, said, classes, people)


def all_equal(rng):
    """Everybody answers class 1, which is correct."""
    crowd = draw(rng, even(3), one_coin(np.full(6, 0.8), 3), 100, (3, 3))
    crowd.said[:] = 1
    crowd.truth[:] = 1
    return crowd


def perfect(rng):
    return draw(rng, even(6), one_coin(np.ones(6), 6), 100, (2, 4))


def one_annotator(rng):
    return draw(rng, even(4), one_coin(np.array([0.8]), 4), 100, (1, 1))


def one_answer_each(rng):
    return draw(rng, even(4), one_coin(rng.uniform(0.6, 0.9, 5), 4), 200, (1, 1))


def hard_images(rng):
    """A third of the images are hard: everybody is correct on 45 % of them, and on 90 % of the others."""
    easy = draw(rng, even(4), one_coin(rng.uniform(0.85, 0.95, 10), 4), 267, (5, 5))
    hard = draw(rng, even(4), one_coin(np.full(10, 0.45), 4), 133, (5, 5))
    return Crowd(np.concatenate([easy.truth, hard.truth]), np.concatenate([easy.image, hard.image + 267]),
                 np.concatenate([easy.annotator, hard.annotator]), np.concatenate([easy.said, hard.said]), 4, 10)


def many_answers(rng):
    """One person with many answers, and many people with few. This person gives 20 % of all answers, and is correct in 97 %."""
    crowd = draw(rng, even(6), one_coin(np.concatenate([[0.97], rng.uniform(0.4, 0.8, 60)]), 6), 300, (4, 4))
    taken = ~np.isin(np.arange(300), crowd.image[crowd.annotator == 0])
    add = np.flatnonzero(taken & (rng.random(300) < 0.8))
    right = rng.random(len(add)) < 0.97
    said = np.where(right, crowd.truth[add], (crowd.truth[add] + 1) % 6)
    return Crowd(crowd.truth, np.concatenate([crowd.image, add]), np.concatenate([crowd.annotator, np.zeros(len(add), int)]),
                 np.concatenate([crowd.said, said]), 6, 61)


@dataclass
class World:
    name: str
    text: str
    make: Callable[[np.random.Generator], Crowd]

    def crowd(self, number: int) -> Crowd:
        return self.make(np.random.default_rng([zlib.crc32(self.name.encode()), number]))


WORLDS = [
    World("plain", "2 classes, 500 images, 5 answers each, 10 people of .60-.95", plain),
    World("spammers", "2 classes, 500 images, 5 answers each, 8 people of .70-.95 and 4 at random", spammers),
    World("adversaries", "2 classes, 500 images, 5 answers each, 9 people of .70-.95 and 3 of .20", adversaries),
    World("one-to-three", "2 classes, 200 images, 1-3 answers each, 20 people of .60-.90", one_to_three),
    World("rare-class", "2 classes (.95, .05), 500 images, 3 answers each, 12 people of .75-.95", rare_class),
    World("five-biased", "5 classes, 500 images, 4 answers each, 8 people with biases of their own", five_biased),
    World("one-image", "3 classes, 1 image, 5 answers, people of .75", one_image),
    World("few-images", "4 classes, 12 images, 3 answers each, 6 people of .50-.95", few_images),
    World("passers-by", "4 classes, 300 images, 3 answers each, 300 people of .45-.95", passers_by),
    World("rare-classes", "10 classes of falling size, 600 images, 3 answers each, 15 people of .60-.90", rare_classes),
    World("shared-bias", "5 classes, 500 images, 5 answers each, 12 people, class 3 called 2 in .35-.55", shared_bias),
    World("one-favorite", "4 classes, 400 images, 5 answers each, 4 of 12 people click class 0", one_favorite),
    World("one-at-random", "4 classes, 300 images, 4 answers each, 3 people of .75-.95 and one at random", one_at_random),
    World("mostly-random", "5 classes, 400 images, 5 answers each, 3 people of .85-.97 and 6 at random", mostly_random),
    World("together", "4 classes, 400 images, 8 people of .75, three of whom answer together", together),
    World("thousand-classes", "1,000 classes, 2,000 images, 2-3 answers each, 40 people of .60-.90", thousand_classes),
    World("all-equal", "3 classes, 100 images, 3 answers each, all of them class 1", all_equal),
    World("perfect", "6 classes, 100 images, 2-4 answers each, 6 people who never err", perfect),
    World("one-annotator", "4 classes, 100 images, one person of .80", one_annotator),
    World("one-answer-each", "4 classes, 200 images, 1 answer each, 5 people of .60-.90", one_answer_each),
    World("hard-images", "4 classes, 400 images, 5 answers each, 10 people, a third of the images hard", hard_images),
    World("many-answers", "6 classes, 300 images, 60 people of .40-.80 and one of .97 with a fifth of the answers", many_answers),
]


def tuning(number: int) -> Crowd:
    """A crowd with random size and habits, used to choose a prior and not for reports."""
    rng = np.random.default_rng([20260101, number])
    classes = int(rng.choice([2, 2, 3, 4, 6, 10, 20, 60]))
    people = int(rng.choice([3, 5, 8, 14, 30, 80]))
    images = int(rng.choice([8, 30, 80, 200, 450]))
    least = min(people, int(rng.choice([1, 1, 2, 3, 4])))
    proportions = rng.dirichlet(np.full(classes, rng.choice([0.5, 2.0, 20.0])))
    low = rng.uniform(0.35, 0.8)
    accuracy = rng.uniform(low, min(0.98, low + rng.uniform(0.02, 0.4)), people)
    if rng.random() < 0.35:
        accuracy[: max(1, people // int(rng.integers(3, 6)))] = 1 / classes
    confusion = one_coin(np.maximum(accuracy, 1 / classes), classes)
    habit = rng.random()
    for person in confusion:
        if habit < 0.5:
            continue
        away = rng.dirichlet(np.full(classes, 0.3), classes)
        share = rng.uniform(0, 0.45, (classes, 1))
        person[:] = (1 - share) * person + share * away
    return draw(rng, proportions, confusion, images, (least, least + int(rng.integers(0, 4))))


def csv_of(crowd: Crowd) -> str:
    rows = zip(crowd.image, crowd.annotator, crowd.said)
    return "image,annotator,label\n" + "".join(f"i{i:05}.png,p{a:03},c{c:03}\n" for i, a, c in rows)


def main() -> None:
    if len(sys.argv) == 1:
        for world in WORLDS:
            print(f"{world.name:17} {world.text}")
        return
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for world in WORLDS:
        for number in range(int(sys.argv[2])):
            (folder / f"{world.name}-{number}.csv").write_text(csv_of(world.crowd(number)))


if __name__ == "__main__":
    main()
