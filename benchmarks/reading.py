"""Reading and comparing a diff of changed Deployments, against libyaml's C loader on both sides. CPU seconds.

    python benchmarks/reading.py [--objects 500]

The diff is made here with the system's diff program from objects as an API server prints them.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import yaml
from timing import best

from sluiceway.adapters.kubectl.diff_output import read_diff, read_hunks
from sluiceway.adapters.kubernetes import fold

OBJECT = """apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    deployment.kubernetes.io/revision: "1"
  creationTimestamp: "2026-11-30T12:00:00Z"
  generation: {tag}
  labels:
    app: web-{number}
  name: web-{number}
  namespace: bench
  resourceVersion: "1{number}"
  uid: 00000000-0000-0000-0000-{number:012d}
spec:
  progressDeadlineSeconds: 600
  replicas: 0
  revisionHistoryLimit: 10
  selector:
    matchLabels:
      app: web-{number}
  strategy:
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
    type: RollingUpdate
  template:
    metadata:
      labels:
        app: web-{number}
    spec:
      containers:
      - env:
        - name: A
          value: "1"
        image: nginx:{tag}
        imagePullPolicy: IfNotPresent
        name: web
        ports:
        - containerPort: 80
          protocol: TCP
        resources:
          requests:
            cpu: 10m
            memory: 16Mi
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {{}}
      terminationGracePeriodSeconds: 30
status:
  observedGeneration: 1
"""


def main() -> None:
    """Make the diff and print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=500)
    output = _diff(parser.parse_args().objects)
    ours = best(lambda: _compared(output))
    theirs = best(lambda: _loaded(output))
    print(f"{len(output)} bytes: read and compared {ours:.3f} s, loaded by libyaml {theirs:.3f} s, {ours / theirs:.2f}")


def _diff(objects: int) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        for side, tag in (("LIVE", "1"), ("MERGED", "2")):
            (Path(scratch) / side).mkdir()
            for number in range(objects):
                file = Path(scratch) / side / f"apps.v1.Deployment.bench.web-{number}"
                file.write_text(OBJECT.format(number=number, tag=tag))
        argv = ["diff", "-N", "-r", "-U1000000", "LIVE", "MERGED"]
        return subprocess.run(argv, cwd=scratch, capture_output=True, check=False, timeout=60).stdout


def _compared(output: bytes) -> int:
    return sum(len(fold.differing(d.live, d.merged.tree)) for d in read_diff(output) if d.live and d.merged)


def _loaded(output: bytes) -> None:
    for hunk in read_hunks(output.decode()):
        yaml.load(hunk.live, Loader=yaml.CSafeLoader)
        yaml.load(hunk.merged, Loader=yaml.CSafeLoader)


if __name__ == "__main__":
    main()
