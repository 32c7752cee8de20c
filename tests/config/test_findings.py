from sluiceway.config.findings import LONGEST, Finding, Position, printable, problems_of
from sluiceway.model.stacks import Problem


def test_problems_stand_in_the_order_of_the_file() -> None:
    findings = [
        Finding(Position(2, 9), ("b",), "second of its line"),
        Finding(Position(10, 1), ("c",), "last"),
        Finding(Position(2, 1), ("a", 0, "x"), "first"),
    ]
    assert problems_of(findings, "sluiceway.yml") == (
        Problem("sluiceway.yml", 2, "a[0].x", "first"),
        Problem("sluiceway.yml", 2, "b", "second of its line"),
        Problem("sluiceway.yml", 10, "c", "last"),
    )


def test_a_problem_of_another_file_names_it_and_keeps_its_turn() -> None:
    findings = [
        Finding(Position(9, 1), ("b",), "later"),
        Finding(Position(3, 1), ("a",), "earlier", "web/x.yaml", 77),
    ]
    assert [(problem.file, problem.line) for problem in problems_of(findings, "sluiceway.yaml")] == [
        ("web/x.yaml", 77),
        ("sluiceway.yaml", 9),
    ]


def test_text_of_a_file_is_made_fit_for_one_line() -> None:
    assert printable("é a\nb\x1b[0m\u2028") == "é a\\nb\\x1b[0m\\u2028"
    assert printable("x" * 300) == "x" * (LONGEST - 1) + "…"
