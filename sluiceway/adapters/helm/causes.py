"""What makes helm fail, by fixed patterns over the cause that it names (:mod:`sluiceway.adapters.helm.said`)."""

from sluiceway.adapters.helm.chart_causes import IN_THE_LOG, OF_THE_CHART, OF_THE_REFERENCE
from sluiceway.adapters.helm.said import FILE
from sluiceway.adapters.kubernetes.patterns import NAME, Pattern
from sluiceway.adapters.kubernetes.refusals import KIND_FIRST, NO_SUCH_KIND, REFUSALS

HISTORY = "`helm history <release> --namespace=<namespace>`"
UNINSTALL = "`helm uninstall <release> --namespace=<namespace>`"
ROLLBACK = "`helm rollback <release> <revision> --namespace=<namespace>`"

PARTS = {
    "<invalid>": r'(?P<kind>[A-Za-z][A-Za-z0-9]{0,62})(?:\.[a-z0-9.-]{1,200})? "(?P<object><name>)" is invalid',
    "<refuses>": r'<name> "<name>" is invalid',
    "<denies>": "",
    "<server>": "(?:<storing>)?",
    "<storing>": "(?:create: failed to create|update: failed to update|query: failed to query with labels): ",
    "<unread>": r"(?:cannot unmarshal yaml document: )?error converting YAML to JSON: |"
    r"cannot unmarshal yaml document: |error unmarshaling JSON: ",
    "<at>": r"(?:(?P<file><a file>)|[^\n()]{1,400}?):(?P<line>\d+)(?::\d+)?",
    "<pulls>": r'(?:failed to resolve [^\s"]{1,400}: |failed to perform "[A-Za-z]{1,40}" on source: )',
    "<url>": r'"https?://(?P<chart>[A-Za-z0-9._-]{1,253}(?::\d+)?)/v2(?P<below>/[a-z0-9._/-]{1,300})/manifests/'
    r'(?P<version>[A-Za-z0-9][A-Za-z0-9.+_-]{0,127})"',
    "<a chart>": r"(?P<chart>[A-Za-z0-9][A-Za-z0-9._-]{0,252}(?::\d{1,5})?(?:/[A-Za-z0-9._/-]{0,300})?)",
    "<a version>": r"(?P<version>[A-Za-z0-9][A-Za-z0-9.+_-]{0,127})",
    "<quoted>": r"\"[^\"\n]{0,400}\"",
    "<a file>": FILE,
    "<name>": NAME,
    "<end>": r"(?=$|: |\]|, )",
}
"""The parts of the expressions, outer ones first."""

_OF_THE_RELEASE = (
    Pattern(
        "release-pending",
        r"another operation \(install/upgrade/rollback\) is in progress",
        "a deploy is at work on {the_release}, or was killed half-way, and helm refuses the next one",
        f"If nothing is at work: {HISTORY} shows which revision is deployed, and {ROLLBACK} goes back to it (name it: "
        f"without a revision helm goes back by one, to a failed one too). Where none ever was, {UNINSTALL}.",
    ),
    Pattern(
        "release-pending",
        r'"<name>" has no deployed releases',
        "{the_release} has no revision that is deployed: an uninstall of it was cut off",
        f"{UNINSTALL} brings it to its end; {ROLLBACK} with the last one of {HISTORY} takes it back.",
    ),
    Pattern(
        "conflict",
        r'(?=conflict occurred while applying object [^\s"]{1,600} [A-Za-z0-9./-]+, Kind=<name>: Apply failed with )',
        "another field manager ({managers}) holds {fields}{in_object}which the chart sets",
        "Where `sluiceway drift` shows the field, a deploy with --repair-drift takes it back. Where the code changes "
        "it too, no drift is shown: put the value before into the chart, repair, and change it then. Or take the "
        "field out of the chart.",
    ),
    Pattern(
        None,
        r'(?P<kind><name>) "(?P<object><name>)" in namespace "(?P<namespace><name>)?" exists and cannot be imported '
        r"into the current release: invalid ownership metadata; "
        r'(?:label validation error: [^;"\n]{0,80}"[^";\n]{1,80}"[^;"\n]{0,40}"[^";\n]{0,80}"'
        r'(?:: current value is "[^";\n]{0,80}")?; )?'
        r'(?:annotation validation error: key "meta\.helm\.sh/release-name" must equal "<name>": '
        r'current value is "(?P<owner><name>)"(?=$|; ))?',
        "{kind} {object} is there already, and is not this release's: {owned}",
        "Give one of them another name, or hand the object over by hand: sluiceway never takes one from another owner.",
    ),
    Pattern(None, r"release: not found", "{the_release} is not there", "Deploy it."),
)

_OF_THE_CLUSTER = (
    Pattern(
        "denied",
        r'<storing>(?P<resource><name>)(?: "<name>")? is forbidden: '
        r'User "[^"\n]{1,300}" cannot (?P<verb>[a-z]{1,20}) resource',
        "the kubeconfig's user may not {verb} {resource}, in which helm keeps the release",
        "Grant it in the namespace of the release (docs: rights).",
    ),
    Pattern(
        "namespace-missing",
        r'create: failed to create: namespaces "(?P<namespace><name>)" not found<end>',
        "the namespace {namespace} is not there",
        "Set createNamespace: true in the stack's options, or make it in a stack of its own that is deployed before "
        "(dependsOn).",
    ),
    Pattern(
        "namespace-missing",
        r'<server>namespaces "(?P<namespace><name>)" not found<end>',
        "the namespace {namespace}, which an object of the chart names, is not there",
        "Make it in a stack of its own that is deployed before (dependsOn): createNamespace makes only the release's.",
    ),
    Pattern(
        "kind-unknown",
        r'\[?(?:unable to recognize "": |'
        r"resource mapping not found for name: <quoted> namespace: <quoted> from <quoted>: )"
        r'no matches for kind "(?P<kind><name>)" in version "(?P<version>[A-Za-z0-9.-]{1,200}/?[A-Za-z0-9.-]{0,60})"',
        NO_SUCH_KIND,
        KIND_FIRST,
    ),
    Pattern(
        "denied",
        r"[Kk]ubernetes cluster unreachable: the server has asked for the client to provide credentials",
        "the cluster does not know the kubeconfig's user",
        "Log in again, or renew the credentials of the job.",
    ),
    Pattern(
        None,
        r'[Kk]ubernetes cluster unreachable: context "(?P<context><name>)" does not exist',
        "the kubeconfig has no context {context}",
        "Name one of `kubectl config get-contexts` in HELM_KUBECONTEXT, or make the kubeconfig that has it.",
    ),
    Pattern(
        None,
        r"[Kk]ubernetes cluster unreachable",
        "the cluster can't be reached",
        "Check the kubeconfig, its context and the network of the job.",
    ),
    Pattern(
        None,
        r'error validating "": error validating data: ',
        "the chart renders an object that is not as the cluster's schema wants it",
        f"Mend the chart or the values. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r'unable to decode "": |error parsing : ',
        "the chart holds an object that helm can't read",
        f"Mend the chart or the values. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"failed to (?:create typed patch|convert new) object \([^;\n]{1,300}; [^,\n]{1,200}, Kind=(?P<kind><name>)\)"
        r"(?:: [^\n]{1,400}: expected | to proper version: )",
        "the cluster can't read the {kind}{named}: a value is not of the type that its field has",
        "Which field and why stands in the job log.",
    ),
    Pattern(
        None,
        r'(?P<kind><name>) in version "[^"\n]{1,200}" cannot be handled as a ',
        "the cluster can't read the {kind}{named}: a value is not of the type that its field has",
        "Which field and why stands in the job log.",
    ),
)

_IN_TIME = "Look at it in the cluster; helm waits five minutes for each step."

_WHILE_WAITING = (
    Pattern(
        None,
        r"resource (?P<kind><name>)/(?:<name>)?/(?P<object><name>) not ready\. status: Failed,",
        "{kind} {object} failed",
        "Look at it in the cluster: its events and logs say why.",
    ),
    Pattern(
        None,
        r"resource (?P<kind><name>)/(?:<name>)?/(?P<object><name>) not ready\. status: ",
        "{kind} {object} was not ready in time",
        _IN_TIME,
    ),
    Pattern(
        None,
        r"(?P<kind>job|pod) (?P<object><name>) failed",
        "the {kind} {object} failed",
        "Look at it in the cluster: its events and logs say why.",
    ),
    Pattern(
        None,
        r"(?:client rate limiter Wait returned an error: )?context deadline exceeded|"
        r"timed out waiting for the condition",
        "something was not ready in time",
        _IN_TIME,
    ),
    Pattern(None, r"context canceled", "helm was asked to end", "Run it again."),
)

_OF_THE_PLUGIN = (
    Pattern(
        None,
        r"Error reading input: bufio\.Scanner: token too long",
        "an object of more than 10 MiB is more than helm's diff plugin reads",
        "Make it smaller, or take it out of the chart.",
    ),
)

CAUSES = (
    *_OF_THE_RELEASE,
    *_OF_THE_CLUSTER,
    *REFUSALS,
    *_WHILE_WAITING,
    *OF_THE_CHART,
    *OF_THE_REFERENCE,
    *_OF_THE_PLUGIN,
)
