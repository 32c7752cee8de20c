"""Fills in what these docs take from the program itself: tables of keys and options, help, and screens.

    python docs/generate.py

Between ``<!-- generated: WHAT ... -->`` and ``<!-- /generated -->`` stands what the words say: ``keys StackKeys`` (a
table of ``sluiceway.yaml``), ``shared`` and ``command preview`` (from the command line), ``screen RECORDING WORD...``
(what a command prints on a recording), ``problems`` (what ``check`` says of ``problems.yaml``), ``fields Row``
(a table of one object of the JSON on stdout), ``picture NAME FOLDER``
(a picture of a terminal, which is drawn into ``docs/screens/``), ``api MODULE`` (what it makes public), ``file PATH``
(a file of the repo), ``messages reasons`` (all that can be said, with examples).
``tests/test_docs.py`` holds the docs to it.
"""

import ast
import inspect
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

from typer.models import ArgumentInfo

from sluiceway.cli import app
from sluiceway.commands import check, deploy, diff, preview
from sluiceway.commands.approval import Approval
from sluiceway.commands.output import Output
from sluiceway.commands.session import session, unanswered
from sluiceway.commands.settings import Format, Settings
from sluiceway.config import json_schema
from sluiceway.model.rows import Row
from sluiceway.reports.lines import Line
from sluiceway.reports.schema import output_schema
from sluiceway.runs.deploy import Approved, Decision

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))
from messages import problems_told, reasons_told, refusals_told  # noqa: E402 - a module beside this one, whoever runs it
from pictures import PICTURES, Lines, Picture, drawn  # noqa: E402 - a module beside this one, whoever runs it

SHARED_BY = 6
"""An option that so many commands have is described once."""

_PART = re.compile(r"(<!-- generated: ([^>]+?) -->\n).*?(<!-- /generated -->)", re.DOTALL)
_SECONDS = re.compile(r'(?<=\()\d+\.\d(?= s\))|(?<="seconds": )\d+\.\d+')
_PRIVATE = re.compile(r"/[^\s]*/sluiceway-\d+/[0-9a-f]{16}")
PRIVATE = "/tmp/sluiceway-1000/0f1e2d3c4b5a6978"  # noqa: S108 - a name in a text, nothing is written there
MARK = "CAN" + "ARY-"
"""What marks the values of the examples, in two pieces: the word itself stands in no file that people read."""

_TIME = re.compile(r"<time-step-(\d+)>")


def files() -> list[Path]:
    """Return the Markdown files that may have generated parts."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def generated(text: str) -> str:
    """Return ``text`` with every generated part as it is now."""
    return _PART.sub(lambda part: f"{part[1]}{_made(part[2].split())}{part[3]}", text)


def _made(words: list[str]) -> str:
    kinds: dict[str, Callable[..., str]] = {
        "keys": keys,
        "shared": shared,
        "command": command,
        "screen": screen,
        "problems": problems,
        "fields": fields,
        "picture": picture,
        "api": api,
        "file": file,
        "messages": lambda what: {"reasons": reasons_told, "refusals": refusals_told, "problems": problems_told}[
            what
        ](),
    }
    return kinds[words[0]](*words[1:])


def keys(model: str, prefix: str = "") -> str:
    """Return a table of the keys of one mapping of ``sluiceway.yaml``; ``FileKeys`` is the file itself."""
    schema = json_schema()
    mapping = schema if model == "FileKeys" else schema["$defs"][model]
    required = mapping.get("required", ())
    rows = [
        (f"`{prefix}{name}`", _type(key), "required" if name in required else _default(key), _meaning(key, schema))
        for name, key in mapping["properties"].items()
    ]
    return _table(("key", "type", "default", "meaning"), rows)


def _type(key: dict[str, Any]) -> str:
    if "oneOf" in key:
        return " or ".join(dict.fromkeys(_type(form) for form in key["oneOf"]))
    if "enum" in key:
        return ", ".join(f"`{word}`" for word in key["enum"])
    if "minimum" in key:
        return f"{key['minimum']} to {key['maximum']}"
    if key.get("type") == "array":
        return "list" if "$ref" in key["items"] else f"list of {_type(key['items'])}s".replace("mappings", "mapping")
    return {"string": "text", "boolean": "boolean"}.get(key.get("type", ""), "mapping")


def _default(key: dict[str, Any]) -> str:
    default = key.get("default")
    if default is None or isinstance(default, dict):
        return "none" if default is None and "$ref" not in key else ""
    written = {"True": "true", "False": "false"}.get(str(default), str(default))
    return f"`{written}`"


def _meaning(key: dict[str, Any], schema: dict[str, Any]) -> str:
    described = key if "description" in key else schema["$defs"].get(key.get("$ref", "").rpartition("/")[2], {})
    return str(described.get("description", ""))


def fields(name: str) -> str:
    """Return a table of the fields of one object that ``--format json`` prints."""
    schema = output_schema()["$defs"][name]
    rows = [
        (f"`{key}`", _form(field), "always" if key in schema["required"] else "", field["description"])
        for key, field in schema["properties"].items()
    ]
    return f"{schema['description']}\n\n{_table(('field', 'type', 'there', 'meaning'), rows)}"


def _form(field: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in field:
        return ", ".join(f"`{word}`" for word in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field["type"] == "array":
        form = _form(field["items"])
        return f"list of {form}" if form.startswith("[") else f"list of {form}s"
    return {"string": "text", "object": "mapping", "integer": "number"}.get(field["type"], field["type"])


def shared() -> str:
    """Return a table of the options that most commands have."""
    return _table(("option", "meaning"), [(option.shown, option.help) for option in _shared()])


def command(name: str) -> str:
    """Return what the command line says of one command: usage, own options, examples."""
    text, _, examples = (_commands()[name].help or "").partition("\b\nExamples:\n")
    arguments = "".join(f" {parameter.shown}" for parameter in _parameters(name) if not parameter.flags)
    own = [option for option in _parameters(name) if option.flags and option not in _shared()]
    parts = [
        f"`sluiceway {name}{' [OPTIONS]' if own or _taken(name) else ''}{arguments}`",
        " ".join(text.split()),
        _table(("option", "meaning"), [(option.shown, option.help) for option in own]).strip() if own else "",
        _sharing(name),
        "```console\n" + "".join(f"$ {line.strip()}\n" for line in examples.strip().splitlines()) + "```",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sharing(name: str) -> str:
    taken = _taken(name)
    missing = [option.shown for option in _shared() if option not in taken]
    if not taken:
        return "It takes none of the shared options."
    return f"Shared options: all but {', '.join(missing)}." if missing else "Shared options: all."


def screen(recording: str, act: str, stack: str, *options: str) -> str:
    """Return what ``sluiceway ACT STACK`` prints on a recording, as a person would see it in a repo of their own.

    A deploy approves whatever its fresh preview shows; the hash stands in the command that is shown.
    """
    form = Format(options[options.index("--format") + 1]) if "--format" in options else Format.TEXT
    settings = Settings(replay=str(ROOT / "recordings" / recording), quiet=True, on_stage=True, format=form)
    stdout = io.StringIO()
    with redirect_stderr(io.StringIO()):
        approved = _act(act, stack, settings, Output(stdout))
    typed = " ".join(["sluiceway", act, stack, *approved, *options])
    shown = _SECONDS.sub("0.4", stdout.getvalue())
    if not shown or unanswered().what in shown or "Sluiceway itself failed" in shown:
        raise LookupError(f"{recording} does not answer {typed}: mend it, or record it anew")
    # A diff names files in a private directory, and values of the examples.
    shown = _PRIVATE.sub(PRIVATE, _timed(shown)).replace(MARK, "")
    return f"```console\n$ {typed}\n{shown}```\n"


def _act(act: str, stack: str, settings: Settings, output: Output) -> list[str]:
    if act == "diff":
        diff.run(settings, output, stack)
    elif act == "deploy":
        with session(settings, output, act) as opened:
            approval = Agreeing(opened, {})
            deploy.put_out(opened, deploy.Order((stack,)), approval)
            return ["--hash", approval.approved]
    else:
        preview.run(settings, output, [stack], drift=act == "drift", exit_code=False)
    return []


def file(path: str) -> str:
    """Return a file of the repo as a block of code."""
    languages = {".py": "python", ".toml": "toml", ".yaml": "yaml"}
    return f"```{languages[Path(path).suffix]}\n{(ROOT / path).read_text(encoding='utf-8')}```\n"


def api(name: str) -> str:
    """Return a table of what a module makes public."""
    module = import_module(name)
    return _table(("name", "is"), [(f"`{each}`", _said_of(module, each)) for each in sorted(module.__all__)])


def _said_of(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        return _plain((inspect.getdoc(value) or "").partition("\n\n")[0])
    if get_origin(value) is Literal:
        return "One of " + ", ".join(f"`{word}`" for word in get_args(value)) + "."
    # The text that follows an assignment is what it means.
    sources = [module, *(each for key, each in sys.modules.items() if key.startswith(f"{module.__name__}."))]
    for one, following in pairwise(each for source in sources for each in ast.parse(inspect.getsource(source)).body):
        targets = [*getattr(one, "targets", ()), getattr(one, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            meaning = getattr(following, "value", None)
            if isinstance(meaning, ast.Constant) and isinstance(meaning.value, str):
                return _plain(meaning.value)
    raise LookupError(f"nothing says what {module.__name__}.{name} is")


def _plain(text: str) -> str:
    """Return a docstring as Markdown."""
    return re.sub(r":[a-z]+:(?=`)", "", " ".join(text.split()).replace("``", "`"))


def picture(name: str, folder: str) -> str:
    """Return the link to a picture from a page from which ``docs/screens`` is ``folder``."""
    return f"![{PICTURES[name].alt}]({folder}/{name}.svg)\n"


def pictures() -> dict[Path, str]:
    """Return the pictures of terminals, by file."""
    return {ROOT / "docs" / "screens" / f"{name}.svg": drawn(name, _printed(PICTURES[name])) for name in PICTURES}


def _printed(shown: Picture) -> list[Line]:
    settings = Settings(replay=str(ROOT / "recordings" / shown.recording), quiet=True, on_stage=True)
    lines = Lines(lambda text: _SECONDS.sub("0.4", _timed(text)))
    with redirect_stderr(io.StringIO()):
        names = [shown.stack] if shown.stack else []
        preview.run(settings, lines, names, drift=shown.act == "drift", exit_code=False)
    if any(unanswered().what in one.text for one in lines.kept):
        raise LookupError(f"{shown.recording} does not answer {shown.typed}: mend it, or record it anew")
    return lines.kept


def _timed(text: str) -> str:
    """Return ``text`` with times in the place of the stand-ins that a recording holds for them."""
    return _TIME.sub(lambda step: f"2026-11-30T12:30:{int(step[1]):02}Z", text)


class Agreeing(Approval):
    """Approves every row, and remembers by which hash."""

    approved = ""

    def __call__(self, row: Row) -> Decision:
        """Approve ``row``."""
        self.approved = row.hash or ""
        return Approved(self.approved)


def problems() -> str:
    """Return what ``sluiceway check`` says of the file with problems that stands beside this one."""
    text, stdout = (ROOT / "docs" / "problems.yaml").read_text(encoding="utf-8"), io.StringIO()
    with TemporaryDirectory() as directory:
        (Path(directory) / "sluiceway.yaml").write_text(text, encoding="utf-8")
        check.run(Settings(root=Path(directory)), Output(stdout))
    return f"```yaml\n{text}```\n\n```console\n$ sluiceway check\n{stdout.getvalue()}```\n"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


@dataclass(frozen=True)
class Parameter:
    """An option or, without ``flags``, an argument; ``shown`` is how it is written, ``help`` what it is for."""

    flags: tuple[str, ...]
    shown: str
    help: str


@cache
def _commands() -> dict[str, Any]:
    return {found.callback.__name__: found for found in app.registered_commands if found.callback}


@cache
def _parameters(name: str) -> tuple[Parameter, ...]:
    signature = inspect.signature(_commands()[name].callback)
    return tuple(_parameter(name, parameter) for name, parameter in signature.parameters.items())


def _parameter(name: str, parameter: inspect.Parameter) -> Parameter:
    kind, info = get_args(parameter.annotation)[:2]
    word = info.metavar or "|".join(getattr(kind, "__members__", {name: ""})).lower()
    text = str(info.help or "")
    if isinstance(info, ArgumentInfo):
        many = "..." if "list[" in str(kind) else ""
        shown = f"{word}{many}" if parameter.default is inspect.Parameter.empty else f"[{word}{many}]"
        return Parameter((), shown, text)
    # typer takes the first name that is given for the default.
    written = (*([info.default] if isinstance(info.default, str) else []), *(info.param_decls or ()))
    flags = written or (f"--{name.replace('_', '-')}",)
    alone = bool in {kind, *get_args(kind)}
    return Parameter(flags, ", ".join(f"`{flag}`" if alone else f"`{flag} {word}`" for flag in flags), text)


@cache
def _shared() -> tuple[Parameter, ...]:
    every = Counter(option for name in _commands() for option in _parameters(name) if option.flags)
    return tuple(option for option, count in every.items() if count >= SHARED_BY)


def _taken(name: str) -> list[Parameter]:
    return [option for option in _parameters(name) if option in _shared()]


def main() -> None:
    """Write every file anew that is not as it would be made now."""
    texts = {path: path.read_text(encoding="utf-8") for path in files()}
    for path, new in [*((path, generated(text)) for path, text in texts.items()), *pictures().items()]:
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.parent.mkdir(exist_ok=True)
            path.write_text(new, encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
