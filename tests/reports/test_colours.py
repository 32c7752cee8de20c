import pytest

from sluiceway.reports.colours import STYLES
from sluiceway.reports.text import _HEADS, _SIGNS

# Red on white and black, as terminals draw their sixteen colours: xterm, VS Code, GNOME, macOS, Windows, Solarized.
REDS = ["cd0000", "cd3131", "cc0000", "c23621", "c50f1f", "dc322f"]
LEGIBLE = 3.0
"""What WCAG asks of large or bold text."""


def luminance(colour: str) -> float:
    parts = [int(colour[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("red", REDS)
def test_red_can_be_read_on_light_and_dark(red: str) -> None:
    assert min(contrast(red, "ffffff"), contrast(red, "000000")) >= LEGIBLE


def test_words_are_in_no_other_colour_than_red() -> None:
    assert {STYLES[style] for _word, style in _HEADS.values()} == {"", "bold", "bold red"}
    coloured = {style for style, look in STYLES.items() if look.split()[-1:] in (["green"], ["yellow"])}
    assert coloured == {style for _sign, style in _SIGNS.values()} - {"delete"}
    assert "dim" not in " ".join(STYLES.values())


def test_what_differs_in_colour_differs_in_words() -> None:
    assert len({sign for sign, _style in _SIGNS.values()}) == len(_SIGNS)
    assert len({word for word, _style in _HEADS.values()}) == len(_HEADS) - 1  # a preview and a deploy both fail
