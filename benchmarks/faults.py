"""Deploys that something strikes: every fault at every step of a kubectl or Helm deploy, and two kubectl ones at once.

    python benchmarks/faults.py [--tool helm] [--minor 1.34] [--only REGEX] [--steps REGEX] [--together]

It makes its own cluster and prints a line a trial, then a line a fault. A full disk needs the right to mount: as
another user than root, run it as `unshare --user --map-root-user --mount python benchmarks/faults.py`.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import tools
from recorder.clusters.base import MINORS
from recorder.clusters.local import LocalCluster
from tests.live.conftest import CLIENTS, HELMS
from tests.live.faults import FAULTS, JUMPING
from tests.live.helm_repo import HelmRepo
from tests.live.helm_stage import HelmStage
from tests.live.kubectl_stage import KubectlStage
from tests.live.proxy import Proxy
from tests.live.repo import Repo
from tests.live.server import Server
from tests.live.stage import VERSION, Fault, Stage, Trial
from tests.live.together import MEETINGS, Meeting, anew, first, first_steps

DISK_MIB = 8


def main() -> int:
    """Run all trials, and print how they ended; 1 when something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", choices=("kubectl", "helm"), default="kubectl")
    parser.add_argument("--minor", choices=MINORS, default=MINORS[0])
    parser.add_argument("--only", default="", help="faults whose name this is found in")
    parser.add_argument("--steps", default="", help="steps whose name and request (apply 1:3) this is found in")
    parser.add_argument("--together", action="store_true", help="two at once, in place of the faults")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, LocalCluster(asked.minor) as cluster, Proxy(cluster) as proxy:
        repo = made(cluster, Path(scratch), asked.tool)
        with disk(repo.temporary) as mounted:
            full = repo.temporary if mounted else None
            stage = HelmStage(repo, proxy, full) if isinstance(repo, HelmRepo) else KubectlStage(repo, proxy, full)
            faults = [
                fault
                for fault in FAULTS
                if re.search(asked.only, fault.name) and (mounted or fault.name != "disk full")
            ]
            trials = [] if asked.together else list(run(stage, faults, asked.steps))
            meetings = list(met(stage, asked.steps)) if asked.together and isinstance(stage, KubectlStage) else []
    return summed_up(trials) or summed(meetings)


@contextmanager
def disk(place: Path) -> Iterator[bool]:
    """Mount a small disk to fill; tell whether there is the right to."""
    options = f"size={DISK_MIB}m,mode=700"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(place)], capture_output=True, check=False)
    if done.returncode != 0:
        print("no disk can be mounted here, so none is filled")
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(place)], capture_output=True, check=False)


def made(cluster: LocalCluster, scratch: Path, tool: str) -> Repo:
    """Return a repo on a machine with a kubectl, or a helm and its diff plugin."""
    (scratch / "home").mkdir()
    kubectl = tools.need("kubectl", CLIENTS[cluster.minor]).path
    place = (cluster, Server(cluster), kubectl, scratch / "repo", "faults", scratch / "home")
    repo = HelmRepo(*place, helm=helm_of(cluster), plugins=plugins()) if tool == "helm" else Repo(*place)
    repo.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": repo.namespace}})
    return repo


def helm_of(cluster: LocalCluster) -> Path:
    """Return the helm of the cluster's minor."""
    return tools.need("helm", HELMS[cluster.minor]).path


def plugins() -> Path:
    """Return the directory of helm's plugins."""
    return tools.need(tools.PLUGIN, tools.PLUGIN_WANTED).path.parent


def run(stage: Stage, faults: list[Fault], some: str) -> Iterator[Trial]:
    """Run each fault at each step of a deploy where it can strike."""
    steps = stage.rehearse()
    struck = {(each.step, each.number): each for each in stage.proxy.seen}
    for fault in faults:
        places = [step for step in steps if fault.only(struck[step])]
        for step, number in [*([(VERSION, 1)] if fault.version else []), *places]:
            if not re.search(some, f"{step}:{number}") or (fault.python is JUMPING and number != 1):
                continue
            begun = time.monotonic()
            trial = stage.trial(fault, step, number)
            print(f"{trial.line} | {time.monotonic() - begun:.1f} s", flush=True)
            for check, why in trial.wrong.items():
                print(f"    {check}: {why}", flush=True)
            yield trial


def met(stage: KubectlStage, some: str) -> Iterator[Meeting]:
    """Have someone come at each step of a deploy, and of a first one."""
    steps, of_first = stage.rehearse(), first_steps(stage)
    places = [*((meeting, step) for meeting in MEETINGS for step in steps), *((first, step) for step in of_first)]
    for meeting, step in places:
        if not re.search(some, f"{step[0]}:{step[1]}"):
            continue
        anew(stage)
        found = meeting(stage, step)
        print(found.line, flush=True)
        yield found


def summed(meetings: list[Meeting]) -> int:
    """Print a line for each who came: how often, how often something went and was told of, how often all held."""
    for who in dict.fromkeys(meeting.who for meeting in meetings):
        of_them = [meeting for meeting in meetings if meeting.who == who]
        told, held = sum(bool(meeting.lost) for meeting in of_them), sum(not meeting.wrong for meeting in of_them)
        print(f"| {who} | {len(of_them)} | {told} | {held} |")
    return 1 if any(meeting.wrong for meeting in meetings) else 0


def summed_up(trials: list[Trial]) -> int:
    """Print a line a fault: trials, those deployed all the same, those to recover, and in how many each check held."""
    if not trials:
        return 0
    checks = trials[0].checks
    print(f"\n| fault | steps | deployed | recovered | {' | '.join(checks)} |")
    for name in dict.fromkeys(trial.fault for trial in trials):
        of_it = [trial for trial in trials if trial.fault == name]
        held = [sum(check not in trial.wrong for trial in of_it) for check in checks]
        deployed = sum(trial.outcome == "deployed" for trial in of_it)
        recovered = sum(trial.recovered for trial in of_it)
        print(f"| {name} | {len(of_it)} | {deployed} | {recovered} | {' | '.join(map(str, held))} |")
    return 1 if any(trial.wrong for trial in trials) else 0


if __name__ == "__main__":
    sys.exit(main())
