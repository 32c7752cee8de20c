"""The recorder's command line: ``python -m recorder``, ``sluiceway-recorder``."""


def main() -> None:
    """Run the command line. The application is loaded here so that importing this module costs nothing."""
    from recorder.cli import app  # noqa: PLC0415  # typer is heavy

    app()


if __name__ == "__main__":
    main()
