import json
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from recorder import volatile
from recorder.standins import StandIns
from recorder.timeline import Timeline

START = datetime(2026, 11, 30, 12, 30, 0, tzinfo=UTC).timestamp()
ONE = "2f1a7f0e-9d6c-4d1b-8a57-0c2a4f0e1b11"
TWO = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def timeline() -> Timeline:
    return Timeline(START - 60, starts=[(int(START), 1), (int(START) + 5, 2)])


def replaced(*texts: str) -> list[str]:
    stand_ins = StandIns(timeline(), texts)
    return [stand_ins.replace(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"uid: {ONE}", "uid: <uid-1>"),
        (f'"uid": "{ONE}"', '"uid": "<uid-1>"'),
        (f'k:{{\\"uid\\":\\"{ONE}\\"}} "uid": "{ONE}"', 'k:{\\"uid\\":\\"<uid-1>\\"} "uid": "<uid-1>"'),
        ('resourceVersion: "1234"', 'resourceVersion: "<resource-version-1>"'),
        ('"resourceVersion": "1234",', '"resourceVersion": "<resource-version-1>",'),
        ('"resourceVersion": ""', '"resourceVersion": ""'),
        ('creationTimestamp: "2026-11-30T12:30:04Z"', 'creationTimestamp: "<time-step-1>"'),
        ('time: "2026-11-30T12:30:05Z"', 'time: "<time-step-2>"'),
        ('time: "2026-11-30T12:29:59Z"', 'time: "<time-step-0>"'),
        ('time: "2026-11-30T12:30:07.123456Z"', 'time: "<time-step-2>"'),
        ('"updated":"2026-11-30T12:30:07.216932114Z"', '"updated":"<time-step-2>"'),
        ("deployedAt: 2026-11-30T13:30:04.21+01:00", "deployedAt: <time-step-1>"),
        ("LAST DEPLOYED: Mon Nov 30 12:30:05 2026\nSTATUS: deployed",
         "LAST DEPLOYED: <time-step-2>\nSTATUS: deployed"),
        ("UPDATED: Tue Dec  1 12:30:05 2026", "UPDATED: <time-step-2>"),
        ("since Wed Jan  1 00:00:00 2020", "since Wed Jan  1 00:00:00 2020"),
        (f'"labels":{{"modifiedAt":"{int(START) + 1}","name":"web"}}',
         '"labels":{"modifiedAt":"<time-step-1>","name":"web"}'),
        ('"modifiedAt":"12"', '"modifiedAt":"12"'),
        ('2026/11/30 12:30:05 Error: Found duplicate key "a"', 'Error: Found duplicate key "a"'),
        ("see logs/2026/11/30 12:30:05 there", "see logs/2026/11/30 12:30:05 there"),
        ("open <tmp>/existing-values123: and <tmp>/new-values7", "open <tmp>/existing-values1: and <tmp>/new-values2"),
        ("can't move <root>/worker/tmpcharts-4711/queue", "can't move <root>/worker/tmpcharts-1/queue"),
        ('expires: "2020-01-01T00:00:00Z"', 'expires: "2020-01-01T00:00:00Z"'),
        ("clusterIP: 10.96.0.0", "clusterIP: 10.96.0.0"),
        ("clusterIP: None", "clusterIP: None"),
        ("clusterIP: 10.96.3.4\nclusterIPs:\n- 10.96.3.4", "clusterIP: <cluster-ip-1>\nclusterIPs:\n- <cluster-ip-1>"),
        ('"clusterIP": "10.96.3.4", "clusterIPs": ["10.96.3.4"]',
         '"clusterIP": "<cluster-ip-1>", "clusterIPs": ["<cluster-ip-1>"]'),
        ("clusterIP: 10.96.3.4 10.96.3.40 110.96.3.4", "clusterIP: <cluster-ip-1> 10.96.3.40 110.96.3.4"),
        ("diff <tmp>/LIVE-918273/a <tmp>/MERGED-5/a", "diff <tmp>/LIVE-1/a <tmp>/MERGED-2/a"),
        ("LIVE-918273", "LIVE-918273"),
        ("--- <tmp>/LIVE-7/a b\t2026-11-30 12:30:01.123456789 +0000", "--- <tmp>/LIVE-1/a b"),
        ("+++ x\t2026-11-30 12:30:01 -0700", "+++ x"),
        ("W1130 12:30:56.617960   21891 diff.go:723] keeps changing", "W diff.go:723] keeps changing"),
        ("I was there at 1130 12:30", "I was there at 1130 12:30"),
        ('Get "https://127.0.0.1:40123/api": dial tcp 127.0.0.1:40123: refused',
         'Get "https://127.0.0.1:<port-1>/api": dial tcp 127.0.0.1:<port-1>: refused'),
        ("generation: 3\nobservedGeneration: 3\nreplicas: 2", "generation: 3\nobservedGeneration: 3\nreplicas: 2"),
        ('image: "registry:5000/a"', 'image: "registry:5000/a"'),
    ],
)  # fmt: skip
def test_each_volatile_thing_has_its_stand_in_and_nothing_else_is_edited(text: str, expected: str) -> None:
    assert replaced(text) == [expected]


def test_stand_ins_are_numbered_by_first_appearance_over_all_texts() -> None:
    assert replaced(f"uid: {TWO}\nuid: {ONE}", f"uid: {ONE}") == ["uid: <uid-1>\nuid: <uid-2>", "uid: <uid-2>"]


def test_a_uid_is_replaced_wherever_it_stands_also_before_it_is_known() -> None:
    assert replaced(f"controller-uid: {ONE}\nname: job-{ONE}", f"uid: {ONE}") == [
        "controller-uid: <uid-1>\nname: job-<uid-1>",
        "uid: <uid-1>",
    ]


def test_a_uuid_that_is_nobodys_uid_stays() -> None:
    assert replaced(f"data: {ONE}", f"uid: {TWO}") == [f"data: {ONE}", "uid: <uid-1>"]


def test_equal_stays_equal_and_different_stays_different() -> None:
    text = 'resourceVersion: "1"\nresourceVersion: "2"\nresourceVersion: "1"'
    assert replaced(text) == [
        "\n".join(f'resourceVersion: "<resource-version-{number}>"' for number in (1, 2, 1)),
    ]


def a_document(uid: str, version: int, second: int) -> dict[str, object]:
    time = datetime.fromtimestamp(START + second, UTC).isoformat().replace("+00:00", "Z")
    return {
        "metadata": {
            "uid": uid,
            "resourceVersion": str(version),
            "creationTimestamp": time,
            "generation": version,
            "labels": {"owner": uid},
        },
        "spec": {"clusterIP": "10.96.1.2", "clusterIPs": ["10.96.1.2"], "replicas": version},
    }


@given(uid=st.uuids().map(str), version=st.integers(1, 10**9), second=st.integers(0, 1000), write=st.booleans())
def test_a_document_stays_what_it_was_and_runs_of_one_behaviour_become_the_same(
    uid: str, version: int, second: int, write: bool
) -> None:
    def text(tree: object) -> str:
        return json.dumps(tree) if write else yaml.safe_dump(tree)

    (one,) = replaced(text(a_document(uid, version, second)))
    tree = yaml.safe_load(one)
    assert tree["metadata"]["uid"] == tree["metadata"]["labels"]["owner"] == "<uid-1>"
    assert tree["metadata"]["resourceVersion"] == "<resource-version-1>"
    assert tree["metadata"]["generation"] == tree["spec"]["replicas"] == version
    assert tree["metadata"]["creationTimestamp"] == f"<time-step-{1 if second < 5 else 2}>"
    assert list(volatile.find(one)) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"name: {ONE}", "a uid"),
        ("at 2026-11-30T12:30:00Z", "a time"),
        ("at 2026-11-30 12:30:00", "a time"),
        ("at 2026/11/30 12:30:00", "a time"),
        ("LAST DEPLOYED: Mon Nov  3 21:04:54 2026", "a time"),
        ('"modifiedAt":"1796072697"', "a time"),
        ("goroutine 1 [running]:", "a crash"),
        ("panic: runtime error", "a crash"),
        ("existing-values123456", "a temporary directory"),
        ("tmpcharts-4711", "a temporary directory"),
        ('"resourceVersion": "12"', "a resource version"),
        ("/LIVE-12345/", "a temporary directory"),
        ("localhost:8080", "a port"),
        ("10.96.12.1", "a cluster address"),
        ("W1130 12:30:56.617960   21891 diff.go:723]", "a log prefix"),
        ("open /tmp/x: no", "a path of a machine"),
        ("open /home/someone/.kube/config", "a path of a machine"),
        ("Bearer abcdefgh12", "a token"),
        ("-----BEGIN CERTIFICATE-----", "a token"),
    ],
)
def test_what_has_no_stand_in_is_found_by_line_and_kind(text: str, what: str) -> None:
    assert list(volatile.find(f"fine\n{text}\n")) == [(2, what)]
    assert list(volatile.find(f"fine\n{text}\n", stated=f"a: {text}")) == []


@pytest.mark.parametrize(
    "text",
    [
        "10.96.0.0",
        "<tmp>/LIVE-12",
        '"buildDate": "2026-09-23T17:10:04Z"',
        "<root>/home/x",
        "node/home/x",
        '"modifiedAt":"<time-step-1>"',
        "don't panic: wait",
        "2026-11/30 12:30:00",
    ],
)
def test_what_is_stable_is_not_found(text: str) -> None:
    assert list(volatile.find(text)) == []
