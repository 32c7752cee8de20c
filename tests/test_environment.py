import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.environment import LARGEST, EnvFileProblem, Variables, parse_env, read_env_file

CANARY = "c4n4ry-v4lue"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("\n  \n# comment\n\t# A=1\n", {}),
        ("A=1", {"A": "1"}),
        ("A=1\nB=2\nA=3\n", {"A": "3", "B": "2"}),
        ("A=1\r\nB='x\r\ny'\r\n", {"A": "1", "B": "x\ny"}),
        ("\ufeffA=1", {"A": "1"}),
        ("  export   A = 1  ", {"A": "1"}),
        ("export=1\nexport export=2", {"export": "2"}),
        ("A=\nB= \nC=''\nD=\"\"", {"A": "", "B": "", "C": "", "D": ""}),
        ("A=two words # comment", {"A": "two words"}),
        ("A=a#b\nB=#b\nC= # b\nD=\t#b\nE=x\t#b", {"A": "a#b", "B": "#b", "C": "", "D": "", "E": "x"}),
        ("A='a # b' # c\nB=\"a # b\"\t# c", {"A": "a # b", "B": "a # b"}),
        ("URL=https://u:p@h/?a=b&c=d==", {"URL": "https://u:p@h/?a=b&c=d=="}),
        ("A=it's\nB=5\"", {"A": "it's", "B": '5"'}),
        (r"A='a\n\'", {"A": r"a\n" + "\\"}),
        (r'A="a\nb\tc\rd\\e\"f\$g\h"', {"A": 'a\nb\tc\rd\\e"f$g\\h'}),
        (r'A="\\n"', {"A": r"\n"}),
        (r"A=a\nb\\", {"A": r"a\nb\\"}),
        ("A=$HOME\nB=\"${HOME}\"\nC='$(id)'\nD=`id`", {"A": "$HOME", "B": "${HOME}", "C": "$(id)", "D": "`id`"}),
        ("KEY='-----BEGIN\nabc=\n\n-----END'\nB=1", {"KEY": "-----BEGIN\nabc=\n\n-----END", "B": "1"}),
        ('A="x\n# no comment\ny" # comment\nB=1', {"A": "x\n# no comment\ny", "B": "1"}),
        ("_a1=é✓", {"_a1": "é✓"}),
    ],
)
def test_understands(text: str, expected: dict[str, str]) -> None:
    assert parse_env(text.encode()) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (CANARY, (1,)),
        (f"A=1\n\nexport {CANARY}\nB=2", (3,)),
        (f"={CANARY}\n1A={CANARY}\nA-B={CANARY}\nA.B=1\nA B=1", (1, 2, 3, 4, 5)),
        (f"A='{CANARY}\nB=1\nC={CANARY}", (1,)),
        (f'A="{CANARY}\nB=1', (1,)),
        (f'A="{CANARY}\\"', (1,)),
        (f"A='x' {CANARY}\nB=\"x\"{CANARY}\nC='x'#{CANARY}", (1, 2, 3)),
        (f"A='x\n{CANARY}' y\nB=1", (1, 2)),
        ("A='multi\nline'\n# comment\n\n? \nB=1", (5,)),
        (f"A={CANARY}\0\nB='\0'\nC=\"\\\0\"\nD=1", (1, 2, 3)),
        ("A=1\n\u00a0B=1", (2,)),
        ("é=1", (1,)),
    ],
)
def test_names_malformed_lines_by_number_only(text: str, lines: tuple[int, ...]) -> None:
    found = parse_env(text.encode())
    assert isinstance(found, EnvFileProblem)
    assert found.lines == lines
    assert CANARY not in repr(found)


def test_the_problem_reads_as_a_sentence() -> None:
    assert parse_env(b"x\n") == EnvFileProblem("line 1: expected NAME=value", (1,))
    assert parse_env(b"x\nA=1\ny") == EnvFileProblem("lines 1, 3: expected NAME=value", (1, 3))
    assert parse_env(b"A=1\n\nB=\xff") == EnvFileProblem("line 3: expected UTF-8", (3,))
    assert parse_env("A=1".encode("utf-16")) == EnvFileProblem("line 1: expected UTF-8", (1,))


def test_reads_a_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=1\n")
    assert read_env_file(tmp_path / ".env") == {"A": "1"}
    assert read_env_file(tmp_path / "none") == EnvFileProblem("can't be read: No such file or directory")
    assert read_env_file(tmp_path) == EnvFileProblem("can't be read: Is a directory")


def test_a_file_that_can_only_be_something_else_is_not_read_whole(tmp_path: Path) -> None:
    (tmp_path / "largest").write_bytes(b"A=1\n" + b"#" * (LARGEST - 4))
    (tmp_path / "larger").write_bytes(b"A=1\n" + b"#" * (LARGEST - 3))
    assert read_env_file(tmp_path / "largest") == {"A": "1"}
    assert read_env_file(tmp_path / "larger") == EnvFileProblem("is larger than 1 MiB")
    assert read_env_file(Path("/dev/zero")) == EnvFileProblem("is larger than 1 MiB")


def test_only_names_are_in_a_repr() -> None:
    found = parse_env(f"A={CANARY}\nB={CANARY}".encode())
    assert isinstance(found, Variables)
    assert repr(found) == f"{found}" == "Variables(A, B)"


@settings(max_examples=40)
@given(st.dictionaries(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True), st.text(st.characters(codec="utf-8"))))
def test_any_value_can_be_written_in_double_quotes(values: dict[str, str]) -> None:
    values = {name: value.replace("\0", "") for name, value in values.items()}
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\r": "\\r", "\n": "\\n"})
    text = "".join(f'{name}="{value.translate(escapes)}"\n' for name, value in values.items())
    assert parse_env(text.encode()) == values


@given(st.text("A='\"\\ #\n\0\t"))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = parse_env(text.encode())
    assert isinstance(found, Variables) or max(found.lines) <= text.count("\n") + 1


@pytest.mark.parametrize("part", [" ", "A='", 'A="\n', "A= ", "export ", '\\"', "A=#\n", "'\n"])
def test_a_hostile_file_takes_no_more_than_its_length(part: str) -> None:
    began = time.process_time()
    parse_env(("A=" + part * 100_000).encode()[:200_000])
    parse_env((part * 100_000).encode()[:200_000])
    assert time.process_time() - began < 2
