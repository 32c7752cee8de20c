from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl.options import KubectlOptions
from sluiceway.config import Config, Dashboard, Entry, Ignored, Scan, load_config
from sluiceway.model.stacks import Problem, Stack
from tests.fakes import FakeAdapter

Told = Callable[[str], list[str]]


class Kubectl(FakeAdapter):
    """An adapter with kubectl's options that looks at no file."""

    def options(self) -> type[KubectlOptions]:
        return KubectlOptions


def find(tool: str) -> FakeAdapter | None:
    return {"kubectl": Kubectl(), "fake": FakeAdapter()}.get(tool)


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], Config | tuple[Problem, ...]]:
    def loaded(text: str) -> Config | tuple[Problem, ...]:
        (tmp_path / "sluiceway.yaml").write_text(text, encoding="utf-8")
        return load_config(tmp_path, find)

    return loaded


@pytest.fixture
def config(load: Callable[[str], Config | tuple[Problem, ...]]) -> Callable[[str], Config]:
    def right(text: str) -> Config:
        result = load(text)
        assert isinstance(result, Config), result
        return result

    return right


@pytest.fixture
def told(load: Callable[[str], Config | tuple[Problem, ...]]) -> Told:
    def wrong(text: str) -> list[str]:
        result = load(text)
        assert isinstance(result, tuple), result
        assert {problem.file for problem in result} == {"sluiceway.yaml"}
        return [f"{problem.line} {problem.key}: {problem.problem}" for problem in result]

    return wrong


STACK_KEYS = (
    "path, name, id, tool, options, inputs, previewTimeout, deployTimeout, dependsOn, drift, envFile, environment, "
    "tickers"
)
KUBECTL_KEYS = "context, namespace, recursive, prune, forceConflicts, allowEmpty, fieldManager, concurrency"
FILE_KEYS = "stacks, drift, ignore, deploys, tickers, scan, dashboard"


def test_every_key_is_read(config: Callable[[str], Config]) -> None:
    text = """
stacks:
  - path: ./apps/web/
    name: prod
    id: web@prod
    tool: kubectl
    options:
      context: arn:aws:eks:eu-west-1:1:cluster/prod
      namespace: shop
      recursive: true
      prune: true
      forceConflicts: true
      allowEmpty: true
      fieldManager: sluiceway
      concurrency: 64
    inputs: [base/**, "*.yaml"]
    previewTimeout: 5
    deployTimeout: 30
    dependsOn: ["."]
    drift: {enabled: false}
    envFile: apps/web.env
    environment: production
    tickers: [octocat, hubot_acme]
  - {path: ., tool: kubectl}
drift: {enabled: true}
ignore:
  - sandbox/**
  - {glob: "legacy/*", reason: Moves to Helm first}
deploys: false
tickers: maintain
scan: {unrelated: [docs/**], logDiff: true}
dashboard:
  title: Deploys
  label: deploys
  pin: true
  redact: true
  readOnly: true
  showValues: [spec.replicas]
  recentlyDeployed: 0
  timeZone: Europe/Berlin
  inSyncSection: false
"""
    assert config(text) == Config(
        file="sluiceway.yaml",
        entries=(
            Entry(
                0,
                Stack(
                    id="web@prod",
                    path="apps/web",
                    tool="kubectl",
                    options={
                        "context": "arn:aws:eks:eu-west-1:1:cluster/prod",
                        "namespace": "shop",
                        "recursive": True,
                        "prune": True,
                        "forceConflicts": True,
                        "allowEmpty": True,
                        "fieldManager": "sluiceway",
                        "concurrency": 64,
                    },
                    name="prod",
                    inputs=("base/**", "*.yaml"),
                    preview_timeout=5,
                    deploy_timeout=30,
                    depends_on=(".",),
                    drift_enabled=False,
                    env_file="apps/web.env",
                ),
                environment="production",
                tickers=("octocat", "hubot_acme"),
            ),
            Entry(1, Stack(id=".", path=".", tool="kubectl", drift_enabled=True), tickers="maintain"),
        ),
        drift_enabled=True,
        ignore=(Ignored("sandbox/**"), Ignored("legacy/*", "Moves to Helm first")),
        deploys=False,
        tickers="maintain",
        scan=Scan(unrelated=("docs/**",), log_diff=True),
        dashboard=Dashboard(
            title="Deploys",
            label="deploys",
            pin=True,
            redact=True,
            read_only=True,
            recently_deployed=0,
            time_zone="Europe/Berlin",
            in_sync_section=False,
        ),
        show_values=("spec.replicas",),
    )


def test_all_is_optional(config: Callable[[str], Config]) -> None:
    assert config("stacks: []") == Config(file="sluiceway.yaml")


def test_no_file_is_no_stacks(tmp_path: Path) -> None:
    assert load_config(tmp_path) == Config(file=None)


def test_an_entry_alone_has_the_defaults(config: Callable[[str], Config]) -> None:
    (entry,) = config("stacks: [{path: web, tool: kubectl}]").entries
    assert entry == Entry(
        0, Stack(id="web", path="web", tool="kubectl", options={}, preview_timeout=10, deploy_timeout=None)
    )


def test_options_that_are_as_by_default_are_left_out(config: Callable[[str], Config]) -> None:
    (entry,) = config("stacks: [{path: web, tool: kubectl, options: {prune: false, recursive: true}}]").entries
    assert entry.stack.options == {"recursive": True}


@pytest.mark.parametrize(
    ("keys", "stack_id"),
    [
        ("path: web", "web"),
        ("path: ./web/", "web"),
        ("path: web, name: eu", "web:eu"),
        ("path: .", "."),
        ("path: ./", "."),
        ("path: ., name: eu", ".:eu"),
        ("path: web, id: a/b:c@d+e-f_g.h", "a/b:c@d+e-f_g.h"),
        ("path: web, name: eu, id: x", "x"),
        ('path: "my apps/é"', "my apps/é"),
    ],
)
def test_the_id_of_a_stack(config: Callable[[str], Config], keys: str, stack_id: str) -> None:
    (entry,) = config(f"stacks: [{{{keys}, tool: kubectl}}]").entries
    assert entry.stack.id == stack_id


@pytest.mark.parametrize(
    ("everywhere", "here", "enabled"),
    [
        ("", "", False),
        ("drift: {enabled: true}", "", True),
        ("drift: {enabled: true}", ", drift: {enabled: false}", False),
        ("drift: {enabled: false}", ", drift: {enabled: true}", True),
        ("drift: {enabled: true}", ", drift: {}", True),
    ],
)
def test_an_entry_says_more_about_drift_than_the_file(
    config: Callable[[str], Config], everywhere: str, here: str, *, enabled: bool
) -> None:
    (entry,) = config(f"stacks: [{{path: web, tool: kubectl{here}}}]\n{everywhere}").entries
    assert entry.stack.drift_enabled is enabled


# One wrong value each: the keys of an entry beside `path` and `tool`, where it is told, and in which words.
ENTRY_PROBLEMS = [
    ("name: 1", 'name: expected text, found a number: write it in quotes, `"1"`'),
    ("name: 010", 'name: expected text, found a number: write it in quotes, `"010"`'),
    ("name: 1e3", 'name: expected text, found a number: write it in quotes, `"1e3"`'),
    ("name: true", 'name: expected text, found true: write it in quotes, `"true"`'),
    ("name: ", "name: expected text, found no value"),
    ("name: a/b", "name: expected letters, digits, `.`, `_` and `-`"),
    ("name: ''", "name: expected letters, digits, `.`, `_` and `-`"),
    ("id: a b", "id: expected letters, digits and `. _ / : @ + -`"),
    ("id: [a]", "id: expected text, found a list"),
    ("nam: x", f"nam: unknown key; did you mean `name`? Known here: {STACK_KEYS}"),
    ("depends_on: [x]", f"depends_on: unknown key; did you mean `dependsOn`? Known here: {STACK_KEYS}"),
    ("zzz: 1", f"zzz: unknown key. Known here: {STACK_KEYS}"),
    ("context: kind", "context: is an option of the tool: write it under `options` as `options: {context: …}`"),
    ("inputs: base/**", "inputs: expected a list, found text: put it behind `- ` on a line of its own"),
    ("inputs: [/etc]", "inputs[0]: is absolute: write it relative to the root of the repo"),
    ("inputs: ['../x']", "inputs[0]: holds `..`: write it relative to the root of the repo"),
    (
        "inputs: ['a{b,c}']",
        "inputs[0]: holds `{`, which no glob here knows: only `*`, `**` and `?` are special",
    ),
    (
        "inputs: ['!a']",
        "inputs[0]: holds `!`, which no glob here knows: only `*`, `**` and `?` are special",
    ),
    (
        "inputs: ['a**']",
        "inputs[0]: has `**` beside other characters: `**` stands alone between slashes, `*` within a name",
    ),
    ("previewTimeout: 0", "previewTimeout: expected a whole number from 1 to 10080, found another number"),
    ("previewTimeout: 1.5", "previewTimeout: expected a whole number from 1 to 10080, found another number"),
    ("previewTimeout: '5'", "previewTimeout: expected a whole number from 1 to 10080, found text"),
    ("previewTimeout: 5m", "previewTimeout: expected a whole number from 1 to 10080, found text"),
    ("previewTimeout: true", "previewTimeout: expected a whole number from 1 to 10080, found true"),
    (f"deployTimeout: {'9' * 5000}", "deployTimeout: expected a whole number from 1 to 10080, found another number"),
    ("dependsOn: db", "dependsOn: expected a list, found text: put it behind `- ` on a line of its own"),
    ("dependsOn: [1]", 'dependsOn[0]: expected text, found a number: write it in quotes, `"1"`'),
    ("drift: true", "drift: expected a mapping, found true: write `drift: {enabled: true}`"),
    ("drift: false", "drift: expected a mapping, found false: write `drift: {enabled: false}`"),
    (
        "drift: {enabled: 'yes'}",
        "drift.enabled: expected true or false, found text: write true or false, without quotes",
    ),
    ("drift: {enable: true}", "drift.enable: unknown key; did you mean `enabled`? Known here: enabled"),
    ("envFile: ../.env", "envFile: holds `..`: write it relative to the root of the repo"),
    ("envFile: .", "envFile: names a directory, expected a file"),
    ("envFile: a/", "envFile: names a directory, expected a file"),
    ("environment: ''", "environment: expected one line, at most 255 long"),
    ("tickers: everyone", "tickers: expected `write`, `maintain` or `admin`, or a list of logins"),
    ("tickers: {}", "tickers: expected `write`, `maintain` or `admin`, or a list of logins"),
    ("tickers: []", "tickers: lists nobody: to turn deploys off, write `deploys: false` at the top of the file"),
    ("tickers: ['@octocat']", "tickers[0]: starts with `@`: write the login alone"),
    ("tickers: [admin]", "tickers[0]: is a right and no login: write `tickers: admin`, without a list"),
    ("tickers: [a b]", "tickers[0]: expected a GitHub login: letters, digits and `-`"),
    ("options: true", "options: expected a mapping, found true: write `options: {…}`"),
    ("options: []", "options: expected a mapping, found a list"),
    (
        "options: {prune: 'yes'}",
        "options.prune: expected true or false, found text: write true or false, without quotes",
    ),
    ("options: {prune: yes}", "options.prune: expected true or false, found text: write true or false, without quotes"),
    ("options: {prune: 1}", "options.prune: expected true or false, found a number"),
    (
        "options: {fieldManger: x}",
        f"options.fieldManger: unknown key; did you mean `fieldManager`? Known here: {KUBECTL_KEYS}",
    ),
]


@pytest.mark.parametrize(("keys", "expected"), ENTRY_PROBLEMS)
def test_a_wrong_key_of_an_entry(told: Told, keys: str, expected: str) -> None:
    text = f"stacks:\n  - path: web\n    tool: kubectl\n    {keys}\n"
    assert told(text) == [f"4 stacks[0].{expected}"]


LINE = "expected text of one line, not empty and without control characters"
LABEL = "expected the name of a label: one line of at most 50 characters, without a comma"
HUNDRED = "expected a whole number from 0 to 100, found another number"
ZONE = "expected the name of an IANA time zone, such as `UTC` or `Europe/Berlin`"
FILE_PROBLEMS = [
    ("stack: []", f"1 stack: unknown key; did you mean `stacks`? Known here: {FILE_KEYS}"),
    ('"a\\nb": 1', f'1 ["a\\nb"]: unknown key. Known here: {FILE_KEYS}'),
    ("1: x", f'1 ["1"]: unknown key. Known here: {FILE_KEYS}'),
    ('"<x>": 1', f'1 ["<x>"]: unknown key. Known here: {FILE_KEYS}'),
    ('ignore: [{glob: a, reason: b, "<text>": c}]', '1 ignore[0]["<text>"]: unknown key. Known here: glob, reason'),
    ("stacks: web", "1 stacks: expected a list, found text: put it behind `- ` on a line of its own"),
    ("stacks:", "1 stacks: expected a list, found no value"),
    ("stacks: [web]", f"1 stacks[0]: expected a mapping, found text. Known keys: {STACK_KEYS}"),
    ("drift: true", "1 drift: expected a mapping, found true: write `drift: {enabled: true}`"),
    ("scan: true", "1 scan: expected a mapping, found true: write `scan: {unrelated: …}`"),
    ("scan: {logDiff: on}", "1 scan.logDiff: expected true or false, found text: write true or false, without quotes"),
    ("deploys: no", "1 deploys: expected true or false, found text: write true or false, without quotes"),
    ("ignore: [1]", '1 ignore[0]: expected text, found a number: write it in quotes, `"1"`'),
    ("ignore: [[a]]", "1 ignore[0]: expected text, found a list"),
    ("ignore: [{glob: a}]", "1 ignore[0].reason: is required: why they are left out"),
    ("ignore: [{glob: a, reason: ''}]", f"1 ignore[0].reason: {LINE}"),
    ("ignore: [{glob: a, reason: b, why: c}]", "1 ignore[0].why: unknown key. Known here: glob, reason"),
    ("dashboard: {label: 'a,b'}", f"1 dashboard.label: {LABEL}"),
    ("dashboard: {title: ' '}", "1 dashboard.title: expected one line, at most 256 long"),
    ("dashboard: {recentlyDeployed: 101}", f"1 dashboard.recentlyDeployed: {HUNDRED}"),
    ("dashboard: {timeZone: CEST}", f"1 dashboard.timeZone: {ZONE}"),
    ("dashboard: {timeZone: ../../etc/passwd}", f"1 dashboard.timeZone: {ZONE}"),
    ("dashboard: {timeZone: Europe}", f"1 dashboard.timeZone: {ZONE}"),
]


@pytest.mark.parametrize(("text", "expected"), FILE_PROBLEMS)
def test_a_wrong_key_of_the_file(told: Told, text: str, expected: str) -> None:
    assert told(text) == [expected]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("''", "is empty: write `.` for the root of the repo"),
        ("/srv/web", "is absolute: write it relative to the root of the repo"),
        ("C:/web", "is absolute: write it relative to the root of the repo"),
        (r"apps\web", "holds a backslash: write forward slashes"),
        ("../web", "holds `..`: write it relative to the root of the repo"),
        ("apps/../web", "holds `..`: write it relative to the root of the repo"),
        ("..", "holds `..`: write it relative to the root of the repo"),
        (r'"a\0b"', "holds a control character or a line break: take it out"),
        (r'"a\nb"', "holds a control character or a line break: take it out"),
        ("apps//web", "is not written plainly: write `apps/web`"),
        ("apps/./web", "is not written plainly: write `apps/web`"),
    ],
)
def test_a_path_stays_inside_the_repo_and_has_one_spelling(told: Told, path: str, expected: str) -> None:
    assert told(f"stacks:\n  - tool: kubectl\n    path: {path}\n") == [f"3 stacks[0].path: {expected}"]


@pytest.mark.parametrize("path", ["..web", "web..", "a/...", "-web", "~", "a:b", "#x"])
def test_an_odd_path_is_a_path(config: Callable[[str], Config], path: str) -> None:
    assert config(f"stacks: [{{path: '{path}', tool: kubectl}}]").entries[0].stack.path == path


@pytest.mark.parametrize(
    "glob", ["spec.replicas", "spec.containers[*].image", 'metadata.labels["app.kubernetes.io/*"]']
)
def test_a_shown_value_names_something(config: Callable[[str], Config], glob: str) -> None:
    assert config(f"dashboard: {{showValues: ['{glob}']}}").show_values == (glob,)


@pytest.mark.parametrize("glob", ["", "*", "*.*", "[*]", "*[*].*", ".", '*["*"]'])
def test_a_shown_value_that_names_nothing_is_refused(told: Told, glob: str) -> None:
    assert told(f"dashboard: {{showValues: ['{glob}']}}") == [
        "1 dashboard.showValues[0]: names nothing, so it would show every value of some depth: name a property"
    ]


def test_a_shown_value_never_spans_names(told: Told) -> None:
    (problem,) = told("dashboard: {showValues: [spec, spec.**]}")
    assert problem.startswith("1 dashboard.showValues[1]: holds `**`")


def test_an_entry_names_its_tool(told: Told) -> None:
    (problem,) = told("stacks:\n  - path: web\n")
    assert problem == (
        "2 stacks[0].tool: is required: the tool that deploys the stack. "
        "No tool finds stacks by itself yet, so each entry names one"
    )


def test_options_need_a_tool(told: Told) -> None:
    assert told("stacks:\n  - path: web\n    options: {prune: true}\n")[1:] == [
        "3 stacks[0].options: options are a tool's: they need `tool` beside them"
    ]


def test_an_unknown_tool_lists_the_known_ones(told: Told) -> None:
    (problem,) = told("stacks:\n  - path: web\n    tool: kubctl\n    options: {whatever: 1}\n")
    assert problem.startswith("3 stacks[0].tool: no tool has the name `kubctl`; did you mean `kubectl`? Known tools: ")
    assert "kubectl" in problem.rpartition(":")[2]


@pytest.mark.parametrize("tool", ["''", "' '", "kubectl2/../x", '"a\\nb"'])
def test_no_tool_has_such_a_name(told: Told, tool: str) -> None:
    (problem,) = told(f"stacks: [{{path: web, tool: {tool}}}]")
    assert problem.startswith("1 stacks[0].tool: no tool has the name `")


def test_the_options_are_those_of_the_tool(told: Told) -> None:
    assert told("stacks: [{path: web, tool: fake, options: {prune: true}}]") == [
        "1 stacks[0].options.prune: unknown key. Known here: loud"
    ]


def test_two_entries_of_one_path_and_name(told: Told) -> None:
    text = "stacks:\n  - {path: web, tool: kubectl}\n  - {path: ./web/, tool: kubectl, id: other}\n"
    assert told(text) == ["3 stacks[1]: has the path and name of `stacks[0]` (line 2): give one of them another `name`"]


def test_two_stacks_with_one_id(told: Told) -> None:
    text = """stacks:
  - {path: web, tool: kubectl, name: eu}
  - path: other
    tool: kubectl
    id: web:eu
  - {path: "web:eu", tool: kubectl}
"""
    assert told(text) == [
        "5 stacks[1].id: `web:eu` is the id of `stacks[0]` (line 2) too: give one another `id`",
        "6 stacks[2]: `web:eu` is the id of `stacks[0]` (line 2) too: give one another `id`",
    ]


def test_a_dependency_is_a_stack_that_is_deployed(told: Told) -> None:
    text = """
stacks:
  - path: web
    tool: kubectl
    dependsOn:
      - web
      - databse
      - old
      - nowhere
  - {path: database, tool: kubectl}
  - {path: old, tool: kubectl}
ignore: [old]
"""
    assert told(text) == [
        "6 stacks[0].dependsOn[0]: the stack depends on itself: take it out",
        "7 stacks[0].dependsOn[1]: no stack has the id `databse`; did you mean `database`?",
        "8 stacks[0].dependsOn[2]: `old` is left out by `ignore`, so it would never be deployed: take one out",
        "9 stacks[0].dependsOn[3]: no stack has the id `nowhere`: mend it, or take it out",
    ]


def test_a_circle_of_dependencies_is_named(told: Told) -> None:
    text = """
stacks:
  - {path: a, tool: kubectl, dependsOn: [b]}
  - {path: b, tool: kubectl, dependsOn: [c, e]}
  - {path: c, tool: kubectl, dependsOn: [d, a]}
  - {path: d, tool: kubectl, dependsOn: [b]}
  - {path: e, tool: kubectl}
  - {path: f, tool: kubectl, dependsOn: [a]}
"""
    assert told(text) == [
        "5 stacks[2].dependsOn[1]: goes in a circle, of which one step has to go: a → b → c → a",
        "6 stacks[3].dependsOn[0]: goes in a circle, of which one step has to go: b → c → d → b",
    ]


def test_a_long_circle_is_named_in_short(told: Told) -> None:
    text = "stacks:\n" + "".join(
        f"  - {{path: s{at}, tool: kubectl, dependsOn: [s{(at + 1) % 1500}]}}\n" for at in range(1500)
    )
    circle = "s0 → s1 → s2 → s3 → s4 → s5 → s6 → (1493 more) → s0"
    assert told(text) == [f"1501 stacks[1499].dependsOn[0]: goes in a circle, of which one step has to go: {circle}"]


def test_dependencies_that_meet_again_are_no_circle(config: Callable[[str], Config]) -> None:
    text = """
stacks:
  - {path: a, tool: kubectl, dependsOn: [b, c, b]}
  - {path: b, tool: kubectl, dependsOn: [d]}
  - {path: c, tool: kubectl, dependsOn: [d]}
  - {path: d, tool: kubectl}
"""
    assert config(text).entries[0].stack.depends_on == ("b", "c")


def test_a_dependency_may_be_the_stack_whose_id_another_problem_hides(told: Told) -> None:
    text = "stacks:\n  - {path: web, tool: kubectl, dependsOn: [db]}\n  - {path: /db, tool: kubectl}\n"
    assert told(text) == ["3 stacks[1].path: is absolute: write it relative to the root of the repo"]


def test_a_problem_of_another_key_hides_no_id(told: Told) -> None:
    text = "stacks:\n  - {path: web, tool: kubectl, dependsOn: [db, x]}\n  - {path: db, tool: kubectl, inputs: 1}\n"
    assert told(text) == [
        "2 stacks[0].dependsOn[1]: no stack has the id `x`: mend it, or take it out",
        "3 stacks[1].inputs: expected a list, found a number",
    ]


def test_all_problems_are_told_at_once_in_the_order_of_the_file(told: Told) -> None:
    text = """
dashboard: {pin: 1, label: ""}
stacks:
  - path: web
    tool: kubectl
    tool: kubectl
    options: {prune: 1, namespace: Shop}
    dependsOn: [db]
  - path: web
    tool: helm2
nonsense: 1
"""
    assert [problem.split(": ", 1)[0] for problem in told(text)] == [
        "2 dashboard.pin",
        "2 dashboard.label",
        "6 stacks[0].tool",
        "7 stacks[0].options.prune",
        "7 stacks[0].options.namespace",
        "8 stacks[0].dependsOn[0]",
        "9 stacks[1]",
        "10 stacks[1].tool",
        "11 nonsense",
    ]


def test_a_problem_of_a_merged_mapping_is_told_where_it_is_written(told: Told) -> None:
    text = """
stacks:
  - &web
    path: web
    tool: kubectl
    options: {prune: 1}
  - {<<: *web, path: db}
"""
    assert told(text) == [
        "6 stacks[0].options.prune: expected true or false, found a number",
        "6 stacks[1].options.prune: expected true or false, found a number",
    ]


def test_thousands_of_problems_are_told_as_a_thousand(told: Told) -> None:
    problems = told("".join(f"key{at}: 1\n" for at in range(1500)))
    assert len(problems) == 1001
    assert problems[-1] == "1000 : and 500 problems more"


def test_thousands_of_wrong_items_are_told_as_a_thousand(told: Told) -> None:
    problems = told(f"ignore: [{'1, ' * 1500}]\n")
    assert len(problems) == 1001
    assert problems[-1] == "1 : and 500 problems more"


def test_what_a_file_holds_is_never_repeated(load: Callable[[str], Config | tuple[Problem, ...]]) -> None:
    canary = "c4n4ry"
    problems = load(
        f"""
stacks:
  - path: web
    tool: kubectl
    name: "{canary} x"
    envFile: /{canary}
    environment: [{canary}]
    tickers: "{canary}"
    previewTimeout: "{canary}"
    inputs: "{canary}"
    options: {{namespace: "{canary.upper()}", token: {canary}, context: "{canary}\\n", fieldManager: "-{canary}"}}
dashboard: {{showValues: ["**{canary}"], timeZone: {canary}}}
"""
    )
    assert len(problems) == 12 if isinstance(problems, tuple) else False
    assert canary not in str(problems).lower()


# Text that is near to a config file, so that more than the YAML reader is met.
_keys = (*KUBECTL_KEYS.split(", "), *STACK_KEYS.split(", "), *FILE_KEYS.split(", "), "enabled", "glob", "showValues")
_scalars = ("kubectl", "web", ".", "..", "~", "true", "1", "-1", "1e999", "0x1", "<<", "", "*a", "&a", "!x")
_words = st.sampled_from(_keys + _scalars)
_near = st.recursive(
    _words | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(_words, inner), max_size=5).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
        )
    ),
    max_leaves=20,
)
_texts = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    _near.map(str.encode),
    st.lists(_near, max_size=4).map(lambda items: ("stacks:\n" + "".join(f"- {item}\n" for item in items)).encode()),
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=_texts)
def test_no_file_whatever_raises(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "sluiceway.yaml").write_bytes(data)
    result = load_config(tmp_path, find)
    if isinstance(result, tuple):
        assert result
        assert all(problem.problem.isprintable() and problem.key.isprintable() for problem in result)


_paths = st.sampled_from(["a", "b", "a:x", "./a", "a/"])
_names = st.sampled_from(["", ", name: x", ", name: y", ", id: a", ", id: 'a:x'", ", id: b, name: y"])


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(entries=st.lists(st.tuples(_paths, _names), min_size=1, max_size=6))
def test_ids_never_collide_in_silence(tmp_path: Path, entries: list[tuple[str, str]]) -> None:
    lines = "".join(f"  - {{path: '{path}', tool: kubectl{name}}}\n" for path, name in entries)
    (tmp_path / "sluiceway.yaml").write_text("stacks:\n" + lines)
    result = load_config(tmp_path, find)
    if isinstance(result, Config):
        assert len({entry.stack.id for entry in result.entries}) == len(entries)
        assert len({(entry.stack.path, entry.stack.name) for entry in result.entries}) == len(entries)
    else:
        assert all("`stacks[" in problem.problem for problem in result)
