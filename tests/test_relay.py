"""What a tool wrote, on its way to the job log."""

import base64
import io
import json
import os
import re
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.processes import Command, ProcessRunner
from sluiceway.relay import Concealed, JobLog

CANARY = "c4n4ry-v4lue"


def concealing(*values: str) -> Concealed:
    concealed = Concealed()
    concealed.add(values)
    return concealed


class TestConcealed:
    @pytest.mark.parametrize(
        ("value", "text", "clean"),
        [
            (CANARY, f"a {CANARY}, {CANARY}.", "a ***, ***."),
            ("four", "four times", "*** times"),
            ("two", "two dHdv", "two dHdv"),
            ("", "nothing", "nothing"),
            ("   \n \n", "a    b", "a    b"),
            ("on\nweb\nport: 80", "on web port: 80", "on web ***"),
            (f"  {CANARY}\n", f"x={CANARY}", "x=***"),
            ("-----BEGIN\r\nline-one\nline-two\n", "line-two -----BEGIN line-one", "*** *** ***"),
            ('pass"wo\\rd', r'{"a":"pass\"wo\\rd"}', '{"a":"***"}'),
            ("a<b>&c", r'"a\u003cb\u003e\u0026c"', '"***"'),
            ("pässword", r'"p\u00e4ssword" pässword', '"***" ***'),
            ("tab\tnew\nbell\a\x1b\x7f", r'Invalid value: "tab\tnew\nbell\a\x1b\x7f"', 'Invalid value: "***"'),
            ("nbsp\u00a0🙂\U000e0001", r'"nbsp\u00a0🙂\U000e0001"', '"***"'),
            ('in "json" in', r'"{\"a\":\"in \\\"json\\\" in\"}"', r'"{\"a\":\"***\"}"'),
            ("it's it", "a: 'it''s it'", "a: '***'"),
            ("bell\arings", "bellrings", "***"),
            ("\x01\x02\x03a", "a b", "a b"),
            ("lone\udc80half", "lone\udc80half", "***"),
        ],
    )
    def test_takes_values_out(self, value: str, text: str, clean: str) -> None:
        assert concealing(value).clean(text) == clean

    @pytest.mark.parametrize("value", [CANARY, "subjects?_d=1>>>", "ünïcode ÿÿÿ?", "four", "trailing\n"])
    def test_takes_base64_out(self, value: str) -> None:
        content = value.encode()
        forms = [base64.b64encode(content).decode(), base64.urlsafe_b64encode(content).decode()]
        forms += [form.rstrip("=") for form in forms]
        assert concealing(value).clean(" ".join(forms)) == "*** *** *** ***"

    def test_the_longest_comes_first(self) -> None:
        assert concealing("word", "password", "password-longer").clean("password-longer password word") == "*** *** ***"

    def test_values_that_overlap_leave_no_rest(self) -> None:
        assert concealing("abcdef", "defghi").clean("-abcdefghi-") == "-***-"
        assert concealing("abab").clean("-ababab-") == "-***-"
        assert concealing("abcdef", "cd-ef", "bcde").clean("abcdef") == "***"

    def test_values_may_be_added_at_any_time(self) -> None:
        concealed = Concealed()
        assert concealed.clean(CANARY) == CANARY
        concealed.add([CANARY])
        concealed.add(iter(["other"]))
        assert concealed.clean(f"{CANARY} other") == "*** ***"

    def test_holds_no_value_in_its_repr(self) -> None:
        assert CANARY not in repr(concealing(CANARY))

    def test_threads_lose_nothing(self) -> None:
        concealed = Concealed()
        values = [f"value-{number:04}" for number in range(400)]
        threads = [threading.Thread(target=concealed.add, args=([value],)) for value in values]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        assert set(concealed.clean(" ".join(values)).split()) == {"***"}

    @given(st.lists(st.text("ab\"\\\n'é<", min_size=4), max_size=4), st.text("ab \"\\'é<"))
    def test_no_value_or_spelling_of_it_is_left(self, values: list[str], around: str) -> None:
        text = around.join(["", *values, *(json.dumps(value)[1:-1] for value in values), ""])
        clean = concealing(*values).clean(text)
        assert not any(value in clean for value in values if len(value.strip()) >= 4)


class Log(JobLog):
    """A job log in memory."""

    def __init__(self, *, github: bool = False) -> None:
        self.stream = io.StringIO()
        super().__init__(self.stream, github=github)

    def lines(self) -> list[str]:
        text = self.stream.getvalue()
        assert not text or text.endswith("\n")
        assert "\r" not in text
        return text.split("\n")[:-1]


def obeyed(lines: list[str]) -> list[str]:
    """The workflow commands that GitHub Actions would take from these lines: its rules, old style included."""
    taken, token = [], None
    for line in lines:
        command = re.match(r"\s*::([^ :]+)[^:]*::(.*)", line) or re.search(r"##\[([^ \]]+)[^\]]*\](.*)", line)
        if command is None:
            continue
        if token is not None:
            token = None if command[1] == token else token
        elif command[1] == "stop-commands":
            token = command[2]
        else:
            taken.append(command[1])
    assert token is None, "a region was left open"
    return taken


HOSTILE = [
    "::set-env name=PATH::/evil",
    "  ::add-mask::e",
    "##[add-path]/evil",
    "text ##[set-output name=a]b",
    "::stop-commands::mine",
    "::mine::",
    "a\n::set-env name=A::b",
    "a\r::set-env name=A::b",
    "\x1b[0m::set-env name=A::b",
    "::error::fake",
]


class TestJobLog:
    def test_puts_the_stacks_id_before_each_line_of_its_tool(self) -> None:
        log = Log()
        log.tool_line("envs/prod:web", "Error: conflict  ")
        log.tool_line("web", "")
        log.tool_line("web", "one\ntwo\r\nthree\rfour")
        assert log.lines() == [
            "envs/prod:web | Error: conflict",
            "web |",
            "web | one",
            "web | two",
            "web | three",
            "web | four",
        ]

    def test_holds_no_escapes(self) -> None:
        log = Log()
        log.tool_line("w\x1b[1meb", "\x1b]0;t\x07a\x00")
        log.say("b\x1b[2J")
        log.annotate("error", "c\x07", file="d\x1bc.yaml")
        assert log.lines() == ["web | a", "b", "d.yaml: error: c"]

    def test_says_what_we_say(self) -> None:
        log = Log()
        log.say("previewing web")
        log.say("two\nlines")
        assert log.lines() == ["previewing web", "two", "lines"]

    def test_annotates_with_the_place_first(self) -> None:
        log = Log()
        log.annotate("error", "unknown key", file="sluiceway.yaml", line=3)
        log.annotate("warning", "no line", file="sluiceway.yaml")
        log.annotate("notice", "no place")
        assert log.lines() == [
            "sluiceway.yaml:3: error: unknown key",
            "sluiceway.yaml: warning: no line",
            "notice: no place",
        ]

    def test_is_written_at_once(self, tmp_path: Path) -> None:
        with (tmp_path / "log").open("w") as stream:
            JobLog(stream, github=False).say("a")
            assert (tmp_path / "log").read_text() == "a\n"

    def test_writes_what_the_stream_cannot_hold_as_an_escape(self) -> None:
        content = io.BytesIO()
        stream = io.TextIOWrapper(content, encoding="ascii", newline="")
        JobLog(stream, github=False).say("é \udc80")
        log = Log()
        log.say("é \udc80")
        assert content.getvalue() == b"\\xe9 \\udc80\n"
        assert log.lines() == ["é \\udc80"]

    def test_goes_on_where_its_reader_is_gone(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        stream = os.fdopen(writing, "w")
        log = JobLog(stream, github=True)
        log.tool_line("web", "a")
        log.annotate("error", "b")
        log.close()
        with pytest.raises(BrokenPipeError):
            stream.close()

    def test_lines_side_by_side_never_mix(self) -> None:
        log = Log(github=True)
        text = "x" * 200

        def write(stack: str) -> None:
            for number in range(50):
                log.tool_line(stack, text)
                if number % 10 == 0:
                    log.annotate("notice", stack)

        threads = [threading.Thread(target=write, args=(f"s{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        log.close()
        assert obeyed(log.lines()) == ["notice"] * 20
        ours = re.compile(r"s[0-3] \| x{200}|::notice::s[0-3]|::stop-commands::[0-9a-f]{32}|::[0-9a-f]{32}::")
        assert [line for line in log.lines() if not ours.fullmatch(line)] == []


class TestInGithubActions:
    @pytest.mark.parametrize("text", HOSTILE)
    def test_nothing_that_a_tool_wrote_is_a_command(self, text: str) -> None:
        with Log(github=True) as log:
            log.annotate("error", "ours")
            log.tool_line("web", text)
            log.say(text)
            log.annotate("warning", "ours")
            log.tool_line(text, text)
        assert obeyed(log.lines()) == ["error", "warning"]

    @pytest.mark.parametrize("text", HOSTILE)
    def test_nothing_in_an_annotation_is_another(self, text: str) -> None:
        with Log(github=True) as log:
            log.annotate("error", text, file=text, line=1)
        assert obeyed(log.lines()) == ["error"]

    def test_an_annotation_escapes_what_ends_it(self) -> None:
        log = Log(github=True)
        log.annotate("error", "50%: a,b\nnext\rlast", file="a:b,c%\n.yaml", line=3)
        log.annotate("warning", "no line", file="a.yaml")
        log.annotate("notice", "no place")
        assert log.lines() == [
            "::error file=a%3Ab%2Cc%25%0A.yaml,line=3::50%25: a,b%0Anext%0Alast",
            "::warning file=a.yaml::no line",
            "::notice::no place",
        ]

    def test_each_region_has_a_token_of_its_own(self) -> None:
        with Log(github=True) as log:
            for _ in range(3):
                log.tool_line("web", "a")
                log.tool_line("web", "b")
                log.annotate("notice", "c")
        opened = [line.rpartition(":")[2] for line in log.lines() if line.startswith("::stop-commands::")]
        assert len(set(opened)) == len(opened) == 3
        assert all(len(token) == 32 and f"::{token}::" in log.lines() for token in opened)

    def test_a_region_is_closed_when_an_exception_leaves_the_log(self) -> None:
        log = Log(github=True)
        with pytest.raises(ZeroDivisionError), log:  # noqa: PT012  # the exception leaves a log that was written to
            log.tool_line("web", "::set-env name=A::b")
            raise ZeroDivisionError
        assert obeyed(log.lines()) == []
        assert log.lines()[-1] != "web | ::set-env name=A::b"

    def test_a_log_that_wrote_nothing_closes_nothing(self) -> None:
        with Log(github=True) as log:
            log.close()
        assert log.lines() == []

    def test_a_closed_log_guards_what_still_comes(self) -> None:
        log = Log(github=True)
        log.close()
        log.tool_line("web", "::set-env name=A::b")
        log.close()
        assert obeyed(log.lines()) == []

    def test_a_write_that_failed_leaves_nothing_unguarded(self) -> None:
        class Failing(io.StringIO):
            fail = False

            def write(self, text: str, /) -> int:
                if self.fail:
                    raise OSError
                return super().write(text)

        stream = Failing()
        with JobLog(stream, github=True) as log:
            stream.fail = True
            log.tool_line("web", "lost")
            stream.fail = False
            log.tool_line("web", "text ##[add-mask]x")
        assert obeyed(stream.getvalue().split("\n")) == []


def test_a_tools_canary_never_reaches_the_log(tmp_path: Path) -> None:
    """All the way, as a run puts it together: process, plain text, concealed, job log."""
    concealed = concealing(CANARY, f"first-line\nsecond-{CANARY}")
    log = Log(github=True)
    program = (
        "import sys, base64, json\n"
        "value = sys.argv[1]\n"
        "write = sys.stderr.buffer.write\n"
        "write(f'plain {value}\\r{value}\\n'.encode())\n"
        "write(f'{value[:4]}\\033[1m{value[4:]}\\033[0m\\n'.encode())\n"
        "write(f'{value[:4]}\\0{value[4:]}\\n'.encode())\n"
        "write(base64.b64encode(value.encode()) + b'\\n')\n"
        "write(f'second-{value}\\n'.encode())\n"
        "write(b'x' * 1_048_570 + value.encode() + b'\\nend')\n"
    )
    with (
        log,
        ProcessRunner(
            environment={}, relay=lambda line: log.tool_line("web", concealed.clean(line)), shown=log.say
        ) as runner,
    ):
        outcome = runner.run(Command((sys.executable, "-I", "-S", "-c", program, CANARY), cwd=tmp_path))
    assert CANARY in outcome.stderr
    text = log.stream.getvalue()
    assert CANARY[:6] not in text
    assert base64.b64encode(CANARY.encode()).decode() not in text
    assert log.lines()[1:-1] == [
        "web | plain ***",
        "web | ***",
        "web | ***",
        "web | ***",
        "web | ***",
        "web | ***",
        "web | (a line of 1048582 bytes left out)",
        "web | end",
    ]
