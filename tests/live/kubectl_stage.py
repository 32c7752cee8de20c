"""A kubectl stack that prunes, and what must hold after a fault during its deploy (issue 5, point 1)."""

from collections.abc import Mapping
from typing import Any

from tests.live.repo import documents
from tests.live.stage import Fault, Objects, Stage, Trial, text_of, value_of

_NOTHING_DONE = ("nothing was deployed", "nothing was applied")


class KubectlStage(Stage):
    """``inventory``: the inventory lists all that is ours. ``next``: the next deploy ends in the manifests' state."""

    checks = ("files", "processes", "inventory", "message", "next")
    sayings = (
        *_NOTHING_DONE,
        "this is half a deploy",
        "nothing was deleted",
        "not deleted, and still listed",
        "can't be told",
    )

    def put(self, trees: list[Any]) -> None:
        self.repo.only(prune=True)
        self.repo.write("app/x.yaml", documents(*trees))

    def objects(self) -> Objects:
        """Return what the stack's field manager applied, without the inventory."""
        found: Objects = {}
        for kind in ("ConfigMap", "Secret"):
            for item in self.repo.server.listed("v1", kind, self.repo.namespace):
                name, entries = item["metadata"]["name"], item["metadata"].get("managedFields", [])
                ours = any((e["manager"], e["operation"]) == ("kubectl", "Apply") for e in entries)
                if ours and not name.startswith("sluiceway-"):
                    found[kind, name] = (item["metadata"]["uid"], value_of(item))
        return found

    def judge(self, fault: Fault, trial: Trial, before: Objects, row: Mapping[str, Any]) -> None:
        after = self.objects()
        self._check_inventory(trial, before, after, text_of(row))
        problem = "" if fault.silent else self._untrue(row, before, after)
        if problem:
            trial.wrong.setdefault("message", problem)

    def again(self, trial: Trial) -> str:
        ended = str(self.repo.put_out().row["outcome"])
        if not self._listed() >= self.wanted.keys():
            trial.wrong["inventory"] = "the next deploy lists too little"
        return ended

    def _listed(self) -> set[tuple[str, str]]:
        (listed,) = self.repo.inventories().values()
        return {(item["kind"], item["name"]) for item in listed}

    def _check_inventory(self, trial: Trial, before: Objects, after: Objects, text: str) -> None:
        unlisted = after.keys() - self._listed()
        created = after.keys() - before.keys()
        if unlisted - created or (unlisted and not trial.step.startswith("apply")):
            trial.wrong["inventory"] = f"lists no {sorted(unlisted)}"
        if trial.code >= 0 and sum(name not in text for _, name in unlisted) > 1:
            trial.wrong["message"] = f"does not name {sorted(unlisted)}"

    def _untrue(self, row: Mapping[str, Any], before: Objects, after: Objects) -> str:
        """Return what the row says and is not so, or is so and the row does not say."""
        if not row:
            return "none"
        text = text_of(row)
        applied, deleted = (set(map(_key, row["done"][each])) if "done" in row else set() for each in _DONE)
        changed = {key for key, value in after.items() if before.get(key) != value}
        gone = before.keys() - after.keys()
        if row["outcome"] == "deployed":
            whole = after.keys() == self.wanted.keys() and applied == changed and deleted == gone
            return "" if whole else "not deployed"
        if not applied <= changed or not deleted <= gone:
            return "says more than was done"
        unsaid = (changed - applied) | (gone - deleted)
        if len(unsaid) > 1 and "can't be told" not in text:
            return f"does not say {sorted(unsaid)}"
        if (applied or deleted) and any(said in text for said in _NOTHING_DONE):
            return "says that nothing was done"
        return "" if any(said in text for said in self.sayings) else "does not say what was not done"


_DONE = ("applied", "deleted")


def _key(address: str) -> tuple[str, str]:
    kind, _, rest = address.partition("/")
    return kind, rest.rpartition("/")[2]
