"""What the port takes from a job's environment."""

import pickle
import subprocess
import sys

import pytest

from sluiceway.github import GitHub, Missing, connect
from sluiceway.github.settings import Settings, Token, read_settings

JOB = {"INPUT_TOKEN": "ghs_input", "GITHUB_TOKEN": "ghs_job", "GITHUB_REPOSITORY": "octo/shop"}


def settings(**environment: str) -> Settings:
    found = read_settings({**JOB, **environment})
    assert isinstance(found, Settings), found
    return found


def test_the_input_comes_before_the_jobs_token() -> None:
    assert settings().token.reveal() == "ghs_input"
    assert settings(INPUT_TOKEN="").token.reveal() == "ghs_job"
    assert settings(INPUT_TOKEN=" ghs_x\n").token.reveal() == "ghs_x"  # noqa: S106  # it opens nothing


@pytest.mark.parametrize(
    ("given", "graphql"),
    [
        ({}, "https://api.github.com/graphql"),
        ({"GITHUB_API_URL": "https://ghe.example/api/v3/"}, "https://ghe.example/api/graphql"),
        ({"GITHUB_API_URL": "https://api.octo.ghe.com"}, "https://api.octo.ghe.com/graphql"),
        ({"GITHUB_GRAPHQL_URL": "https://elsewhere.example/graphql"}, "https://elsewhere.example/graphql"),
    ],
)
def test_graphql_is_beside_rest(given: dict[str, str], graphql: str) -> None:
    found = settings(**given)

    assert found.graphql_url == graphql
    assert found.api_url == given.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"INPUT_TOKEN": "", "GITHUB_TOKEN": ""}, "There is no token"),
        ({"INPUT_TOKEN": "ghs_one two"}, "characters that no token has"),
        ({"INPUT_TOKEN": "ghs_é"}, "characters that no token has"),
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY must be owner/name"),
        ({"GITHUB_REPOSITORY": "shop"}, "GITHUB_REPOSITORY must be owner/name"),
        ({"GITHUB_REPOSITORY": "octo/shop/../x"}, "GITHUB_REPOSITORY must be owner/name"),
        ({"GITHUB_API_URL": "ftp://x.example"}, "GITHUB_API_URL must be"),
        ({"GITHUB_API_URL": "https://me:secret@x.example"}, "GITHUB_API_URL must be"),
        ({"GITHUB_API_URL": "https://x.example:port"}, "GITHUB_API_URL must be"),
        ({"GITHUB_GRAPHQL_URL": "https:///graphql"}, "GITHUB_GRAPHQL_URL must be"),
    ],
)
def test_what_can_not_be_is_said_without_a_value(given: dict[str, str], note: str) -> None:
    found = connect({**JOB, **given})

    assert isinstance(found, Missing)
    assert note in found.note
    assert "ghs_" not in found.note
    assert "secret" not in found.note


def test_a_token_is_in_no_text() -> None:
    port = connect(JOB)

    assert isinstance(port, GitHub)
    assert "ghs_input" not in f"{port!r} {port} {settings()!r} {settings().token} {vars(port)}"
    assert repr(port) == "GitHub('octo/shop', 'https://api.github.com')"
    with pytest.raises(TypeError):
        pickle.dumps(settings().token)
    assert Token("ghs_x").conceal("a ghs_x b") == "a *** b"


WITHOUT = """
import importlib.abc, sys
class Nothing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"github", "requests"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
from sluiceway.github import connect
print(connect({"GITHUB_TOKEN": "ghs_x", "GITHUB_REPOSITORY": "octo/shop"}).note)
"""


def test_a_missing_library_is_said_and_how_to_install_it() -> None:
    result = subprocess.run(  # this Python
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=60, check=True
    )

    assert "pip install 'sluiceway[github]'" in result.stdout


def test_the_library_is_loaded_by_connect_alone() -> None:
    code = "import sys, sluiceway.github; print(sorted({'github', 'requests', 'pydantic', 'yaml'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert result.stdout.strip() == "[]"
