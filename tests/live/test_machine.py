"""A person's machine: what they have set up for themselves counts where they look, and nowhere else."""

import pytest

from tests.live.repo import CANARY, SECRET, Repo, config_map, documents

pytestmark = pytest.mark.live

KUBERC = """
apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults:
- {command: apply, options: [{name: force-conflicts, default: "true"}]}
- {command: diff, options: [{name: force-conflicts, default: "true"}]}
- {command: delete, options: [{name: interactive, default: "true"}]}
"""


def test_a_kuberc_counts_for_the_person_alone(repo: Repo) -> None:
    home = repo.machine / "home"
    (home / ".kube").mkdir(parents=True)
    (home / ".kube" / "kuberc").write_text(KUBERC)
    repo.only(prune=True)
    repo.write("app/c.yaml", documents(config_map("c"), config_map("d"), config_map("e")))
    repo.put_out()
    for name in ("c", "d"):
        repo.server.apply(config_map(name, repo.namespace, data={"k": f"{CANARY}-2"}), manager="other", force=True)
    repo.environment["HOME"] = str(home)
    # It is a kuberc that does what it says: by hand, the field is taken without a word, and a delete is not done.
    repo.by_hand("apply", "--server-side", "-f-", content=documents(config_map("d")))
    repo.by_hand("delete", "configmap", "e")
    assert repo.config_maps() == {"c", "d", "e"}

    failed = repo.preview()
    assert failed.row["reason"]["detail"] == "conflict"
    assert failed.row["reason"]["names"]["manager"] == "other"
    shown = repo.run("diff", "app")
    assert shown.code == 0
    assert f"+  k: {CANARY}-1" in shown.out

    repo.write("app/c.yaml", documents(config_map("d")))
    done = repo.put_out()
    assert done.row["done"]["deleted"] == [f"ConfigMap/{repo.namespace}/e"]
    assert repo.config_maps() == {"c", "d"}


def test_a_diff_program_is_for_the_eyes_alone(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c")))
    plain = repo.preview().row
    repo.program("mine", 'echo "MINE $@"; echo "not for the log" >&2; exit 1')
    repo.environment["KUBECTL_EXTERNAL_DIFF"] = "mine -x"

    again = repo.preview()
    assert (again.row["hash"], again.row["changes"]) == (plain["hash"], plain["changes"])
    assert "MINE" not in again.out + again.err
    shown = repo.run("diff", "app")
    words = shown.out.split()
    assert (shown.code, words[0], words[-1]) == (0, "MINE", "-x")

    # It could also change what is compared, or say that there is nothing.
    repo.program("mine", "exit 0")
    assert repo.preview().row["hash"] == plain["hash"]
    assert "no differences" in repo.run("diff", "app").err


def test_what_a_tool_is_given(repo: Repo) -> None:
    noted = repo.machine / "noted"
    repo.hook(f'echo "$1|$KUBERC|$TMPDIR|$INPUT_TOKEN|$GIVEN|$KUBECTL_EXTERNAL_DIFF|$PWD" >> {noted}')
    repo.configure(repo.stack(entry={"envFile": "app.env"}, prune=True))
    repo.write(
        "app.env",
        f"# for the cluster\nexport GIVEN='{SECRET}-given'\nKUBECONFIG={repo.environment.pop('KUBECONFIG')}\n",
    )
    repo.write("app/c.yaml", documents(config_map("c")))
    repo.put_out(INPUT_TOKEN=f"{SECRET}-input")
    assert repo.run("diff", "app").code == 0

    found: dict[str, set[tuple[str, ...]]] = {}
    for line in noted.read_text().splitlines():
        verb, *rest = line.split("|")
        found.setdefault(verb, set()).add(tuple(rest))
    assert found.keys() == {"version", "get", "diff", "apply"}
    places = {rest[1] for verb, each in found.items() for rest in each if verb != "version"}
    assert all(place.startswith(f"{repo.temporary}/sluiceway-") for place in places)
    for verb, each in found.items():
        for kuberc, _tmp, token, given, _program, directory in each:
            assert token == ""
            assert given == f"{SECRET}-given"
            assert directory == str(repo.root if verb == "version" else repo.root / "app")
            assert kuberc == "off" or verb == "diff"
    assert {rest[4] for rest in found["diff"]} == {"diff -N -U1000000", ""}


def test_without_a_diff_program(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c")))

    failed = repo.preview(PATH=str(repo.machine / "bin"))

    assert failed.row["reason"]["kind"] == "tool-missing"
    assert failed.row["reason"]["names"] == {"tool": "diff"}


def test_a_row_does_not_depend_on_the_language_of_the_machine(repo: Repo) -> None:
    repo.only(concurrency=8)
    names = ("a-b", "ab", "a.c", "z", "a-c", "b")
    repo.write("app/c.yaml", documents(*(config_map(name, data={"b": CANARY, "a": "é\n☃"}) for name in names)))
    rows = [
        repo.preview(LC_ALL=locale, LANG=locale, TZ=zone).row
        for locale, zone in (("C", "UTC"), ("de_DE.UTF-8", "Asia/Tokyo"))
    ]

    assert rows[0]["hash"] == rows[1]["hash"]
    assert [change["address"] for change in rows[0]["changes"]] == [change["address"] for change in rows[1]["changes"]]
