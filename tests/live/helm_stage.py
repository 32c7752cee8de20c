"""A Helm release, and what must hold after a fault during its deploy (issue 5, point 1)."""

import re
import subprocess
from collections.abc import Mapping
from typing import Any

from tests.live.helm_repo import HelmRepo
from tests.live.stage import Fault, Objects, Stage, Trial, text_of, value_of, values

REVISIONS = 10
"""How many revisions helm keeps: from then on each upgrade also removes one."""

_AS_BEFORE = (
    "nothing was deployed",
    "as far as helm said, nothing was deployed",
    "helm rolled the release back: as far as it said, nothing of this deploy is left",
)
_STUMBLED = re.compile(r'Error: no \w+ with the name "[a-z0-9-]+" found')
_LISTED = "owner!=helm,app.kubernetes.io/managed-by=Helm"


class HelmStage(Stage):
    """``next``: the next deploy ends in the state of the chart; where helm refuses it, after what the reason says."""

    repo: HelmRepo
    checks = ("files", "processes", "message", "next")
    sayings = (
        *_AS_BEFORE,
        "helm rolled the release back, as far as it said; but it was interrupted",
        "helm could not record that",
        "half done, and so is the rollback",
        "what this deploy made is still there",
        "how far the deploy came can't be told",
    )

    @property
    def hook(self) -> str:
        """Each run of helm has a kubeconfig of its own, whose path tells the proxy which run it is."""
        mine = f"{self.repo.machine}/kubeconfig-$$"
        url = self.proxy.url
        return f'sed "s#{url}#{url}/run/$1/$$#" "{self.kubeconfig}" > "{mine}"; export KUBECONFIG="{mine}"'

    def put(self, trees: list[Any]) -> None:
        self.repo.configure(self.repo.stack())
        self.repo.chart(*trees)

    def fill_history(self) -> None:
        """Have as many revisions as helm keeps, so that all upgrades take the same steps."""
        for _ in range(REVISIONS):
            self.repo.by_hand_helm("upgrade", "app", "./app")

    def rehearse(self) -> list[tuple[str, int]]:
        self.fill_history()
        return super().rehearse()

    def objects(self) -> Objects:
        """Return what helm made of the chart."""
        return {
            (kind, item["metadata"]["name"]): (item["metadata"]["uid"], value_of(item))
            for kind in ("ConfigMap", "Secret")
            for item in self.repo.server.listed("v1", kind, self.repo.namespace, _LISTED)
        }

    def judge(self, fault: Fault, trial: Trial, before: Objects, row: Mapping[str, Any]) -> None:
        problem = "" if fault.silent else self._untrue(row, before)
        if problem:
            trial.wrong.setdefault("message", problem)

    def _untrue(self, row: Mapping[str, Any], before: Objects) -> str:
        """Return what the row says and is not so, or is so and the row does not say."""
        if not row:
            return "none"
        text, after = text_of(row), values(self.objects())
        if row["outcome"] == "deployed":
            return "" if after == self.wanted else "not deployed"
        if not any(said in text for said in self.sayings):
            return "does not say what was not done"
        if any(said in text for said in _AS_BEFORE) and after != values(before):
            return "says that nothing was done"
        pending = self.repo.statuses()[-1].startswith("pending")
        named = "`helm rollback app" in text or "names the way out" in text
        return "names no way out" if pending and not named else ""

    def again(self, trial: Trial) -> str:
        seen = self.repo.preview().row
        assert seen.get("hash"), seen.get("reason")
        row = self.repo.deploy(seen["hash"]).row
        reason = row.get("reason") or {}
        if reason.get("detail") == "release-pending":
            self._follow(reason["text"])
            trial.recovered = True
            row = self.repo.put_out().row
        assert row["outcome"] in ("deployed", "in-sync"), row.get("reason")
        return str(row["outcome"])

    def _follow(self, text: str) -> None:
        """Do what the reason says; Helm 3 may end it with an error that the reason announces."""
        try:
            self.repo.follow(text)
        except AssertionError as error:
            if not (_STUMBLED.search(str(error)) and "with the name … found" in text):
                raise
        except (ValueError, subprocess.TimeoutExpired) as error:
            raise AssertionError(f"the reason names no command that ends: {text}") from error
