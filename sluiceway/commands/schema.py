"""``sluiceway schema``: JSON Schemas, for editors and for programs that read our JSON."""

import json

from sluiceway.commands.output import Output
from sluiceway.commands.settings import Exit, Which


def run(output: Output, which: Which) -> int:
    """Print the schema."""
    output.text(json.dumps(_schema(which), indent=2, ensure_ascii=False) + "\n")
    return Exit.DONE


def _schema(which: Which) -> dict[str, object]:
    if which is Which.OUTPUT:
        from sluiceway.reports.schema import output_schema  # noqa: PLC0415 - only for this one

        return output_schema()
    if which is Which.RESULT:
        from sluiceway.commands.dashboard.result import result_schema  # noqa: PLC0415 - only for this one

        return result_schema()
    from sluiceway.config import json_schema  # noqa: PLC0415 - only for this one

    return json_schema()
