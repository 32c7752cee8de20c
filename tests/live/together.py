"""Two at once: while one request of a deploy is held, someone else comes and goes (issue 5, point 2)."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.live.proxy import Answer, Asked
from tests.live.repo import REPOSITORY, SECRET, Repo, config_map, documents, secret
from tests.live.repo import Answer as Said
from tests.live.stage import Objects, Stage

THIRD: Objects = {
    ("Secret", "keys"): f"{SECRET}-third",
    ("ConfigMap", "both"): "third",
    ("ConfigMap", "only-third-1"): "third",
}


@dataclass
class Meeting:
    """How a deploy ended during which someone else came; ``wrong`` says what did not hold."""

    who: str
    step: str
    outcome: str = "-"
    said: str = ""
    wrong: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        """The meeting as a line of the table."""
        return f"{self.who} | {self.step} | {self.outcome} | {self.said[:100]} | {'; '.join(self.wrong) or 'held'}"


class Other:
    """Someone else with a machine of their own, who goes to the namespace of ``stage`` past its proxy."""

    def __init__(self, stage: Stage, repository: str, stack: str) -> None:
        mine = stage.repo
        root = mine.root.parent / f"other-{secrets.token_hex(4)}" / "repo"
        self.repo = Repo(mine.cluster, mine.server, mine.kubectl, root, mine.namespace, mine.home)
        self.repo.environment["GITHUB_REPOSITORY"] = repository
        self.stack = stack
        self.repo.configure(self.repo.stack(stack, prune=True))

    def writes(self, wanted: Objects) -> None:
        """Have these manifests."""
        made = [
            secret(name, p=value) if kind == "Secret" else config_map(name, data={"k": value})
            for (kind, name), value in wanted.items()
        ]
        self.repo.write(f"{self.stack}/x.yaml", documents(*made))

    def deploys(self, wanted: Objects) -> Said:
        """Deploy these manifests, which must go well."""
        self.writes(wanted)
        return self.repo.put_out(stack=self.stack)

    def previews(self, wanted: Objects) -> Said:
        """Preview these manifests."""
        self.writes(wanted)
        return self.repo.preview(self.stack)


def meet(stage: Stage, who: str, comes: Callable[[], Any], step: str, number: int) -> tuple[Meeting, Said]:
    """Deploy the other side of ``stage``; when the request is made, have someone come, and then let it go on."""
    stage.turn()
    digest = stage.hash()
    came: list[str] = []

    def meddle(asked: Asked) -> Answer | None:
        if (asked.step, asked.number) == (step, number) and not came:
            came.append(f"{asked.method} {asked.thing}")
            comes()
        return None

    before = len(stage.repo.calls())
    stage.proxy.begin(meddle)
    with stage.repo.start("deploy", "app", f"--hash={digest}", "--format=json") as process:
        answer = stage.repo.ended(process, before)
    stage.proxy.begin()
    row = answer.row
    said = (row.get("reason") or {}).get("text", "") or (row["notes"] or [""])[-1]
    return Meeting(who, f"{step}: {came[0] if came else 'not reached'}", row["outcome"], said), answer


def previewed(stage: Stage, step: tuple[str, int]) -> Meeting:
    """Have a preview of the same stack come: it shows something, and nothing of the deploy is other for it."""
    other, seen = Other(stage, REPOSITORY, "app"), list[Said]()
    met, _ = meet(stage, "a preview of the stack", lambda: seen.append(other.previews(THIRD)), *step)
    met.wrong += [f"the preview ended with {each.code}" for each in seen if each.code]
    if met.outcome != "deployed" or stage.objects().keys() != stage.wanted.keys():
        met.wrong.append("the deploy was not as without it")
    return met


def deployed(stage: Stage, step: tuple[str, int]) -> Meeting:
    """Have another deploy of the same stack come, which holds an object of its own and those that were to go."""
    held = {**THIRD, **{key: "third" for key in stage.wanted if key[1].startswith("only-")}}
    other = Other(stage, REPOSITORY, "app")
    met, answer = meet(stage, "a deploy of the stack", lambda: other.deploys(held), *step)
    there = stage.objects().keys()
    met.wrong += [f"{name} of the newer one is gone" for _, name in sorted(held.keys() - there)]
    (inventory,) = stage.repo.inventories().values()
    listed = {(item["kind"], item["name"]) for item in inventory}
    text = met.said + answer.notes
    met.wrong += [f"{name} is not listed, and nobody says so" for _, name in sorted(there - listed) if name not in text]
    if met.outcome == "deployed":
        met.wrong.append("the loser does not say so")
    return met


def handed_over(stage: Stage, step: tuple[str, int]) -> Meeting:
    """Have another stack come and take over what the deploy is to delete."""
    held = {key: "theirs" for key in stage.wanted if key[1].startswith("only-")}
    other = Other(stage, "acme/other", "lodger")
    met, _ = meet(stage, "a stack that takes over what goes", lambda: other.deploys(held), *step)
    met.wrong += [f"{name} of the newer one is gone" for _, name in sorted(held.keys() - stage.objects().keys())]
    if met.outcome == "deployed":
        met.wrong.append("the loser does not say so")
    return met


MEETINGS = (previewed, deployed, handed_over)


def anew(stage: Stage) -> None:
    """Take away all that is there, and deploy the side we are at."""
    server, namespace = stage.repo.server, stage.repo.namespace
    for kind in ("ConfigMap", "Secret"):
        for name in server.names("v1", kind, namespace) - {"kube-root-ca.crt"}:
            server.delete("v1", kind, namespace, name)
    stage.repo.put_out()
