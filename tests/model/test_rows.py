from sluiceway.model.changes import Change
from sluiceway.model.rows import Row, counts


def test_changes_are_counted_by_op_and_tracking_apart() -> None:
    changes = (
        Change("a", "A", "a", "create"),
        Change("b", "A", "b", "update", ("k",)),
        Change("c", "A", "c", "update", ("k",), tracking="move", previous_address="z"),
        Change("d", "A", "d", "replace", ("k",)),
        Change("e", "A", "e", "delete"),
        Change("f", "A", "f", "none", tracking="import"),
        Change("g", "A", "g", "none", tracking="forget"),
    )
    assert counts(changes) == {"create": 1, "update": 2, "replace": 1, "delete": 1, "tracking": 3}
    assert counts(()) == {"create": 0, "update": 0, "replace": 0, "delete": 0, "tracking": 0}


def test_a_row_says_nothing_of_drift_where_it_was_not_asked_for() -> None:
    row = Row("web", "kubectl", "in-sync")
    assert (row.drift, row.drift_checked, row.drift_reason) == (None, None, None)
    assert (row.hash, row.reason, row.outcome) == (None, None, None)
