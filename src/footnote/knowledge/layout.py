"""Project document vectors to a plane on which similar documents lie together.

The method is t-SNE (van der Maaten and Hinton 2008): each document is attracted by its nearest
neighbours and repelled by all others. The repulsion is computed on a grid by convolution, as in
FIt-SNE (Linderman et al. 2019), so that the cost is linear in the number of documents. It is
deterministic: the same vectors in the same order give the same places.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from footnote.ports import Vectors

Plane = npt.NDArray[np.float32]
"""Places, shape (documents, 2)."""
Neighbours = npt.NDArray[np.int32]
OnProgress = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""

STEPS = 200
_EXAGGERATED_STEPS = 70
"""First steps with stronger attraction (early exaggeration), so that groups form."""
_EXAGGERATION = 12.0
_PERPLEXITY = 10.0
_SHARE_OF_FEW = 5
"""The perplexity of few documents is their number over this; a higher one merges small groups."""
_NEIGHBOURS = 30  # Thrice the perplexity, beyond which affinities are next to nothing.
_BISECTIONS = 40
_BATCH_ROWS = 1024
"""Rows of the similarity matrix computed at a time: 40 MB at 10,000 documents."""
_FIRST_SPREAD = 1.0
_CELL = 0.5  # Repulsion decays over a distance of 1, which two cells resolve.
_SIDES = (32, 48, 64, 96, 128)
"""Points of the grid along each axis, whose doubles suit a fast Fourier transform."""
_ROOM = 1.1
_GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


def lay_out(vectors: Vectors, on_progress: OnProgress = lambda _done, _total: None) -> Plane:
    """Project any number of documents to places within -1…1 on both axes, centred."""
    count = vectors.shape[0]
    places = _principal_plane(_normalised(vectors))
    if count > 3:
        neighbours, affinities = _affinities(_normalised(vectors))
        places = _optimised(places, neighbours, affinities, on_progress)
    places = places - places.mean(axis=0) if count else places
    reach = float(np.abs(places).max(initial=0.0))
    return (places / np.float32(reach or 1.0)).astype(np.float32)


def _normalised(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def _principal_plane(vectors: Vectors) -> Plane:
    """Project the vectors to their first two principal components.

    The sign of a component is chosen so that the longer tail is positive, which stays stable as
    documents are added.
    """
    count, dimensions = vectors.shape
    if count == 0:
        return np.zeros((0, 2), np.float32)
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    if count < dimensions:
        values, eigenvectors = np.linalg.eigh(centred @ centred.T)
        places = eigenvectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0))
    else:
        _, directions = np.linalg.eigh(centred.T @ centred)
        places = centred @ directions[:, ::-1][:, :2]
    if places.shape[1] < 2:
        places = np.pad(places, ((0, 0), (0, 2 - places.shape[1])))
    places = places * np.where((places**3).sum(axis=0) < 0, -1.0, 1.0)
    spread = max(float(places[:, 0].std()), 1e-6)
    # Separates equal vectors, which would stay together.
    angles = np.arange(count) * _GOLDEN_ANGLE
    jitter = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 1e-3
    first: Plane = ((places / spread + jitter) * _FIRST_SPREAD).astype(np.float32)
    return first


def _affinities(vectors: Vectors) -> tuple[Neighbours, Plane]:
    """Return the nearest neighbours of each document and its affinities to them, which sum to 1."""
    count = vectors.shape[0]
    neighbour_count = min(_NEIGHBOURS, count - 1)
    neighbours = np.empty((count, neighbour_count), np.int32)
    distances = np.empty((count, neighbour_count), np.float32)
    for first in range(0, count, _BATCH_ROWS):
        rows = slice(first, min(first + _BATCH_ROWS, count))
        similar = vectors[rows] @ vectors.T
        row_numbers = np.arange(rows.start, rows.stop)
        similar[row_numbers - first, row_numbers] = -2
        row_neighbours = np.argpartition(-similar, neighbour_count - 1, axis=1)[:, :neighbour_count]
        row_neighbours.sort(axis=1)
        neighbours[rows] = row_neighbours
        distances[rows] = 2 - 2 * np.take_along_axis(similar, row_neighbours, axis=1)
    return neighbours, _calibrated(np.maximum(distances, 0)) / np.float32(count)


def _calibrated(distances: Plane) -> Plane:
    """Find weights of each row's neighbours that sum to 1 and have the target perplexity."""
    evenness = np.clip(distances.shape[0] / _SHARE_OF_FEW, 2, _PERPLEXITY)
    target_entropy = np.log(min(float(evenness), max(distances.shape[1] / 2, 1.01)))
    nearer = (distances - distances.min(axis=1, keepdims=True)).astype(np.float64)
    low = np.full(nearer.shape[0], -20.0)
    high = np.full(nearer.shape[0], 40.0)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        weights = np.exp(-nearer * np.exp(middle)[:, None])
        weights /= weights.sum(axis=1, keepdims=True)
        entropy = -(weights * np.log(np.maximum(weights, 1e-300))).sum(axis=1)
        low = np.where(entropy > target_entropy, middle, low)
        high = np.where(entropy > target_entropy, high, middle)
    calibrated: Plane = weights.astype(np.float32)
    return calibrated


def _optimised(
    places: Plane, neighbours: Neighbours, affinities: Plane, on_progress: OnProgress
) -> Plane:
    """Run all steps of gradient descent, with momentum and a gain for each coordinate."""
    count = places.shape[0]
    rate = max(count / _EXAGGERATION, 1.0)
    moves = np.zeros_like(places)
    push = _Repulsion()
    gains = np.ones_like(places)
    for step in range(STEPS):
        early = step < _EXAGGERATED_STEPS
        attraction = _attraction(places, neighbours, affinities)
        slopes = 4 * (attraction * np.float32(_EXAGGERATION if early else 1) - push(places))
        gains = np.where(slopes * moves < 0, gains + 0.2, np.maximum(gains * 0.8, 0.01))
        gains = gains.astype(np.float32)
        moves = np.float32(0.5 if early else 0.8) * moves - np.float32(rate) * gains * slopes
        # Limits the length of a step, so that outliers do not distort the map.
        length = np.linalg.norm(moves, axis=1, keepdims=True)
        moves = moves * np.minimum(1, 5 / np.maximum(length, 1e-9))
        places = places + moves
        places = places - places.mean(axis=0)
        on_progress(step + 1, STEPS)
    return places


def _attraction(places: Plane, neighbours: Neighbours, affinities: Plane) -> Plane:
    """The attraction of each document by its neighbours and by those it is a neighbour of."""
    columns = [np.ascontiguousarray(places[:, axis]) for axis in (0, 1)]
    across, along = (column[:, None] - column[neighbours] for column in columns)
    weights = affinities / (1 + across * across + along * along)
    flat, attraction = neighbours.ravel(), np.empty_like(places)
    for axis, differences in enumerate((across, along)):
        forces = differences * weights
        attraction[:, axis] = forces.sum(axis=1) - np.bincount(
            flat, forces.ravel(), places.shape[0]
        )
    # Each pair was weighed twice.
    return attraction / np.float32(2)


class _Repulsion:
    """The repulsion of each document by all others, computed on a grid.

    The kernels of a grid are reused while the places fit it.
    """

    def __init__(self) -> None:
        self._size = 0.0
        self._side = 0
        self._kernels = np.zeros((0, 0, 0), np.complex64)

    def __call__(self, places: Plane) -> Plane:
        self._fit(places)
        side, count = self._side, places.shape[0]
        inside = (places - places.min(axis=0)) / np.float32(self._size)
        corner = np.minimum(inside.astype(np.int32), side - 2)
        fraction = inside - corner
        at = corner[:, 0] * side + corner[:, 1]
        corner_shares = np.stack([1 - fraction, fraction])
        corners = [
            (at + dx * side + dy, corner_shares[dx, :, 0] * corner_shares[dy, :, 1])
            for dx in (0, 1)
            for dy in (0, 1)
        ]
        masses = np.zeros(side * side)
        for nodes, share in corners:
            masses += np.bincount(nodes, share, side * side)
        padded = (2 * side, 2 * side)
        spectrum = np.fft.rfft2(masses.reshape(side, side).astype(np.float32), padded)
        fields = np.fft.irfft2(self._kernels * spectrum, padded)[:, :side, :side].reshape(3, -1)
        forces = np.zeros((3, count), np.float32)
        for nodes, share in corners:
            forces += fields[:, nodes] * share
        # Subtracts each point's own contribution, which is about 1 after interpolation.
        total = float(forces[0].sum()) - count
        pushed: Plane = (forces[1:].T / np.float32(max(total, 1e-9))).astype(np.float32)
        return pushed

    def _fit(self, places: Plane) -> None:
        width = float((places.max(axis=0) - places.min(axis=0)).max()) or 1.0
        room = self._size * (self._side - 1)
        if width <= room <= width * _ROOM**2:
            return
        room = width * _ROOM
        self._side = next(
            (candidate for candidate in _SIDES if (candidate - 1) * _CELL >= room), _SIDES[-1]
        )
        self._size = room / (self._side - 1)
        padded = 2 * self._side
        offsets = (np.fft.fftfreq(padded, 1 / padded) * self._size).astype(np.float32)
        kernel = 1 / (1 + offsets[:, None] ** 2 + offsets[None, :] ** 2)
        sideways = offsets[:, None] * kernel**2
        kernels = np.stack([kernel, sideways, sideways.T])
        self._kernels = np.fft.rfft2(kernels).astype(np.complex64)
