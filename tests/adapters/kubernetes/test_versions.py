import pytest

from sluiceway.adapters.kubernetes.versions import dotted, read

FLOOR = (3, 18, 0)


@pytest.mark.parametrize(
    ("written", "older"),
    [
        ("v3.18.0", False),
        ("3.18.0", False),
        ("v3.18.1-rc.1", False),
        ("v4.0.0-alpha.1", False),
        ("v3.100.0", False),
        ("v3.18.0+gabc1234", False),
        ("v3.18.0-eks-1234567", False),
        ("v3.18.0-rc.1", True),
        ("v3.18.0-beta.2+gabc1234", True),
        ("v3.17.99", True),
        ("v2.99.99", True),
    ],
)
def test_a_version_against_a_floor(written: str, older: bool) -> None:
    version = read(written)
    assert version is not None
    assert (version.written, version.older_than(FLOOR)) == (written, older)


@pytest.mark.parametrize(
    "written", ["", "v3", "v3.18", "v3.18.x", "3.18.0\n", " 3.18.0", "vv3.18.0", "v3.18.0-", "latest"]
)
def test_what_is_no_version(written: str) -> None:
    assert read(written) is None


def test_the_major_version_and_a_floor_as_it_is_written() -> None:
    version = read("v4.3.0")
    assert version is not None
    assert (version.major, dotted(FLOOR)) == (4, "3.18.0")
