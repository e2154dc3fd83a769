"""What an engine for the embedding SDP returns: floats, untrusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certify.problem import Claim


@dataclass(frozen=True)
class EmbeddingAnswer:
    """Approximate primal and dual solutions of the optimal-distortion SDP.

    points: (n, k) coordinates, any scale, or None. ``expand``/``contract``: (m, 2) index pairs i < j and
    their dual weights (m,), non-negative up to solver error, any common scale, or None: together they
    stand for  sum_e y_e v_e v_e^T - sum_p y_p v_p v_p^T ⪰ 0.
    """

    points: NDArray[np.float64] | None
    expand: NDArray[np.int64] | None
    expand_weights: NDArray[np.float64] | None
    contract: NDArray[np.int64] | None
    contract_weights: NDArray[np.float64] | None
    claim: Claim
