from pathlib import Path

import pytest

from sluiceway.adapters.kubectl import commands
from sluiceway.adapters.kubectl.commands import Commands
from sluiceway.adapters.kubectl.target import Target
from sluiceway.processes import Command

ROOT = Path("/repo")
SET, PRUNE, PROBE = "/private/manifests.yaml", "/private/prune.yaml", "/private/probe.yaml"
PARTS = "/private/parts"
FULL = Target("c", "n", prune=True, force_conflicts=True, field_manager="m", concurrency=4)
CLUSTER = ("--context=c", "--namespace=n")
APPLY = (*CLUSTER, "--force-conflicts", "--field-manager=m")


def made(target: Target = FULL) -> Commands:
    return Commands(target, ROOT / "web", Path("/private"))


def argv(command: Command) -> tuple[str, ...]:
    assert command.argv[0] == "kubectl"
    return command.argv[1:]


def test_the_version_is_asked_in_the_root_of_the_repo_and_reaches_no_cluster() -> None:
    command = commands.version(ROOT)
    assert (argv(command), command.cwd) == (("version", "--client", "--output=json"), ROOT)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (made().diff(), ("diff", "--server-side", *APPLY, "--concurrency=4", "-f", PARTS)),
        (
            made().diff(managed_fields=True),
            ("diff", "--server-side", *APPLY, "--concurrency=4", "--show-managed-fields", "-f", PARTS),
        ),
        (made().diff_for_a_person(), ("diff", "--server-side", *APPLY, "--concurrency=4", "-f", PARTS)),
        (made().apply(), ("apply", "--server-side", *APPLY, "-f", SET)),
        (
            made().live_set(),
            ("get", *CLUSTER, "--ignore-not-found", "--show-managed-fields", "--output=json", "-f", SET),
        ),
        (
            made().live_alone(),
            (
                "get",
                *CLUSTER,
                "--ignore-not-found",
                "--show-managed-fields",
                "--output=json",
                "-f",
                "/private/alone.yaml",
            ),
        ),
        (
            made().live_list(["Deployment.v1.apps", "Pod.v1."], None),
            (
                "get",
                "Deployment.v1.apps,Pod.v1.",
                *CLUSTER,
                "--ignore-not-found",
                "--show-managed-fields",
                "--output=json",
            ),
        ),
        (
            made().live_list(["Pod.v1."], "u"),
            (
                "get",
                "Pod.v1.",
                "--context=c",
                "--namespace=u",
                "--ignore-not-found",
                "--show-managed-fields",
                "--output=json",
            ),
        ),
        (
            made().inventory("sluiceway-x"),
            ("get", "configmap", "sluiceway-x", *CLUSTER, "--ignore-not-found", "--output=json"),
        ),
        (
            made().inventories(),
            ("get", "configmaps", *CLUSTER, "--selector=app.kubernetes.io/managed-by=sluiceway", "--output=json"),
        ),
        (
            made().live_candidates(namespaced=False),
            ("get", *CLUSTER, "--ignore-not-found", "--show-managed-fields", "--output=json", "-f", PRUNE),
        ),
        (
            made().live_candidates(namespaced=True),
            ("get", "--context=c", "--ignore-not-found", "--show-managed-fields", "--output=json", "-f", PRUNE),
        ),
        (made().delete(namespaced=False), ("delete", *CLUSTER, "--ignore-not-found", "-f", PRUNE)),
        (made().delete(namespaced=True), ("delete", "--context=c", "--ignore-not-found", "-f", PRUNE)),
        (
            made().probe_defaults(),
            ("apply", "--server-side", "--dry-run=server", *APPLY, "--output=json", "-f", PROBE),
        ),
        (made().kustomize(), ("kustomize", ".")),
        (made(Target()).diff(), ("diff", "--server-side", "-f", SET)),
        (made(Target()).apply(), ("apply", "--server-side", "-f", SET)),
        (made(Target()).delete(namespaced=False), ("delete", "--ignore-not-found", "-f", PRUNE)),
    ],
)
def test_the_command_lines_exactly(command: Command, expected: tuple[str, ...]) -> None:
    assert argv(command) == expected
    assert command.cwd == ROOT / "web"


def test_a_candidate_read_alone_is_looked_for_where_it_was_written() -> None:
    reading = ("--ignore-not-found", "--show-managed-fields", "--output=json")
    alone = made().live_candidate
    assert argv(alone("Widget.e.com", "w", "other")) == (
        *("get", "Widget.e.com", "w", "--context=c", "--namespace=other"),
        *reading,
    )
    assert argv(alone("Widget.e.com", "w", None)) == ("get", "Widget.e.com", "w", *CLUSTER, *reading)
    assert argv(alone("Widget.e.com", "--all", None)) == ("get", "Widget.e.com/--all", *CLUSTER, *reading)


EVERY = [
    made().diff(),
    made().diff(managed_fields=True),
    made().apply(),
    made().live_set(),
    made().live_alone(),
    made().live_list(["Pod.v1."], "u"),
    made().inventory("x"),
    made().inventories(),
    made().live_candidates(namespaced=True),
    made().live_candidate("A", "a", None),
    made().delete(namespaced=True),
    made().probe_defaults(),
    made().kustomize(),
]


def test_no_kuberc_of_a_person_and_no_file_outside_the_private_directory() -> None:
    for command in EVERY:
        assert command.env["KUBERC"] == "off"
        assert command.env["TMPDIR"] == "/private"
    assert commands.version(ROOT).env["KUBERC"] == "off"


def test_the_diff_program_is_the_records_and_is_set_for_the_diffs_that_are_read_alone() -> None:
    for command in EVERY:
        reads = command.argv[1] == "diff"
        assert command.env.get("KUBECTL_EXTERNAL_DIFF") == ("diff -N -U1000000" if reads else None)


def test_a_persons_diff_keeps_the_diff_program_and_the_kuberc_of_the_job() -> None:
    command = made().diff_for_a_person()
    assert command.env == {"TMPDIR": "/private"}
    assert command.shown
    assert not any(other.shown for other in EVERY)


def test_only_what_changes_the_cluster_is_given_time_to_end() -> None:
    writing = {command.argv[1:4] for command in EVERY if command.writes}
    assert {verb for verb, *_flags in writing} == {"apply", "delete"}
    assert not made().probe_defaults().writes


def test_nothing_shows_a_secret_or_prunes_by_kubectls_own_means() -> None:
    flags = {flag.partition("=")[0] for command in EVERY for flag in command.argv}
    assert flags.isdisjoint({"--show-secrets", "--prune", "--all", "--applyset", "--force", "--validate"})


def test_private_paths_have_placeholders() -> None:
    for command in EVERY:
        assert command.placeholders["<set>"] == SET
        assert command.placeholders["<prune>"] == PRUNE
