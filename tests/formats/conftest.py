"""Small helpers of the format tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from certify.errors import InputError


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., list[str]]:
    """The error lines of a call that must be refused, without the folder of the test."""

    def call(function: Callable[..., object], *args: object, **kwargs: object) -> list[str]:
        with pytest.raises(InputError) as caught:
            function(*args, **kwargs)
        return [line.replace(f"{tmp_path}/", "") for line in caught.value.lines()]

    return call
