"""Divide places on a plane into areas by the peaks of their density.

Each place belongs to the peak that steepest ascent from it reaches.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footnote.knowledge.layout import Plane

Areas = npt.NDArray[np.int32]
"""For each document the number of its area, 0 for the largest."""

MAX_AREAS = 20
_SIDE = 96
"""Cells of the grid along each axis."""
_EDGE = 1.05
_NARROWER = 0.45
"""Share of the bandwidth by Silverman's rule, which smooths several peaks into one."""
_BROADER = 1.25
_MIN_SHARE = 0.004
"""Share of all documents below which an area's places go to the nearest larger areas."""
_MIN_DOCUMENTS = 3


def areas_of(places: Plane) -> Areas:
    """Assign each place to an area: one per density peak, at most `MAX_AREAS`."""
    count = places.shape[0]
    if count <= _MIN_DOCUMENTS:
        return np.zeros(count, np.int32)
    cells = ((places + _EDGE) / (2 * _EDGE) * _SIDE).astype(np.int32).clip(0, _SIDE - 1)
    flat = cells[:, 0] * _SIDE + cells[:, 1]
    masses = np.bincount(flat, minlength=_SIDE * _SIDE).reshape(_SIDE, _SIDE)
    spread = float(places.std()) * _SIDE / (2 * _EDGE)
    breadth = max(_NARROWER * spread * count ** (-1 / 6), 0.7)
    while True:
        peaks = _peaks(_blurred(masses, breadth))[flat]
        areas = _without_small(places, peaks, max(_MIN_DOCUMENTS, round(count * _MIN_SHARE)))
        if areas.max() < MAX_AREAS:
            return areas
        breadth *= _BROADER


def _blurred(masses: npt.NDArray[np.intp], breadth: float) -> npt.NDArray[np.float64]:
    """Smooth the counts by a Gaussian kernel of this bandwidth in cells."""
    offsets = np.arange(-_SIDE + 1, _SIDE)
    weights = np.exp(-(offsets**2) / (2 * breadth**2))
    window = weights[_SIDE - 1 + np.arange(_SIDE)[:, None] - np.arange(_SIDE)[None, :]]
    spread: npt.NDArray[np.float64] = window @ masses @ window.T
    return spread


def _peaks(heights: npt.NDArray[np.float64]) -> Areas:
    """Map each cell to the peak where steepest ascent from it ends."""
    padded = np.pad(heights, 1, constant_values=-1.0)
    steps = [(dx, dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
    around = np.stack(
        [padded[1 + dx : 1 + dx + _SIDE, 1 + dy : 1 + dy + _SIDE] for dx, dy in steps]
    )
    best = around.argmax(axis=0)
    offsets = np.array([dx * _SIDE + dy for dx, dy in steps])
    leads: Areas = (np.arange(_SIDE * _SIDE) + offsets[best].ravel()).astype(np.int32)
    while True:
        further: Areas = leads[leads]
        if np.array_equal(further, leads):
            return leads
        leads = further


def _without_small(places: Plane, peaks: Areas, min_size: int) -> Areas:
    """Number the areas by falling size; move places of small ones to the nearest large centroid."""
    _, areas, sizes = np.unique(peaks, return_inverse=True, return_counts=True)
    large = np.flatnonzero(sizes >= min_size)
    if not large.size:
        return np.zeros(places.shape[0], np.int32)
    middles = np.stack([places[areas == area].mean(axis=0) for area in large])
    in_large = np.isin(areas, large)
    distances = np.linalg.norm(places[~in_large, None, :] - middles[None], axis=2)
    areas[~in_large] = large[distances.argmin(axis=1)]
    sizes = np.bincount(areas, minlength=sizes.size)
    order = np.argsort(-sizes[large], kind="stable")
    number = np.zeros(sizes.size, np.int32)
    number[large[order]] = np.arange(large.size)
    numbered: Areas = number[areas]
    return numbered
