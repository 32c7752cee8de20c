"""What a chart renders by chance is never deployed, and what its values hold is never seen."""

from base64 import b64encode

import pytest

from tests.live.helm_repo import HelmRepo
from tests.live.repo import SECRET, Answer, config_map, documents, secret

pytestmark = pytest.mark.live

FORMS = ("text", "json", "markdown")


def hidden(answer: Answer, *texts: str) -> Answer:
    """Check that no text, nor its base64, is in what was said."""
    for text in texts:
        for form in (text, b64encode(text.encode()).decode()):
            assert form not in answer.out + answer.err
    return answer


def test_what_is_rendered_by_chance_never_deploys(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    random = "apiVersion: v1\nkind: Secret\nmetadata: {name: made}\nstringData: {p: {{ randAlphaNum 12 | quote }} }\n"
    shop.chart(config_map("c"), text=random)

    answer = shop.deploy(shop.preview().row["hash"])

    assert (answer.code, answer.row["outcome"], answer.argv("upgrade")) == (1, "moved", [])
    reason = answer.row["reason"]
    assert (reason["detail"], reason["names"]) == ("random-render", {"objects": f"Secret/{shop.namespace}/made"})
    assert (shop.statuses(), shop.config_maps()) == ([], set())


ENDS = {
    "fails": "fail .Values.password",
    "requires": "required .Values.password .Values.none",
    "prints": 'fail (printf "%s\\n  %s" .Values.password .Values.lines)',
}


def test_a_template_that_prints_a_value_and_fails(shop: HelmRepo) -> None:
    shop.configure(*(shop.stack(name, valuesFiles=["prod.yaml"]) for name in ENDS))
    lines = f"{SECRET}-first line\n{SECRET}-second line"
    for name, ends in ENDS.items():
        shop.chart(text=f"{{{{ {ends} }}}}\n", path=name)
        shop.write(f"{name}/prod.yaml", documents({"password": f"{SECRET}-pass", "lines": lines}))
    words = (f"{SECRET}-pass", f"{SECRET}-first line", f"{SECRET}-second line")

    for form in FORMS:
        seen = hidden(shop.run("preview", f"--format={form}", "--verbose"), *words)
        assert seen.code == 1
        assert all(f"{name}/templates/all.yaml" in seen.out for name in ENDS)
        assert seen.err.count("***") >= len(ENDS)
    hidden(shop.run("drift", "--verbose"), *words)
    for name in ENDS:
        hidden(shop.run("diff", name, "--verbose"), *words)
    hashes = [f"--hash={name}={'0' * 16}" for name in ENDS]
    hidden(shop.run("deploy", *ENDS, *hashes, "--verbose", "--format=text"), *words)


def test_a_secret_is_on_no_surface(shop: HelmRepo) -> None:
    shop.configure(shop.stack(valuesFiles=["prod.yaml"]), dashboard={"showValues": ["data.*", "stringData.*", "data"]})
    constant = secret("constant", p=f"{SECRET}-constant-1", multi=f"{SECRET}-one\n{SECRET}-two\n")
    text = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
        "data: {p: {{ .Values.password | b64enc }}, q: {{ .Values.other | b64enc }} }\nstringData: {r: plain}\n"
    )
    shop.chart(constant, config_map("c", data={"k": "one"}), text=text)
    values = {"password": f"{SECRET}-pass-1", "other": f"{SECRET}-other-1"}
    shop.write("app/prod.yaml", documents(values))
    words = [f"{SECRET}-{word}" for word in ("constant-1", "constant-2", "one", "two", "pass-1", "pass-2", "other-1",
                                             "other-2", "hand")]  # fmt: skip

    def look() -> str:
        """Ask in every way; return the hash with drift."""
        for command, form in (("preview", "text"), ("preview", "markdown"), ("drift", "text")):
            assert hidden(shop.run(command, "--verbose", f"--format={form}"), *words).code == 0
        shown = hidden(shop.run("diff", "app", "--verbose"), *words)
        assert shown.code == 0
        return str(hidden(shop.drift("--verbose"), *words).row["hash"])

    hidden(shop.deploy(look(), "--verbose"), *words)
    shop.by_hand("patch", "secret", "s", f'-p={{"stringData":{{"q":"{SECRET}-hand"}}}}')
    constant["stringData"]["p"] = f"{SECRET}-constant-2"
    shop.chart(constant, config_map("c", data={"k": "two"}), text=text)
    shop.write("app/prod.yaml", documents(values))
    shop.write("app/more.yaml", documents({"unused": f"{SECRET}-pass-2"}))
    shop.configure(shop.stack(valuesFiles=["prod.yaml", "more.yaml"]))
    seen = shop.drift()
    assert seen.changes[f"Secret/{shop.namespace}/constant"] == ["data"]
    assert seen.drift == {f"Secret/{shop.namespace}/s": ["data"]}
    deployed = hidden(shop.deploy(look(), "--verbose", "--repair-drift"), *words)
    assert (deployed.code, deployed.row["outcome"]) == (0, "deployed"), deployed.row
    assert shop.drift().row["state"] == "in-sync"


def test_a_value_that_the_cluster_refuses_stays_inside(shop: HelmRepo) -> None:
    shop.configure(shop.stack("number"), shop.stack("base64"), shop.stack("shape"))
    number = 98765432.125
    shop.chart({**secret("number"), "stringData": {"p": number}}, path="number")
    shop.chart({**secret("letters"), "stringData": {}, "data": {"p": f"{SECRET} is no base64"}}, path="base64")
    shop.chart({**secret("tree"), "stringData": {"p": {"q": [f"{SECRET}-5"]}}}, path="shape")

    for command in ("preview", "drift"):
        seen = shop.run(command, "--verbose", "--format=json")
        assert str(number) not in seen.out + seen.err
        assert "9.8765432125e+07" not in seen.out + seen.err
    row = seen.rows
    hashes = [f"--hash={name}={each.get('hash', '0' * 16)}" for name, each in row.items()]
    done = shop.run("deploy", *row, *hashes, "--verbose", "--format=json")
    assert str(number) not in done.out + done.err
    assert "9.8765432125e+07" not in done.out + done.err
    assert not {each.get("outcome") for each in done.rows.values()} & {"deployed", "in-sync"}
    assert shop.server.names("v1", "Secret", shop.namespace) == set()
