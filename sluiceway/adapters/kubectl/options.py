"""The options of a stack with ``tool: kubectl`` (records 0060 and 0070; ``spec/core.md``)."""

from typing import Annotated

from pydantic import Field

from sluiceway.adapters.options import Line, Maybe, Namespace, Options, Whole, text_of

FieldManager = Annotated[
    str,
    text_of(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}",
        "at most 128 letters, digits, `.`, `_` and `-`, a letter or digit first",
    ),
]


class KubectlOptions(Options):
    """What a kubectl stack can set. Each is off by default; none changes a hash or a command line unless it is set."""

    context: Maybe[Line] = Field(
        default=None,
        description="The kubeconfig context that names the cluster (`--context`). Without it kubectl's current one.",
    )
    namespace: Maybe[Namespace] = Field(
        default=None,
        description="The namespace of objects that name none (`--namespace`). Without it the context's.",
    )
    recursive: bool = Field(
        default=False,
        description="Read the manifests of every subdirectory too, like `kubectl apply -R`. Not for a kustomization.",
    )
    prune: bool = Field(
        default=False,
        description=(
            "Show an object that was taken out of the manifests as a delete, and delete it with the deploy. "
            "Keeps a list of the stack's objects in a ConfigMap beside them."
        ),
    )
    force_conflicts: bool = Field(
        default=False,
        description="Take over fields that another field manager holds (`--force-conflicts`) instead of failing.",
    )
    allow_empty: bool = Field(
        default=False,
        description="Accept a stack whose manifests hold no object. With `prune`, that deletes all it had.",
    )
    field_manager: Maybe[FieldManager] = Field(
        default=None,
        description="The name that the API server keeps for the fields this stack sets (`--field-manager`). "
        "Without it kubectl's own, `kubectl`.",
    )
    concurrency: Maybe[Annotated[int, Whole(1, 64)]] = Field(
        default=None,
        description="How many objects `kubectl diff` asks for side by side (`--concurrency`). Without it one.",
    )
