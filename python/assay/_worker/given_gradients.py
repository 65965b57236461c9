"""Checks whether gradient= of a function is the gradient of its scores, by central differences on a few images.

gradient= is a second function, from (batch, weights) to numbers of the batch's shape. The batch is what the model itself gets.
Weights are a float32 array of images x scores. The result is the derivative of (weights * model(batch)).sum() by the batch, in the
batch's normalised units. Every loss of an attack follows from it. In JAX it is `lambda batch, weights: jax.vjp(model,
batch)[1](weights)[0]`.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

from .wire import Refused

IMAGES = 2
_RANDOM_DIRECTIONS = 2
_STEPS = (1e-4, 1e-3, 1e-2, 1e-1)  # relative to the input's standard deviation
_ALLOWED = 0.1  # relative to the derivative, above rounding and kinks
_STEADY = 0.05  # relative tolerance for two steps
CONTRACT = (
    "It gets (batch, weights) and returns the derivative of (weights * scores).sum() by the batch, with the batch's shape and in its normalised units"
)


def checked(value: Any, shape: "tuple[int, ...]", name: str) -> Any:
    """The gradient, whose shape is that of the batch."""
    found = tuple(int(side) for side in value.shape)
    if found != tuple(shape):
        raise Refused(f"gradient= of {name} returned numbers of the shape {found} for a batch of the shape {tuple(shape)}. {CONTRACT}")
    return value


class _Worst:
    """The largest difference found, and the number of directions in which both agree."""

    def __init__(self) -> None:
        self.difference = 0.0
        self.agree = 0


def _sample(channels: int, height: int, width: int, scale: float, mean: "list[float]", std: "list[float]") -> Any:
    """Images of noise around one colour each, in the model's format."""
    import numpy

    random = numpy.random.default_rng(20)
    colours = random.uniform(0.2, 0.8, (IMAGES, channels, 1, 1))
    pixels = (colours + random.uniform(-0.2, 0.2, (IMAGES, channels, height, width))) * 255
    of_channels = (1, channels, 1, 1)
    return ((pixels * scale - numpy.reshape(mean[:channels], of_channels)) / numpy.reshape(std[:channels], of_channels)).astype(numpy.float32)


def check(
    name: str, scores_of: Callable[[Any], Any], gradient_of: Callable[[Any, Any], Any], channels: int, height: int, width: int,
    scale: float, mean: "list[float]", std: "list[float]",
) -> str:
    """Returns the result of the check as a sentence. Raises Refused if gradient= is not finite, or clearly not the gradient of the scores.

    Both functions take and return NumPy arrays. Costs some 25 batches of two images.
    """
    import numpy

    images = _sample(channels, height, width, scale, mean, std)
    random = numpy.random.default_rng(21)
    scores = scores_of(images.copy())  # a model may write into its input
    if not numpy.isfinite(scores).all():
        return f"gradient= of {name} could not be checked: the scores of images of noise are not finite"
    weights = random.normal(size=scores.shape).astype(numpy.float32)
    gradient = gradient_of(images.copy(), weights).astype(numpy.float64)
    if not numpy.isfinite(gradient).all():
        bad = numpy.argwhere(~numpy.isfinite(gradient))[0]
        raise Refused(f"gradient= of {name} is not finite: {gradient[tuple(bad)]} at {tuple(int(i) for i in bad)} of a batch of {IMAGES} images of noise")
    spread = float(images.std()) or 1.0
    signs = [numpy.sign(gradient)] + [random.choice([-1.0, 1.0], images.shape) for _ in range(_RANDOM_DIRECTIONS)]
    norms = numpy.sqrt((gradient**2).sum(axis=(1, 2, 3)))

    def along(direction: Any, step: float) -> Any:
        high, low = (scores_of((images + sign * step * direction).astype(numpy.float32)).astype(numpy.float64) for sign in (1, -1))
        return ((high - low) * weights).sum(axis=1) / (2 * step)

    worst = _Worst()
    for direction in signs:
        said = (gradient * direction).sum(axis=(1, 2, 3))
        differences = [along(direction, step * spread) for step in _STEPS]
        for i in range(IMAGES):
            _compare(name, i, float(said[i]), [float(one[i]) for one in differences], float(norms[i]), worst)
    if worst.agree == 0:
        return f"gradient= of {name} could not be checked: small changes of the input do not change the scores, or rounding hides them"
    # The note is part of results and the last digits depend on the machine, so only these limits are printed.
    below = next(one for one in (0.001, 0.01, _ALLOWED) if worst.difference <= one)
    return f"gradient= of {name} agrees with central differences on {IMAGES} images of noise (differences are at most {100 * below:g} %)"


def _compare(name: str, image: int, said: float, found: "list[float]", norm: float, worst: _Worst) -> None:
    """One direction of one image. found: differences by step size; rounding spoils those of small steps, curvature those of large ones."""
    found = [one for one in found if math.isfinite(one)]
    if not any(found) and (said == 0 or not found):
        return
    size = max(abs(said), norm)
    nearest = min(found, key=lambda one: abs(one - said))
    if abs(nearest - said) <= _ALLOWED * size:
        worst.agree += 1
        worst.difference = max(worst.difference, abs(nearest - said) / size if size else 0.0)
        return
    steady = _steady(found)
    if steady is None:
        return
    raise Refused(
        f"gradient= of {name} is not the gradient of its scores. In one direction they change by {steady:.4g} for each unit of the input "
        f"(central differences, image {image + 1} of {IMAGES}), and gradient= says {said:.4g}. {CONTRACT}"
    )


def _steady(found: "list[float]") -> Optional[float]:
    """The derivative on which two neighbouring step sizes agree; None if rounding or steps of the function hide it."""
    pairs = [(a, b) for a, b in zip(found, found[1:]) if a and b]
    close = [(a, b) for a, b in pairs if abs(a - b) <= _STEADY * max(abs(a), abs(b))]
    return (close[0][0] + close[0][1]) / 2 if close else None
