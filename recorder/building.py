"""Builds tools that are missing from their Go modules, into the asset cache (``design.md``, Tools).

Each is built in a module made for it alone: a module that is not the main one keeps none of its replacements, and
Kubernetes' own point into its repository, so that its staging modules are replaced by their releases instead.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recorder import tools
from recorder.tools import Found

BUILD_SECONDS = 3600.0
"""How long one command of Go may take, in seconds: a slow machine needs half an hour for an API server."""

KUBERNETES = "k8s.io/kubernetes"
CRANE = "github.com/google/go-containerregistry"


class BuildError(Exception):
    """A tool could not be built. The message says which, at which step, and what to do."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the release ``version`` (without v) of a tool is built from ``package`` of ``module``.

    ``variable`` is the one that the linker sets to the version; without, the source knows it.
    """

    tool: str
    version: str
    module: str
    package: str
    variable: str = ""


def _kubernetes(tool: str, version: str) -> Recipe:
    return Recipe(tool, version, KUBERNETES, f"{KUBERNETES}/cmd/{tool}", "k8s.io/component-base/version.gitVersion")


RECIPES: tuple[Recipe, ...] = (
    *(_kubernetes("kubectl", version) for version in ("1.34.0", "1.37.1")),
    *(
        _kubernetes(tool, version)
        for tool in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
        for version in ("1.34.4", "1.37.2")
    ),
    Recipe("etcd", "3.6.13", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
    Recipe("kwok", "0.7.0", "sigs.k8s.io/kwok", "sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok/pkg/consts.Version"),
    Recipe("crane", "0.22.1", CRANE, f"{CRANE}/cmd/crane", f"{CRANE}/cmd/crane/cmd.Version"),
)
"""What can be built: all that a local cluster and its kubectl take, and the registry of the live tests."""


def recipe_for(tool: str, wanted: str) -> Recipe | None:
    """Return the recipe of a ``tool`` in the version ``wanted`` (as for ``tools.find``), None when there is none."""
    fitting = (each for each in RECIPES if each.tool == tool and tools.satisfies(each.version, wanted))
    return next(fitting, None)


def build(recipe: Recipe, environment: Mapping[str, str] = os.environ) -> Found:
    """Build ``recipe`` into the asset cache and return it. Raises ``BuildError``; then nothing is in the cache."""
    folder = tools.cache_directory(environment) / tools.TOOLS[recipe.tool].folder
    target = folder / f"v{recipe.version}" / recipe.tool
    folder.mkdir(parents=True, exist_ok=True)
    # Beside its target, so that what was built is moved into place in one step.
    with tempfile.TemporaryDirectory(prefix=".build-", dir=folder) as directory:
        made = Path(directory) / recipe.tool
        _Go(recipe, Path(directory), environment).build(made)
        said = tools.version_of(recipe.tool, made, environment)
        if said != recipe.version:
            raise BuildError(f"{recipe.tool} v{recipe.version} was built, but says it is {said or 'nothing'}")
        target.parent.mkdir(exist_ok=True)
        made.replace(target)
    return Found(recipe.tool, f"v{recipe.version}", target, str(folder))


class _Go:
    """Go, at work on one recipe in a directory of its own."""

    def __init__(self, recipe: Recipe, directory: Path, environment: Mapping[str, str]) -> None:
        self._recipe = recipe
        self._directory = directory
        # A workspace of the person's would take the place of the module that is made here.
        self._environment = {**environment, "GOWORK": "off"}
        found = shutil.which("go", path=environment.get("PATH", ""))
        if found is None:
            raise BuildError(f"{recipe.tool} can't be built: go is not on PATH. Get it from https://go.dev/doc/install")
        self._go = found

    def build(self, target: Path) -> None:
        """Build the recipe's package to ``target``."""
        recipe = self._recipe
        self._run("mod", "init", "build.invalid/build")
        if recipe.module == KUBERNETES:
            self._run("mod", "edit", *self._replacements())
        self._run("get", f"{recipe.package}@v{recipe.version}")
        flags = f"-s -w -X {recipe.variable}=v{recipe.version}" if recipe.variable else "-s -w"
        self._run("build", "-trimpath", f"-ldflags={flags}", "-o", str(target), recipe.package)

    def _replacements(self) -> Sequence[str]:
        """Return Kubernetes' staging modules as flags, each replaced by its release: v1.34.4 gives v0.34.4."""
        module = f"{KUBERNETES}@v{self._recipe.version}"
        downloaded = json.loads(self._run("mod", "download", "-json", module))
        content = json.loads(self._run("mod", "edit", "-json", downloaded["GoMod"]))
        release = "v0." + self._recipe.version.partition(".")[2]
        names = [replaced["Old"]["Path"] for replaced in content["Replace"]]
        return [f"-replace={name}={name}@{release}" for name in names]

    def _run(self, *arguments: str) -> str:
        """Run Go and return its stdout; its stderr goes to the person, who may wait for long."""
        try:
            result = subprocess.run(
                [self._go, *arguments],
                cwd=self._directory,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                timeout=BUILD_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BuildError(self._failed(arguments, f"not within {BUILD_SECONDS:g} seconds")) from None
        if result.returncode:
            raise BuildError(self._failed(arguments, f"exit code {result.returncode}"))
        return result.stdout

    def _failed(self, arguments: Sequence[str], how: str) -> str:
        step = " ".join(arguments[:2] if arguments[0] == "mod" else arguments[:1])
        return f"{self._recipe.tool} v{self._recipe.version} could not be built: go {step} failed ({how})"
