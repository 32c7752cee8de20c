"""Charts that are not of the repo: ``repo/name`` and ``oci://`` with an exact version, from loopback."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recorder import tools
from recorder.clusters.local import LocalCluster
from tests.live import registry
from tests.live.conftest import HELMS
from tests.live.helm_repo import HelmRepo
from tests.live.registry import OPEN, PASSWORD, PRIVATE, USER, Charts
from tests.live.repo import CANARY

pytestmark = pytest.mark.live

NOBODY = "127.0.0.1:1"
"""Where no registry is."""


@pytest.fixture(scope="module")
def charts(helm_cluster: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Charts]:
    """Charts on loopback, known by the certificate that the API server made for itself."""
    missing = registry.missing()
    if missing:
        pytest.skip(missing)
    # Helm 3.18.0 can't push a version with a +.
    publisher = tools.need("helm", HELMS["1.37"]).path
    with Charts(tmp_path_factory.mktemp("charts"), helm_cluster.api.ca_file, publisher) as made:
        for version in ("1.0.0", "2.0.0", "v3.0.0", "4.0.0+b.1"):
            made.publish(version)
        made.publish("1.0.0", place=PRIVATE)
        made.index(OPEN, into="gone", url=f"https://{NOBODY}")
        made.index(PRIVATE, into="half")
        made.index(PRIVATE)
        made.index(OPEN)
        yield made


@pytest.fixture
def person(shop: HelmRepo, charts: Charts) -> HelmRepo:
    """Someone who trusts the certificate, whose helm knows nothing yet but the repository ``acme``."""
    own = shop.machine / "helm"
    shop.environment |= {
        "SSL_CERT_FILE": str(shop.cluster.api.ca_file),
        "HELM_REPOSITORY_CONFIG": str(own / "repositories.yaml"),
        "HELM_REPOSITORY_CACHE": str(own / "repository"),
        "HELM_REGISTRY_CONFIG": str(own / "registry.json"),
        "HELM_CONTENT_CACHE": str(own / "content"),
    }
    shop.by_hand_helm("repo", "add", "acme", f"{charts.address}/{OPEN}")
    return shop


def configure(person: HelmRepo, stacks: dict[str, tuple[str, str]]) -> None:
    """Have a stack for each name, of a chart and a version."""
    for name in stacks:
        (person.root / name).mkdir(exist_ok=True)
    person.configure(*(person.stack(name, chart=chart, version=version) for name, (chart, version) in stacks.items()))


def released(person: HelmRepo, release: str = "app", chart: str = "app") -> Any:
    """Return the version of the chart that a release was made from, as its object has it."""
    return person.live("ConfigMap", f"{release}-{chart}")["data"]["version"].removeprefix(f"{CANARY}-")


@pytest.mark.parametrize("place", ["repository", "registry"])
def test_the_rounds_of_a_chart_from_elsewhere(person: HelmRepo, charts: Charts, place: str) -> None:
    chart = "acme/app" if place == "repository" else f"oci://{charts.host}/{OPEN}/app"
    address = f"ConfigMap/{person.namespace}/app-app"
    configure(person, {"app": (chart, "1.0.0")})

    first = person.preview()
    assert (first.row["state"], first.changes) == ("pending", {address: "create"})
    done = person.deploy(first.row["hash"])
    assert (done.code, done.row["outcome"], released(person)) == (0, "deployed", "1.0.0")
    (upgrade,) = done.argv("upgrade")
    assert upgrade[:5] == ("upgrade", "app", chart, f"--namespace={person.namespace}", "--version=1.0.0")

    configure(person, {"app": (chart, "2.0.0")})
    update = person.preview()
    assert update.changes == {address: ["data.version"]}
    assert person.deploy(update.row["hash"]).code == 0
    assert released(person) == "2.0.0"
    assert person.drift("app", "--exit-code").code == 0

    person.server.patch("v1", "ConfigMap", person.namespace, "app-app", {"data": {"version": "by hand"}})
    drifted = person.drift()
    assert (drifted.row["state"], drifted.changes, drifted.drift) == ("drift", {}, {address: ["data.version"]})
    person.put_out("--repair-drift")
    assert released(person) == "2.0.0"


def test_every_reference_that_is_there_is_deployed(person: HelmRepo, charts: Charts) -> None:
    login = (f"--username={USER}", f"--password={PASSWORD}")
    person.by_hand_helm("repo", "add", "private", f"{charts.address}/{PRIVATE}", *login)
    person.by_hand_helm("registry", "login", charts.host, *login)
    oci = f"oci://{charts.host}"
    stacks = {
        "repo-v": ("acme/app", "v3.0.0"),
        "repo-metadata": ("acme/app", "4.0.0+b.1"),
        "repo-login": ("private/app", "1.0.0"),
        "oci-v": (f"{oci}/{OPEN}/app", "v3.0.0"),
        "oci-metadata": (f"{oci}/{OPEN}/app", "4.0.0+b.1"),
        "oci-login": (f"{oci}/{PRIVATE}/app", "1.0.0"),
        "oci-digest": (f"{oci}/{OPEN}/pinned@{charts.publish('1.0.0', name='pinned')}", "1.0.0"),
    }
    configure(person, stacks)
    assert person.run("check", "--format=json").document["problems"] == []
    hashes = [f"--hash={name}={row['hash']}" for name, row in person.preview().rows.items()]

    done = person.run("deploy", *stacks, *hashes, "--format=json", "--verbose")

    assert {row["outcome"] for row in done.rows.values()} == {"deployed"}
    for name, (chart, version) in stacks.items():
        assert released(person, name, "pinned" if "pinned" in chart else "app") == version
    assert {row["state"] for row in person.preview().rows.values()} == {"in-sync"}


def test_what_is_not_there_is_said(person: HelmRepo, charts: Charts) -> None:
    for name, place in (("gone", "gone"), ("half", "half"), ("lost", OPEN)):
        person.by_hand_helm("repo", "add", name, f"{charts.address}/{place}")
    (Path(person.environment["HELM_REPOSITORY_CACHE"]) / "lost-index.yaml").unlink()
    app = f"{charts.host}/{OPEN}/app"
    no_digest = f"{app}@sha256:{'0' * 64}"
    stacks = {
        "repo-version": ("acme/app", "9.9.9"),
        "repo-chart": ("acme/nope", "1.0.0"),
        "repo-unknown": ("nobody/app", "1.0.0"),
        "repo-lost": ("lost/app", "1.0.0"),
        "repo-login": ("half/app", "1.0.0"),
        "repo-down": ("gone/app", "1.0.0"),
        "oci-version": (f"oci://{app}", "9.9.9"),
        "oci-chart": (f"oci://{charts.host}/{OPEN}/nope", "1.0.0"),
        "oci-metadata": (f"oci://{app}", "4.0.0+c.2"),
        "oci-digest": (f"oci://{no_digest}", "1.0.0"),
        "oci-neither": (f"oci://{no_digest}", "9.9.9"),
        "oci-login": (f"oci://{charts.host}/{PRIVATE}/app", "1.0.0"),
        "oci-down": (f"oci://{NOBODY}/{OPEN}/app", "1.0.0"),
    }
    expected: dict[str, tuple[str, dict[str, str]]] = {
        "repo-version": ("has no app 9.9.9", {"repository": "acme", "chart": "app", "version": "9.9.9"}),
        "repo-chart": ("has no nope 1.0.0", {"repository": "acme", "chart": "nope", "version": "1.0.0"}),
        "repo-unknown": ("helm knows no chart repository nobody", {"repository": "nobody"}),
        "repo-lost": ("helm has no index of the chart repository", {}),
        "repo-login": ("does not hand out the chart without a login", {}),
        "repo-down": ("can't be reached", {}),
        "oci-version": (f"there is no {app} 9.9.9", {"chart": app, "version": "9.9.9"}),
        "oci-chart": ("there is no ", {"chart": f"{charts.host}/{OPEN}/nope", "version": "1.0.0"}),
        "oci-metadata": (f"there is no {app} 4.0.0", {"chart": app, "version": "4.0.0_c.2"}),
        "oci-digest": ("has another digest", {}),
        "oci-neither": (f"there is no {app} with that digest", {"chart": app}),
        "oci-login": (
            "does not hand out",
            {"chart": f"{charts.host}/{PRIVATE}/app", "version": "1.0.0"},
        ),
        "oci-down": ("can't be reached", {"chart": f"{NOBODY}/{OPEN}/app", "version": "1.0.0"}),
    }
    configure(person, stacks)

    seen = person.preview()

    assert (seen.code, {row["state"] for row in seen.rows.values()}) == (1, {"preview-failed"})
    reasons = {name: row["reason"] for name, row in seen.rows.items()}
    assert {name: reason["names"] for name, reason in reasons.items()} == {
        name: names for name, (_, names) in expected.items()
    }
    for name, (said, _) in expected.items():
        assert said in reasons[name]["text"], name
    assert not any("hash" in row for row in seen.rows.values())
    failed = person.deploy("0123456789abcdef", stack="oci-version")
    assert (failed.code, failed.argv("upgrade")) == (1, [])


def test_a_new_version_needs_a_new_index(person: HelmRepo, charts: Charts) -> None:
    charts.publish("1.0.0", name=f"young-{person.major}")
    configure(person, {"app": (f"acme/young-{person.major}", "1.0.0")})
    said = person.preview().row["reason"]["text"]
    assert "helm's copy of its index" in said

    (command,) = re.findall(r"`helm (repo update)`", said)
    person.by_hand_helm(*command.split())

    assert list(person.preview().changes.values()) == ["create"]


def test_dependencies_from_elsewhere_are_built(person: HelmRepo, charts: Charts) -> None:
    charts.publish("2.0.0", name="base")  # helm takes two dependencies of one name for one
    person.only()
    dependencies = [
        {"name": "app", "version": "1.0.0", "repository": f"{charts.address}/{OPEN}"},
        {"name": "base", "version": "2.0.0", "repository": f"oci://{charts.host}/{OPEN}"},
    ]
    person.chart(dependencies=dependencies)

    person.put_out()

    assert (released(person, "app", "app"), released(person, "app", "base")) == ("1.0.0", "2.0.0")
