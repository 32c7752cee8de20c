"""The recorder's command line: ``python -m recorder``, ``sluiceway-recorder``."""

import signal
from typing import NoReturn


def main() -> None:
    """Run the command line. The application is loaded here so that importing this module costs nothing."""
    from recorder.cli import app  # noqa: PLC0415  # typer is heavy

    signal.signal(signal.SIGTERM, _terminated)
    app()


def _terminated(number: int, _frame: object) -> NoReturn:
    """Leave in order, so that what was begun is cleaned up."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
