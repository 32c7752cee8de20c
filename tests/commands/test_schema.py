import json
from pathlib import Path

import pytest

from sluiceway.config import json_schema
from sluiceway.reports.schema import output_schema
from tests.commands.conftest import Program

SCHEMAS = Path(__file__).parents[2] / "schema"


def test_of_the_config(program: Program) -> None:
    ended = program("schema")
    assert ended.code == 0
    assert json.loads(ended.out) == json_schema()


def test_of_the_output(program: Program) -> None:
    ended = program("schema", "output")
    assert json.loads(ended.out) == output_schema()
    assert ended.out == (SCHEMAS / "output.schema.json").read_text("utf-8")


def test_of_anything_else(program: Program) -> None:
    assert program("schema", "colours").code == 2


@pytest.mark.parametrize("option", ["--root=x", "--format=json", "--replay=x"])
def test_it_takes_no_other_option(program: Program, option: str) -> None:
    assert program("schema", option).code == 2
