"""What an API server answers when it refuses something, whichever tool hands it on.

Each tool says by its parts how such an answer begins in its own words: ``<server>`` before it, ``<denies>`` before what
a webhook says, ``<invalid>`` up to "is invalid" (with the groups kind and object), ``<refuses>`` the same without
groups, and ``<end>`` behind the whole.
"""

from sluiceway.adapters.kubernetes.patterns import Pattern

NO_SUCH_KIND = "the cluster serves no kind {kind} in {version}"
KIND_FIRST = (
    "Put its CustomResourceDefinition into a stack of its own that is deployed before, and name it in dependsOn."
)

REFUSALS = (
    Pattern(
        "needs-earlier-object",
        r'<server>pods "<name>" is forbidden: error looking up service account <name>/<name>: '
        r'serviceaccount "(?P<object><name>)" not found<end>',
        "it needs the ServiceAccount {object}, which is not there yet, and a dry run can't see what isn't there",
        "Put the ServiceAccount into a stack of its own that is deployed before, and name it in dependsOn.",
    ),
    Pattern(
        "namespace-missing",
        r'<server>namespaces "(?P<namespace><name>)" not found<end>',
        "the namespace {namespace} is not there",
        "A Namespace belongs in a stack of its own that is deployed before (dependsOn): a dry run can't place an "
        "object in a namespace that is not there.",
    ),
    Pattern(
        None,
        r'<server><name> "<name>" is forbidden: unable to create new content in namespace (?P<namespace><name>) '
        r"because it is being terminated<end>",
        "the namespace {namespace} is being deleted",
        "Wait until it is gone and made anew.",
    ),
    Pattern(
        "immutable-field",
        r"<invalid>:(?: spec: Forbidden: (?:updates to statefulset spec for|pod updates may not change) fields other|"
        r"[^\n]*(?:\n\* [^\n]*)*?: field is immutable(?: when `immutable` is set)?<end>)",
        "{kind} {object} would change a field that can't be changed in place",
        "Keep the field as it is, or delete the object by hand and deploy anew: <tool> never replaces one.",
    ),
    Pattern(
        "denied",
        r'<server>(?P<resource><name>)(?: "(?P<object><name>)")? is forbidden: '
        r'User "[^"\n]{1,300}" cannot (?P<verb>[a-z]{1,20}) resource',
        "the kubeconfig's user may not {verb} {resource}",
        "Grant it (docs: rights), or take the object out of the stack.",
    ),
    Pattern(
        "denied",
        r'<denies>admission webhook "(?P<webhook><name>)" denied the request',
        "the admission webhook {webhook} denied it",
        "The webhook's own words are in the job log.",
    ),
    Pattern(
        "denied",
        r'(?:<refuses>: : |<server><name> "<name>" is forbidden: )'
        r"ValidatingAdmissionPolicy '(?P<policy><name>)' with binding '(?P<binding><name>)' denied request",
        "the admission policy {policy} denied it",
        "The policy's own words are in the job log.",
    ),
    Pattern(
        "denied",
        r'<server>(?P<resource><name>) "(?P<object><name>)" is forbidden',
        "the cluster forbids {object} ({resource})",
        "Why stands in the job log: a quota or an admission rule, for example.",
    ),
    Pattern(
        None,
        r'<server>Internal error occurred: failed calling webhook "(?P<webhook><name>)": ',
        "the admission webhook {webhook} can't be asked",
        "See that what answers for it runs; why the call failed stands in the job log.",
    ),
    Pattern(
        None,
        r"<invalid>",
        "the cluster refuses {kind} {object} as invalid",
        "Which field and why stands in the job log.",
    ),
    Pattern(
        None,
        r"<server>failed to create typed patch object \([^;\n]{1,300}; [^,\n]{1,200}, Kind=(?P<kind><name>)\): "
        r"\.(?P<field>[A-Za-z0-9_.]{1,200}): field not declared in schema<end>",
        "{kind} has no field {field} in the cluster's schema",
        "Take the field out, or correct its name.",
    ),
)  # fmt: skip
