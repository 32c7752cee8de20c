"""Capture what helm and its diff plugin print for the cases of ``tests/adapters/helm/losses``.

    python benchmarks/helm_losses.py [case ...]

It uses the ``helm``, ``kubectl``, ``HELM_PLUGINS`` and ``KUBECONFIG`` of its environment, and needs a cluster that
nothing else is on: it makes a namespace a case and objects of the cluster, and takes them away again. A case is a
directory:

- ``before.yaml`` is the template of the chart that is installed, ``after.yaml`` that of the chart that is compared
  with it. Without the first nothing is installed; without the second the chart is empty.
- ``setup.yaml`` is installed first, as a release of its own; ``crds.yaml`` goes to the ``crds`` directory of the chart.
- ``live.yaml`` is applied by hand after the installation, and the objects of ``gone.yaml`` are deleted: the three-way
  diff is captured then.
- ``broken.yaml`` is the template of an upgrade that ends as ``state`` says: ``failed``, ``pending-upgrade`` or
  ``uninstalled``. An upgrade that is to stay pending is killed while its hook runs.

Times at the start of a line are left out of what went to stderr. Nothing else is changed.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sluiceway.adapters.helm.commands import Commands
from sluiceway.adapters.helm.target import Target
from sluiceway.processes import Command

CASES = Path(__file__).resolve().parents[1] / "tests" / "adapters" / "helm" / "losses"
LIMIT = 120
"""Seconds that one command may take."""

_TIME = re.compile(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d ", re.MULTILINE)


def main() -> None:
    """Capture the cases that were named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*")
    asked = parser.parse_args().cases
    found = sorted(path.name for path in CASES.iterdir() if path.is_dir())
    version = _said("helm", "version", "--template={{.Version}}")
    for name in asked or found:
        with tempfile.TemporaryDirectory() as room:
            Case(CASES / name, Path(room)).capture(version)
        print(name, flush=True)


@dataclass(frozen=True)
class Case:
    """One case, and the directory it is played in."""

    source: Path
    room: Path

    @property
    def namespace(self) -> str:
        """The namespace of the release."""
        return f"losses-{self.source.name}"

    @property
    def commands(self) -> Commands:
        """The adapter's own command lines."""
        return Commands(Target("app", self.namespace, "./chart"), self.room, self.room)

    def capture(self, version: str) -> None:
        """Play the case, and keep what the tools printed."""
        kept = self.source / version
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        with self._stage():
            installed = self._prepare()
            self._chart("after.yaml")
            self._keep(kept, "structured.json", self.commands.diff())
            if installed:
                self._keep(kept, "release.yaml", self.commands.release())
            self._keep(kept, "render.yaml", self.commands.render())
            if installed:
                self._keep_if_other(kept, "render.yaml", "render-upgrade.yaml", self.commands.render(upgrade=True))
            if self._has("live.yaml") or self._has("gone.yaml"):
                self._keep(kept, "three-way.json", self.commands.three_way())
                self._keep(kept, "three-way.txt", self.commands.three_way("diff"))
            else:
                self._keep(kept, "diff.txt", self.commands.diff_for_a_person())

    @contextmanager
    def _stage(self) -> Iterator[None]:
        _said("kubectl", "create", "namespace", self.namespace)
        try:
            if self._has("setup.yaml"):
                self._chart("setup.yaml")
                self._helm("install", "setup", "./chart")
            yield
        finally:
            for release in ("app", "setup"):
                self._helm("uninstall", release, "--no-hooks", check=False)
            _said("kubectl", "delete", "namespace", self.namespace, "--timeout=60s")

    def _prepare(self) -> bool:
        if self._has("before.yaml"):
            self._chart("before.yaml")
            self._helm("install", "app", "./chart")
        if self._has("live.yaml"):
            self._live("apply", "--server-side", "--force-conflicts", "--field-manager=person", "live.yaml")
        if self._has("gone.yaml"):
            self._live("delete", "gone.yaml")
        if self._has("state"):
            self._break((self.source / "state").read_text().strip())
        return self._has("before.yaml")

    def _break(self, state: str) -> None:
        if state == "uninstalled":
            self._helm("uninstall", "app", "--keep-history")
            return
        self._chart("broken.yaml")
        if state == "failed":
            self._helm("upgrade", "app", "./chart", check=False)
            return
        argv = ["helm", "upgrade", "app", "./chart", f"--namespace={self.namespace}"]
        running = subprocess.Popen(argv, cwd=self.room, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._wait_for(state)
        finally:
            running.kill()
            running.wait(LIMIT)

    def _wait_for(self, state: str) -> None:
        end = time.monotonic() + LIMIT
        while f"STATUS: {state}" not in self._helm("status", "app"):
            if time.monotonic() > end:
                raise SystemExit(f"{self.source.name}: the release never became {state}")
            time.sleep(0.2)

    def _chart(self, name: str) -> None:
        chart = self.room / "chart"
        shutil.rmtree(chart, ignore_errors=True)
        (chart / "templates").mkdir(parents=True)
        (chart / "Chart.yaml").write_text("apiVersion: v2\nname: losses\nversion: 0.1.0\n")
        if self._has(name):
            shutil.copy(self.source / name, chart / "templates" / "all.yaml")
        if self._has("crds.yaml") and name != "setup.yaml":
            (chart / "crds").mkdir()
            shutil.copy(self.source / "crds.yaml", chart / "crds" / "crds.yaml")

    def _has(self, name: str) -> bool:
        return (self.source / name).exists()

    def _helm(self, *arguments: str, check: bool = True) -> str:
        return _said("helm", *arguments, f"--namespace={self.namespace}", cwd=self.room, check=check)

    def _live(self, *arguments: str) -> str:
        *words, name = arguments
        return _said("kubectl", *words, f"--namespace={self.namespace}", f"--filename={self.source / name}")

    def _keep_if_other(self, kept: Path, name: str, other: str, command: Command) -> None:
        self._keep(kept, other, command)
        if (kept / other).read_bytes() == (kept / name).read_bytes():
            (kept / other).unlink()

    def _keep(self, kept: Path, name: str, command: Command) -> None:
        variables = {key: value for key, value in os.environ.items() if not key.startswith("HELM_DIFF_")}
        done = subprocess.run(
            command.argv,
            env={**variables, **command.env},
            cwd=self.room,
            capture_output=True,
            check=False,
            timeout=LIMIT,
        )
        (kept / name).write_bytes(done.stdout)
        said = _TIME.sub("", done.stderr.decode())
        if done.returncode:
            said += f"exit code {done.returncode}\n"
        if said:
            (kept / f"{name}.stderr").write_text(said)


def _said(*argv: str, cwd: Path | None = None, check: bool = True) -> str:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, check=False, timeout=LIMIT, text=True)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(argv)} exited {done.returncode}: {done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
