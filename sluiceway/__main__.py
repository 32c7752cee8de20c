"""Where the program starts."""

import sys


def main() -> int:
    """Do what the command line says, and return the exit code (``spec/core.md``, Commands of the runtime)."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        # The answer must not wait for anything to be imported: scripts ask for it.
        from sluiceway import __version__  # noqa: PLC0415

        print(f"sluiceway {__version__}")  # noqa: T201 - what was asked for
        return 0
    try:
        from sluiceway.cli import run  # noqa: PLC0415 - see above

        return run(arguments)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
