"""The options of a stack with ``tool: helm`` (record 0069; ``spec/core.md``)."""

from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from sluiceway.adapters.helm import rules
from sluiceway.adapters.options import Maybe, Misfits, Namespace, Options, Text, text_of

Release = Annotated[
    str,
    text_of(
        rules.RELEASE,
        "at most 53 lower-case letters, digits, `-` and `.`, a letter or digit first and last and around each `.`",
    ),
]
Chart = Annotated[str, Text(rules.chart, f"{rules.LOCAL_CHART}|{rules.REFERENCE}")]
Version = Annotated[
    str, text_of(rules.VERSION, "one exact version, such as `1.2.3` or `1.2.3-rc.1`: no range, no `latest`")
]
ValuesFile = Annotated[str, Text(rules.values_file, rules.VALUES_FILE)]


class HelmOptions(Options):
    """What a Helm stack is: one release, made from one chart."""

    fits: ClassVar[Misfits | None] = rules.misfits

    # What `misfits` says, for an editor.
    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"chart": {"pattern": f"^(?:{rules.LOCAL_CHART})$"}}, "required": ["chart"]},
            "then": {"properties": {"version": False}},
            "else": {"required": ["version"]},
        }
    )

    release: Release = Field(description="The name of the release.", examples=["web"])
    namespace: Namespace = Field(description="The namespace of the release (`--namespace`).", examples=["shop"])
    chart: Chart = Field(
        description=(
            "The chart: `./path` or `../path` for one of this repo, relative to the stack's directory, "
            "else `repo/name` or `oci://host/path`."
        ),
        examples=["./", "../charts/web", "bitnami/redis", "oci://registry.example.com/charts/redis"],
    )
    version: Maybe[Version] = Field(
        default=None,
        description=(
            "The exact version of a chart that is not of this repo (`--version`): required there, and refused for a "
            "local chart."
        ),
        examples=["1.2.3"],
    )
    values_files: list[ValuesFile] = Field(
        default=[],
        description=(
            "The values files, relative to the stack's directory, inside the repo (`--values`). "
            "Of two that set one value the later one counts."
        ),
        examples=[["values-prod.yaml", "../common.yaml"]],
    )
    create_namespace: bool = Field(
        default=False,
        description="Let a deploy make the namespace where it is not there (`--create-namespace`).",
    )
