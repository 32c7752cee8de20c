"""Two at once: while one request of a deploy is held, someone else comes and goes (issue 5, point 2).

What must hold: nothing goes that the newer one holds, or the loser names it and whose it is, and then what it says to
do brings it back. Whoever lists too little says so too.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.live.kubectl_stage import KubectlStage
from tests.live.proxy import Answer, Asked
from tests.live.repo import REPOSITORY, SECRET, Repo, config_map, documents, secret
from tests.live.repo import Answer as Said
from tests.live.stage import Objects, steps

THIRD: Objects = {
    ("Secret", "keys"): f"{SECRET}-third",
    ("ConfigMap", "both"): "third",
    ("ConfigMap", "only-third-1"): "third",
}

Step = tuple[str, int]


@dataclass
class Meeting:
    """How a deploy ended during which someone else came.

    ``lost`` are objects of the newer one that went and that the deploy told of; ``wrong`` says what did not hold.
    """

    who: str
    step: str
    outcome: str = "-"
    said: str = ""
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        """The meeting as a line of the table."""
        held = f"held, {len(self.lost)} told of" if self.lost else "held"
        return f"{self.who} | {self.step} | {self.outcome} | {self.said[:100]} | {'; '.join(self.wrong) or held}"


class Other:
    """Someone else with a machine of their own, who goes to the namespace of ``stage`` past its proxy."""

    def __init__(self, stage: KubectlStage, repository: str, stack: str) -> None:
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


def _meet(
    stage: KubectlStage, who: str, comes: Callable[[], Any], step: Step, digest: str | None = None
) -> tuple[Meeting, Said]:
    """Deploy ``stage``; when the request is made, have someone come, and then let it go on."""
    digest = digest or stage.hash()
    came: list[str] = []

    def meddle(asked: Asked) -> Answer | None:
        if (asked.step, asked.number) == step and not came:
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
    return Meeting(who, f"{step[0]}: {came[0] if came else 'not reached'}", row["outcome"], said), answer


def _judge(met: Meeting, answer: Said, stage: KubectlStage, other: Other, held: Objects) -> Meeting:
    """Say what did not hold of a deploy during which ``other`` came and deployed what is ``held``."""
    there = stage.objects().keys()
    text = f"{met.said}\n{answer.notes}"
    listed = {(item["kind"], item["name"]) for each in stage.repo.inventories().values() for item in each}
    met.wrong += [f"{name} is not listed, and nobody says so" for _, name in sorted(there - listed) if name not in text]
    for _, name in sorted(held.keys() - there):
        if f"/{name} was deleted, and " in text and met.outcome == "failed":
            met.lost.append(name)
        else:
            met.wrong.append(f"{name} of the newer one is gone, and nobody says so")
    if met.outcome == "deployed" and "someone made it anew since" not in text:
        met.wrong.append("the loser does not say so")
    if met.lost:
        other.repo.put_out(stack=other.stack)
        met.wrong += [f"{name} does not come back" for _, name in sorted(held.keys() - stage.objects().keys())]
    return met


def previewed(stage: KubectlStage, step: Step) -> Meeting:
    """Have a preview of the same stack come: it shows something, and nothing of the deploy is other for it."""
    other, seen = Other(stage, REPOSITORY, "app"), list[Said]()
    stage.turn()
    met, _ = _meet(stage, "a preview of the stack", lambda: seen.append(other.previews(THIRD)), step)
    met.wrong += [f"the preview ended with {each.code}" for each in seen if each.code]
    if met.outcome != "deployed" or stage.objects().keys() != stage.wanted.keys():
        met.wrong.append("the deploy was not as without it")
    return met


def deployed(stage: KubectlStage, step: Step) -> Meeting:
    """Have another deploy of the same stack come, which holds an object of its own and those that were to go."""
    held = {**THIRD, **{key: "third" for key in stage.wanted if key[1].startswith("only-")}}
    other = Other(stage, REPOSITORY, "app")
    stage.turn()
    met, answer = _meet(stage, "a deploy of the stack", lambda: other.deploys(held), step)
    return _judge(met, answer, stage, other, held)


def stated_again(stage: KubectlStage, step: Step) -> Meeting:
    """Have another deploy of the same stack come that changes nothing: all it states is there, and what goes too."""
    before = stage.wanted
    stage.turn()
    held = {**before, **stage.wanted}
    other = Other(stage, REPOSITORY, "app")
    met, answer = _meet(stage, "a deploy that states what goes, as it is", lambda: other.deploys(held), step)
    return _judge(met, answer, stage, other, held)


def handed_over(stage: KubectlStage, step: Step) -> Meeting:
    """Have another stack come and take over what the deploy is to delete."""
    held = {key: "theirs" for key in stage.wanted if key[1].startswith("only-")}
    other = Other(stage, "acme/other", "lodger")
    stage.turn()
    met, answer = _meet(stage, "a stack that takes over what goes", lambda: other.deploys(held), step)
    return _judge(met, answer, stage, other, held)


def first(stage: KubectlStage, step: Step) -> Meeting:
    """Have another first deploy of the same stack come: there is no inventory yet."""
    nothing(stage)
    other, digest = Other(stage, REPOSITORY, "app"), stage.repo.preview().row["hash"]
    met, answer = _meet(stage, "another first deploy", lambda: other.deploys(THIRD), step, digest)
    return _judge(met, answer, stage, other, THIRD)


MEETINGS = (previewed, deployed, stated_again, handed_over)


def anew(stage: KubectlStage) -> None:
    """Take away all that is there, and deploy the side we are at."""
    nothing(stage)
    stage.repo.put_out()


def nothing(stage: KubectlStage) -> None:
    """Take away all that is there."""
    server, namespace = stage.repo.server, stage.repo.namespace
    for kind in ("ConfigMap", "Secret"):
        for name in server.names("v1", kind, namespace) - {"kube-root-ca.crt"}:
            server.delete("v1", kind, namespace, name)


def first_steps(stage: KubectlStage) -> list[Step]:
    """Deploy for the first time, and return the steps of it."""
    nothing(stage)
    digest = stage.repo.preview().row["hash"]
    stage.proxy.begin()
    stage.repo.deploy(digest)
    return steps(stage.proxy.seen)
