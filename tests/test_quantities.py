"""The page of quantities is the one that the code generates."""

from __future__ import annotations

from pathlib import Path

from certify.problem import families
from certify.quantities import page


def test_the_page_in_the_repository_is_the_generated_one() -> None:
    kept = Path(__file__).parent.parent / "docs" / "quantities.md"
    assert kept.read_text(encoding="utf-8") == page(), "make docs writes it"


def test_every_quantity_stands_on_the_page_with_its_sense_and_its_derivation() -> None:
    text = page()
    for name, family in families().items():
        section = text.split(f"## {name}\n")[1].split("\n## ")[0]
        assert f"Sense: `{family.sense}`" in section
        assert f"| `{family.quantity.name}` |" in section
        for quantity in family.derived:
            assert f"| `{quantity.name}` |" in section
            derivation = "square root of" if quantity.root == 2 else f"{quantity.factor} times"
            assert f"{derivation} `{family.quantity.name}`" in section
